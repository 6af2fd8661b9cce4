// A chess clock's face: it writes its own text once a frame, so that nothing else is drawn again for it.

import { useEffect, useRef } from "preact/hooks";

import { announce } from "../announce.ts";
import type { LiveGame } from "../game/live-game.ts";
import { clockOf, runningSide } from "../game/state.ts";
import { Color } from "../gen/stakemate/type/v1/color_pb.ts";
import { play } from "../sound.ts";
import { clock } from "../text/format.ts";
import { t } from "../text/text.ts";

/// Below this a clock is in trouble.
const LOW_MS = 20_000;
/// When the player's own clock is called out.
const CALLS_MS = [60_000, 30_000, 10_000];

/// One side's clock. `mine` makes it speak when time gets short.
export function ClockFace(props: { game: LiveGame; side: Color; voice: "mine" | "silent" }) {
  const face = useRef<HTMLSpanElement>(null);
  const { game, side, voice } = props;
  useEffect(() => {
    let frame = 0;
    let lastMs = Number.POSITIVE_INFINITY;
    const draw = (): void => {
      const state = game.state.peek();
      const element = face.current;
      if (state !== null && element !== null) {
        const ms = state.game.timeControl === undefined ? Number.POSITIVE_INFINITY : clockOf(state, side, game.serverMs());
        const text = Number.isFinite(ms) ? clock(ms) : "∞";
        if (element.textContent !== text) element.textContent = text;
        const running = runningSide(state) === side;
        element.dataset.running = running ? "yes" : "no";
        element.dataset.low = ms < LOW_MS ? "yes" : "no";
        if (voice === "mine" && running) callOut(lastMs, ms);
        lastMs = running ? ms : Number.POSITIVE_INFINITY;
      }
      frame = requestAnimationFrame(draw);
    };
    draw();
    return () => cancelAnimationFrame(frame);
  }, [game, side, voice]);
  return <span ref={face} class="clock" role="timer" aria-live="off" aria-label={t(side === Color.WHITE ? "clock.white" : "clock.black")} />;
}

function callOut(beforeMs: number, nowMs: number): void {
  const crossed = CALLS_MS.find((limit) => Number.isFinite(beforeMs) && beforeMs > limit && nowMs <= limit);
  if (crossed === undefined) return;
  announce(t("clock.left", { seconds: crossed / 1_000 }), "urgent");
  if (crossed === 10_000) play("low");
}
