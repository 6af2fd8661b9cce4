// One player's bar beside the board.

import type { Chess } from "chessops/chess";

import { Captured } from "../board/captured.tsx";
import type { Side } from "../board/board.tsx";
import type { LiveGame } from "../game/live-game.ts";
import type { GameState } from "../game/state.ts";
import { poolOf } from "../game/words.ts";
import { GameStatus } from "../gen/stakemate/game/v1/game_service_pb.ts";
import { Color } from "../gen/stakemate/type/v1/color_pb.ts";
import { ClockFace } from "../parts/clock-face.tsx";
import { useLoading } from "../parts/parts.tsx";
import { credit as creditText, rating } from "../text/format.ts";
import { t } from "../text/text.ts";
import { ratings } from "../wire/clients/ratings.ts";
import { unary } from "../wire/transport.ts";

/// What a narrow screen has no room for: less than a tenth of a second.
const SLIGHT_CREDIT_MS = 100;

/// Name, rating, captured pieces and clock.
export function PlayerBar(props: {
  game: LiveGame;
  state: GameState;
  side: Side;
  position: Chess;
  voice: "mine" | "silent";
}) {
  const { state, side } = props;
  const color = side === "white" ? Color.WHITE : Color.BLACK;
  const player = side === "white" ? state.game.white : state.game.black;
  const pool = poolOf(state.game);
  const away = state.goneSinceMs[side] > 0 && state.status === GameStatus.LIVE && props.voice !== "mine";
  const credit = creditOf(state, side);
  const [loaded] = useLoading(
    async () => (await ratings.getRatings({ playerId: player?.playerId ?? "" }, unary)).ratings,
    [player?.playerId],
  );
  const own = loaded.state === "ready" ? loaded.value.find((one) => one.pool === pool) : undefined;
  return (
    <div class="bar" data-side={side} data-away={away ? "yes" : "no"}>
      <span class={`dot ${side}`} role="img" aria-label={t(`side.${side}`)} />
      <span class="person">
        <a class="name" href={`/player/${player?.playerId ?? ""}`}>
          {player?.name}
        </a>
        {own !== undefined && (
          <span class="rating" title={own.provisional ? t("rating.provisional") : undefined}>
            {rating(own.rating)}
            {own.provisional ? "?" : ""}
          </span>
        )}
      </span>
      {away && <span class="away-mark">{t("away.mark")}</span>}
      <Captured position={props.position} by={side} />
      {credit > 0 && (
        <span class="credited" data-slight={credit < SLIGHT_CREDIT_MS ? "yes" : "no"} title={t("game.credit", { ms: credit })} aria-label={t("game.credit", { ms: credit })} role="img">
          {creditText(credit)}
        </span>
      )}
      <ClockFace game={props.game} side={color} voice={props.voice} />
    </div>
  );
}

/// The network delay that a side's last move was credited, in milliseconds.
function creditOf(state: GameState, side: Side): number {
  const parity = side === "white" ? 1 : 0;
  const last = state.moves.findLast((move) => move.ply % 2 === parity);
  return Number(last?.lagCreditMs ?? 0n);
}
