// A game's end in words.

import { EndReason, GameResult, GameStatus, type Game } from "../gen/stakemate/game/v1/game_service_pb.ts";
import { timeControl } from "../text/format.ts";
import { t, tKnown } from "../text/text.ts";

/// The pool of all house tables.
const TABLE_POOL = "table";

/// The rating pool that a game counts in, if it counts.
export function poolOf(game: Game): string {
  return game.tableId === "" ? timeControl(game.timeControl) : TABLE_POOL;
}

/// A pool as people call it.
export function poolName(pool: string): string {
  return pool === TABLE_POOL ? t("tables.title") : pool;
}

/// The result as the score sheet has it.
export function score(result: GameResult): string {
  if (result === GameResult.WHITE_WINS) return "1-0";
  if (result === GameResult.BLACK_WINS) return "0-1";
  return result === GameResult.DRAW ? "½-½" : "*";
}

/// The same for eyes, with a proper dash.
export function shownScore(result: GameResult): string {
  return score(result).replace("-", "–");
}

/// Why a game ended.
export function endText(reason: EndReason): string {
  // The enum's own names make the keys: END_REASON_FIFTY_MOVES is `end.FIFTY_MOVES`.
  return tKnown("end", EndReason[reason]);
}

/// Who won, for everybody.
export function resultText(status: GameStatus, result: GameResult): string {
  if (status === GameStatus.ABORTED) return t("result.aborted");
  if (result === GameResult.WHITE_WINS) return t("result.white");
  if (result === GameResult.BLACK_WINS) return t("result.black");
  return result === GameResult.DRAW ? t("result.draw") : t("result.live");
}
