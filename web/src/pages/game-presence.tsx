// Who is not at the board, and what comes of it.

import { useEffect, useState } from "preact/hooks";

import type { Side } from "../board/board.tsx";
import type { LiveGame } from "../game/live-game.ts";
import type { GameState } from "../game/state.ts";
import { t } from "../text/text.ts";

/// Says which player is away, and counts down to when he loses by it. The player himself is at his board: that is what he
/// looks at, even while the log has not heard of it yet.
export function Away(props: { game: LiveGame; state: GameState; own: Side | undefined }) {
  const { game, state, own } = props;
  const gone = (["white", "black"] as const).filter((side) => side !== own && state.goneSinceMs[side] > 0);
  const due = game.abandonmentAtMs.value;
  const [, tick] = useState(0);
  useEffect(() => {
    if (due === 0) return undefined;
    const timer = setInterval(() => tick((value) => value + 1), 250);
    return () => clearInterval(timer);
  }, [due]);
  if (gone.length === 0) return null;
  const onMove: Side = state.moves.length % 2 === 0 ? "white" : "black";
  const seconds = Math.max(0, Math.ceil((due - game.serverMs()) / 1_000));
  return (
    <div class="note away">
      {gone.map((side) => (
        <p key={side} data-away={side} data-seconds={due > 0 && side === onMove ? seconds : undefined}>
          {due > 0 && side === onMove
            ? t("away.counting", { side: t(`side.${side}`), seconds })
            : t("away.gone", { side: t(`side.${side}`) })}
        </p>
      ))}
    </div>
  );
}
