// The moves in standard notation, two a row, each a way to look back.

import { useEffect, useRef } from "preact/hooks";

import { credit } from "../text/format.ts";
import { t } from "../text/text.ts";

/// A smaller credit is in the move's title only: a list in which every move has one is hard to read.
const CREDIT_MS_SHOWN = 100;

/// One move of the list.
export interface Entry {
  san: string;
  /// Still to be acknowledged.
  pending: boolean;
  /// Network delay that was credited, in milliseconds.
  creditMs: number;
}

/// The list; `shown` is the ply on the board, 0 for the start.
export function MoveList(props: { entries: Entry[]; shown: number; onShow: (ply: number) => void }) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const marked = list.current?.querySelector<HTMLElement>("[aria-current]");
    const box = list.current;
    if (box === null) return;
    // Not scrollIntoView: that would move the page too.
    box.scrollTop = marked ? marked.offsetTop - box.clientHeight / 2 : 0;
    box.scrollLeft = marked ? marked.offsetLeft - box.clientWidth / 2 : 0;
  }, [props.shown, props.entries.length]);
  const rows = Array.from({ length: Math.ceil(props.entries.length / 2) }, (_, row) => row);
  const cell = (ply: number) => {
    const entry = props.entries[ply - 1];
    if (entry === undefined) return null;
    return (
      <button
        type="button"
        class="move"
        data-ply={ply}
        data-pending={entry.pending ? "yes" : "no"}
        aria-current={ply === props.shown ? "step" : undefined}
        title={entry.creditMs > 0 ? t("game.credit", { ms: entry.creditMs }) : undefined}
        onClick={() => props.onShow(ply)}
      >
        {entry.san}
        {entry.pending && <span class="unseen"> {t("game.notYetAcknowledged")}</span>}
        {entry.creditMs >= CREDIT_MS_SHOWN && (
          <small class="credit" aria-label={t("game.credit", { ms: entry.creditMs })}>
            {credit(entry.creditMs)}
          </small>
        )}
      </button>
    );
  };
  return (
    <ol class="moves" ref={list} aria-label={t("game.moves")} tabIndex={0}>
      {rows.length === 0 && <li class="empty">{t("game.noMoves")}</li>}
      {rows.map((row) => (
        <li key={row}>
          <span class="number">{row + 1}.</span>
          {cell(2 * row + 1)}
          {cell(2 * row + 2)}
        </li>
      ))}
    </ol>
  );
}
