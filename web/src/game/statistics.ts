// What a player's games come to. Pure.

import { EndReason, GameResult, GameStatus, type GameSummary } from "../gen/stakemate/game/v1/game_service_pb.ts";

/// How a game went for one of its players.
export type Outcome = "won" | "lost" | "drawn" | "aborted" | "live";

/// Won, drawn and lost.
export interface Tally {
  won: number;
  drawn: number;
  lost: number;
}

/// Of the games with a result.
export interface Statistics {
  white: Tally;
  black: Tally;
  all: Tally;
  /// How many plies a game has on average.
  plies: number;
  /// How games end, the most frequent first.
  endings: [EndReason, number][];
}

/// How a game went for a player.
export function outcomeOf(game: GameSummary, playerId: string): Outcome {
  if (game.status === GameStatus.LIVE) return "live";
  if (game.status === GameStatus.ABORTED) return "aborted";
  if (game.result === GameResult.DRAW) return "drawn";
  const white = game.white?.playerId === playerId;
  return white === (game.result === GameResult.WHITE_WINS) ? "won" : "lost";
}

/// Counts a player's games.
export function statisticsOf(games: GameSummary[], playerId: string): Statistics {
  const found: Statistics = { white: tally(), black: tally(), all: tally(), plies: 0, endings: [] };
  const endings = new Map<EndReason, number>();
  let plies = 0;
  let ended = 0;
  for (const game of games) {
    const outcome = outcomeOf(game, playerId);
    if (outcome === "live" || outcome === "aborted") continue;
    found.all[outcome] += 1;
    found[game.white?.playerId === playerId ? "white" : "black"][outcome] += 1;
    endings.set(game.endReason, (endings.get(game.endReason) ?? 0) + 1);
    plies += game.plies;
    ended += 1;
  }
  found.plies = ended === 0 ? 0 : plies / ended;
  found.endings = [...endings].sort((one, other) => other[1] - one[1]);
  return found;
}

/// How many games a tally has.
export function sumOf(tallied: Tally): number {
  return tallied.won + tallied.drawn + tallied.lost;
}

function tally(): Tally {
  return { won: 0, drawn: 0, lost: 0 };
}
