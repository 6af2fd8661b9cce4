// A game as the frames of its stream tell it. Pure: no clock, no connection.

import { Color } from "../gen/stakemate/type/v1/color_pb.ts";
import {
  EndReason,
  GameResult,
  GameStatus,
  type Game,
  type Move,
  type WatchGameResponse,
} from "../gen/stakemate/game/v1/game_service_pb.ts";

/// Both clocks at one moment of the server.
export interface Clocks {
  whiteMs: number;
  blackMs: number;
  atMs: number;
}

/// What a client knows of a game.
export interface GameState {
  game: Game;
  sequence: bigint;
  moves: Move[];
  clocks: Clocks;
  /// When the side on move forfeits its first move, in server time; 0 when no such limit runs.
  firstMoveDueMs: number;
  drawOfferBy: Color;
  /// Since when each side has been gone, in server time; 0 while it is at the board.
  goneSinceMs: { white: number; black: number };
  status: GameStatus;
  result: GameResult;
  endReason: EndReason;
}

/// A snapshot as state.
export function fromSnapshot(game: Game, sequence: bigint): GameState {
  const plies = game.moves.length;
  return {
    game,
    sequence,
    moves: game.moves,
    clocks: {
      whiteMs: Number(game.whiteClockMs),
      blackMs: Number(game.blackClockMs),
      atMs: Number(game.serverTimeMs),
    },
    firstMoveDueMs: isUntimed(game, plies) ? Number(game.deadlineMs) : 0,
    drawOfferBy: game.drawOfferBy,
    goneSinceMs: { white: Number(game.whiteGoneSinceMs), black: Number(game.blackGoneSinceMs) },
    status: game.status,
    result: game.result,
    endReason: game.endReason,
  };
}

/// Whether the next move is a first move that no clock runs for.
function isUntimed(game: Game, plies: number): boolean {
  return game.firstMoveDueMs > 0 && plies < 2;
}

/// Who is on move.
export function turnOf(state: GameState): Color {
  return state.moves.length % 2 === 0 ? Color.WHITE : Color.BLACK;
}

/// Whose clock runs, if any does.
export function runningSide(state: GameState): Color {
  const timed = state.game.timeControl !== undefined && state.status === GameStatus.LIVE;
  return timed && !isUntimed(state.game, state.moves.length) ? turnOf(state) : Color.UNSPECIFIED;
}

/// What a side's clock shows at a moment of the server, in milliseconds; never negative.
export function clockOf(state: GameState, side: Color, serverMs: number): number {
  const kept = side === Color.WHITE ? state.clocks.whiteMs : state.clocks.blackMs;
  if (runningSide(state) !== side) return Math.max(0, kept);
  const scale = Math.max(1, state.game.timeScale);
  return Math.max(0, kept - Math.max(0, serverMs - state.clocks.atMs) * scale);
}

/// The state after a frame of the log; the same object when the frame says nothing new, which makes a repeat harmless.
export function after(state: GameState, response: WatchGameResponse): GameState {
  if (response.sequence <= state.sequence) return state;
  const sequence = response.sequence;
  switch (response.frame.case) {
    case "move":
      return afterMove(state, response.frame.value, sequence);
    case "drawOffered":
      return { ...state, sequence, drawOfferBy: response.frame.value.by };
    case "drawDeclined":
      return { ...state, sequence, drawOfferBy: Color.UNSPECIFIED };
    case "playerGone": {
      const { by, goneSinceMs } = response.frame.value;
      return { ...state, sequence, goneSinceMs: gone(state, by, Number(goneSinceMs)) };
    }
    case "playerBack":
      return { ...state, sequence, goneSinceMs: gone(state, response.frame.value.by, 0) };
    case "resumed": {
      const { whiteClockMs, blackClockMs } = response.frame.value;
      return {
        ...state,
        sequence,
        clocks: {
          whiteMs: Number(whiteClockMs),
          blackMs: Number(blackClockMs),
          atMs: Number(response.serverTimeMs),
        },
      };
    }
    case "ended": {
      const { status, result, endReason, whiteClockMs, blackClockMs, endedAtMs } = response.frame.value;
      return {
        ...state,
        sequence,
        status,
        result,
        endReason,
        drawOfferBy: Color.UNSPECIFIED,
        firstMoveDueMs: 0,
        clocks: { whiteMs: Number(whiteClockMs), blackMs: Number(blackClockMs), atMs: Number(endedAtMs) },
      };
    }
    default:
      return { ...state, sequence };
  }
}

function gone(state: GameState, by: Color, sinceMs: number): GameState["goneSinceMs"] {
  return { ...state.goneSinceMs, [by === Color.WHITE ? "white" : "black"]: sinceMs };
}

function afterMove(state: GameState, move: Move, sequence: bigint): GameState {
  if (move.ply !== state.moves.length + 1) return { ...state, sequence };
  const moves = [...state.moves, move];
  const untimed = isUntimed(state.game, moves.length);
  return {
    ...state,
    sequence,
    moves,
    clocks: {
      whiteMs: Number(move.whiteClockMs),
      blackMs: Number(move.blackClockMs),
      atMs: Number(move.receivedAtMs),
    },
    firstMoveDueMs: untimed ? Number(move.receivedAtMs) + state.game.firstMoveDueMs : 0,
    // An offer lapses when the other side moves on; the log says so too, a frame later.
    drawOfferBy: state.drawOfferBy === turnOf(state) ? state.drawOfferBy : Color.UNSPECIFIED,
  };
}

/// Whether a frame leaves a gap behind what is known: then the stream has to be taken up again.
export function leavesGap(state: GameState, response: WatchGameResponse): boolean {
  return response.sequence > state.sequence + 1n;
}
