// Which piece a pawn becomes.

import { useLayoutEffect, useRef } from "preact/hooks";

import { t } from "../text/text.ts";
import type { Side } from "./board.tsx";

const CHOICES = [
  ["q", "queen"],
  ["r", "rook"],
  ["b", "bishop"],
  ["n", "knight"],
] as const;

/// Asks for the piece; `null` takes the move back.
export function Promotion(props: { side: Side; onChoice: (piece: string | null) => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog
      ref={dialog}
      class="promotion"
      aria-label={t("promotion.title")}
      onCancel={(event) => {
        event.preventDefault();
        props.onChoice(null);
      }}
    >
      <h2>{t("promotion.title")}</h2>
      <div class="choices cg-wrap">
        {CHOICES.map(([letter, role]) => (
          <button key={letter} type="button" data-piece={letter} onClick={() => props.onChoice(letter)}>
            <span class={`figure ${role} ${props.side}`} aria-hidden="true" />
            <span>{t(`piece.${role}`)}</span>
          </button>
        ))}
      </div>
      <button type="button" class="quiet" onClick={() => props.onChoice(null)}>
        {t("action.cancel")}
      </button>
    </dialog>
  );
}
