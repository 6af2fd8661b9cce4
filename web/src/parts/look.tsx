// The buttons with which one looks back and forth in a game.

import type { ComponentChildren } from "preact";

import { t } from "../text/text.ts";
import { Icon } from "./icon.tsx";

/// To the start, back, what stands in the middle, on, to the end, and the board turned round.
export function Look(props: { shown: number; last: number; onShow: (ply: number) => void; onFlip: () => void; children?: ComponentChildren }) {
  const { shown, last, onShow } = props;
  return (
    <div class="look">
      <button type="button" aria-label={t("look.first")} disabled={shown === 0} onClick={() => onShow(0)}><Icon name="first" /></button>
      <button type="button" aria-label={t("look.back")} disabled={shown === 0} onClick={() => onShow(shown - 1)}><Icon name="back" /></button>
      {props.children}
      <button type="button" aria-label={t("look.on")} disabled={shown === last} onClick={() => onShow(shown + 1)}><Icon name="on" /></button>
      <button type="button" aria-label={t("look.last")} disabled={shown === last} onClick={() => onShow(last)}><Icon name="last" /></button>
      <button type="button" aria-label={t("look.flip")} onClick={props.onFlip}><Icon name="flip" /></button>
    </div>
  );
}
