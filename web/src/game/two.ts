// A game of two people on one device, decided here by the rule set `solo`: no clocks, draws end it by themselves. Pure.

import type { Chess } from "chessops/chess";

import { EndReason, GameResult } from "../gen/stakemate/game/v1/game_service_pb.ts";
import { FIFTY_MOVES_PLIES, sanOf, type Line } from "./line.ts";
import { score } from "./words.ts";

/// How it ended.
export interface End {
  result: GameResult;
  reason: EndReason;
}

/// How the position after so many plies ends the game by itself; null when it goes on. Mate and stalemate come first.
export function endAt(line: Line, ply: number): End | null {
  const position = line.at(ply);
  if (position.isCheckmate()) {
    const result = position.turn === "white" ? GameResult.BLACK_WINS : GameResult.WHITE_WINS;
    return { result, reason: EndReason.CHECKMATE };
  }
  const reason = drawnBy(line, ply, position);
  return reason === null ? null : { result: GameResult.DRAW, reason };
}

function drawnBy(line: Line, ply: number, position: Chess): EndReason | null {
  if (position.isStalemate()) return EndReason.STALEMATE;
  if (neitherCanMate(position)) return EndReason.INSUFFICIENT_MATERIAL;
  if (line.timesAt(ply) >= 3) return EndReason.THREEFOLD;
  return position.halfmoves >= FIFTY_MOVES_PLIES ? EndReason.FIFTY_MOVES : null;
}

/// Kings alone, one minor piece beside them, or a bishop each (M2 of the rules).
function neitherCanMate({ board }: Chess): boolean {
  const others = board.occupied.size() - 2;
  if (others > 2 || board.pawn.nonEmpty() || board.rook.nonEmpty() || board.queen.nonEmpty()) return false;
  if (others <= 1) return true;
  return board.pieces("white", "bishop").size() === 1 && board.pieces("black", "bishop").size() === 1;
}

/// The game as Portable Game Notation.
export function pgnOf(line: Line, ucis: string[], end: End | null, date: Date): string {
  const result = end === null ? "*" : score(end.result).replace("½-½", "1/2-1/2");
  const tags = [
    ["Event", "Two on one device"],
    ["Site", "Stakemate"],
    ["Date", date.toISOString().slice(0, 10).replaceAll("-", ".")],
    ["Round", "-"],
    ["White", "White"],
    ["Black", "Black"],
    ["Result", result],
  ];
  const moves = ucis.map((uci, index) => `${index % 2 === 0 ? `${index / 2 + 1}. ` : ""}${sanOf(line.at(index), uci)}`);
  return `${tags.map(([name, value]) => `[${name} "${value}"]`).join("\n")}\n\n${wrapped([...moves, result])}\n`;
}

/// Words in lines of at most eighty characters.
function wrapped(words: string[]): string {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= 80) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join("\n");
}
