// The positions of a game, one after each ply, kept so that looking back costs nothing.

import { Chess } from "chessops/chess";
import { chessgroundDests } from "chessops/compat";
import { INITIAL_FEN, makeFen, parseFen } from "chessops/fen";
import { makeSan, parseSan } from "chessops/san";
import type { Role } from "chessops/types";
import { makeSquare, makeUci, parseSquare, parseUci } from "chessops/util";

/// Half-moves without a capture or a pawn's move after which a draw is had.
export const FIFTY_MOVES_PLIES = 100;

const START = Chess.fromSetup(parseFen(INITIAL_FEN).unwrap()).unwrap();

/// Grows with the moves of a game.
export class Line {
  private positions: Chess[] = [START];
  private ucis: string[] = [];

  /// Takes the game's moves; positions of plies that did not change stay.
  follow(ucis: string[]): void {
    let same = 0;
    while (same < this.ucis.length && this.ucis[same] === ucis[same]) same += 1;
    this.positions.length = same + 1;
    this.ucis.length = same;
    for (const uci of ucis.slice(same)) {
      const next = this.positions[this.positions.length - 1]!.clone();
      const move = parseUci(uci);
      if (move === undefined || !next.isLegal(move)) return;
      next.play(move);
      this.positions.push(next);
      this.ucis.push(uci);
    }
  }

  /// How often the position after so many plies has stood on the board by then.
  timesAt(ply: number): number {
    const wanted = identity(this.at(ply));
    return this.positions.slice(0, ply + 1).filter((position) => identity(position) === wanted).length;
  }

  /// The position after so many plies.
  at(ply: number): Chess {
    return this.positions[Math.min(ply, this.positions.length - 1)]!;
  }
}

/// What makes two positions the same: pieces, side to move, castling rights, and an en-passant capture that is legal.
function identity(position: Chess): string {
  return makeFen(position.toSetup()).split(" ").slice(0, 4).join(" ");
}

/// Why a draw may be claimed in the position after so many plies; null when it may not.
export function claimAt(line: Line, ply: number): "threefold" | "fiftyMoves" | null {
  if (line.at(ply).halfmoves >= FIFTY_MOVES_PLIES) return "fiftyMoves";
  return line.timesAt(ply) >= 3 ? "threefold" : null;
}

/// Origin and destination of a move, for marking it; castling by where the king goes.
export function squaresOf(uci: string | undefined): [string, string] | undefined {
  return uci === undefined ? undefined : [uci.slice(0, 2), uci.slice(2, 4)];
}

/// Every legal move by its origin, as the board wants it.
export function destinations(position: Chess): Map<string, string[]> {
  return chessgroundDests(position) as Map<string, string[]>;
}

/// The move between two squares as the server wants it, or which promotion it needs.
export function moveBetween(position: Chess, from: string, to: string): { uci: string; promotes: boolean } | null {
  const origin = parseSquare(from);
  const target = parseSquare(to);
  if (origin === undefined || target === undefined) return null;
  const piece = position.board.get(origin);
  if (piece === undefined) return null;
  const last = piece.color === "white" ? 7 : 0;
  const promotes = piece.role === "pawn" && target >> 3 === last;
  const castling = piece.role === "king" ? kingsTarget(position, origin, target) : target;
  return { uci: makeSquare(origin) + makeSquare(castling), promotes };
}

/// The king's own square when it was dropped on its rook.
function kingsTarget(position: Chess, origin: number, target: number): number {
  const other = position.board.get(target);
  if (other?.role !== "rook" || other.color !== position.board.get(origin)?.color) return target;
  return (origin & ~7) + (target > origin ? 6 : 2);
}

/// The move in standard notation, or in UCI when it is not legal there.
export function sanOf(position: Chess, uci: string): string {
  const move = parseUci(uci);
  return move !== undefined && position.isLegal(move) ? makeSan(position, move) : uci;
}

/// A typed move, SAN or UCI, as UCI; null when it is none or not legal.
export function typedMove(position: Chess, text: string, autoQueen: boolean): string | null {
  const trimmed = text.trim().replace(/0/g, (zero) => (/^0-0/.test(text.trim()) ? "O" : zero));
  const plain = trimmed.toLowerCase();
  const asUci = /^[a-h][1-8][a-h][1-8][qrbn]?$/.test(plain) ? parseUci(plain) : undefined;
  for (const move of [asUci, parseSan(position, trimmed), parseSan(position, capitalised(trimmed))]) {
    if (move === undefined || !("from" in move)) continue;
    const between = moveBetween(position, makeSquare(move.from), makeSquare(move.to));
    const promotion: Role | undefined = move.promotion ?? (between?.promotes && autoQueen ? "queen" : undefined);
    if (between === null || (between.promotes && promotion === undefined)) continue;
    const legal = position.isLegal({ ...move, promotion });
    if (legal) return between.uci + (between.promotes ? makeUci({ from: 0, to: 0, promotion }).slice(4) : "");
  }
  return null;
}

/// `nf3` is meant as `Nf3`; `bc4` is tried as a pawn's move first, by the caller.
function capitalised(text: string): string {
  return /^[nbrqko]/.test(text) ? text[0]!.toUpperCase() + text.slice(1) : text;
}

/// The position's FEN.
export function fenOf(position: Chess): string {
  return makeFen(position.toSetup());
}
