// The board. Chessground draws it and takes mouse and touch; the cursor for the keyboard and the words for a screen reader
// are ours.

import { Chessground } from "@lichess-org/chessground";
import type { Api } from "@lichess-org/chessground/api";
import type { Config } from "@lichess-org/chessground/config";
import type { Key } from "@lichess-org/chessground/types";
import type { Chess } from "chessops/chess";
import { useLayoutEffect, useRef } from "preact/hooks";

import { announce } from "../announce.ts";
import { destinations, fenOf } from "../game/line.ts";
import { settings } from "../settings.ts";
import { t } from "../text/text.ts";
import { squareWords } from "./words.ts";

/// Which side is which, as the board names it.
export type Side = "white" | "black";

/// What a board shows and allows.
export interface BoardProps {
  position: Chess;
  orientation: Side;
  lastMove: [string, string] | undefined;
  /// Whose pieces the person may move; nobody's on a board that is only looked at.
  mover?: Side | undefined;
  /// Whether moves may be prepared while the other side thinks.
  premoves?: boolean;
  /// Whether the last move is still to be acknowledged.
  pending?: boolean;
  onMove?: (from: string, to: string) => void;
  /// Tells a changed premove.
  onPremove?: (squares: [string, string] | null) => void;
  /// Counts up when the board must fall back to its position, as after a refused move.
  resets?: number;
  label: string;
}

/// A board that follows its properties.
export function Board(props: BoardProps) {
  const element = useRef<HTMLDivElement>(null);
  const api = useRef<Api | null>(null);
  const cursor = useRef<Key | null>(null);
  const latest = useRef(props);
  latest.current = props;

  useLayoutEffect(() => {
    api.current = Chessground(element.current!, configOf(latest));
    return () => api.current?.destroy();
  }, []);

  const { position, orientation, mover, premoves, lastMove, pending, resets } = props;
  const fen = fenOf(position);
  useLayoutEffect(() => {
    const board = api.current;
    if (board === null) return;
    board.set(configOf(latest));
    if (mover !== undefined && position.turn === mover && board.state.premovable.current !== undefined) {
      board.playPremove();
    }
  }, [fen, orientation, mover, premoves, lastMove?.join(), pending, resets, settings.value]);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (api.current !== null) moveCursor(event, api.current, cursor, latest);
  };
  const onBlur = (): void => {
    if (cursor.current === null) return;
    cursor.current = null;
    api.current?.set({ highlight: { custom: marks(latest.current, null) } });
  };
  return (
    <div
      class="board"
      role="application"
      aria-roledescription={t("board.role")}
      aria-label={props.label}
      aria-describedby="board-keys"
      tabIndex={0}
      data-pending={pending ? "yes" : "no"}
      data-fen={fen}
      onKeyDown={onKeyDown}
      onBlur={onBlur}
    >
      <div class="cg-wrap" ref={element} />
      <p id="board-keys" class="unseen">
        {t("board.keys")}
      </p>
    </div>
  );
}

function configOf(latest: { current: BoardProps }): Config {
  const { position, orientation, mover, premoves, lastMove } = latest.current;
  const { coordinates, legalMoves } = settings.value;
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  const mine = mover !== undefined && position.turn === mover;
  return {
    fen: fenOf(position),
    orientation,
    turnColor: position.turn,
    check: position.isCheck() ? position.turn : false,
    lastMove: (lastMove ?? []) as Key[],
    coordinates,
    viewOnly: false,
    // In space a piece of a nearer rank stands before the one behind it.
    addPieceZIndex: true,
    animation: { enabled: !calm, duration: 160 },
    highlight: { lastMove: true, check: true, custom: marks(latest.current, null) },
    movable: {
      free: false,
      color: mover,
      dests: (mine ? destinations(position) : new Map()) as Map<Key, Key[]>,
      showDests: legalMoves,
      events: { after: (from, to) => latest.current.onMove?.(from, to) },
    },
    premovable: {
      enabled: premoves ?? false,
      showDests: legalMoves,
      events: {
        set: (from, to) => latest.current.onPremove?.([from, to]),
        unset: () => latest.current.onPremove?.(null),
      },
    },
    draggable: { enabled: mover !== undefined, showGhost: true },
    selectable: { enabled: mover !== undefined },
    drawable: { enabled: true },
  };
}

/// The classes of squares that we mark ourselves.
function marks(props: BoardProps, cursor: Key | null): Map<Key, string> {
  const classes = new Map<Key, string>();
  if (props.pending) for (const square of props.lastMove ?? []) classes.set(square as Key, "pending");
  if (cursor !== null) classes.set(cursor, `${classes.get(cursor) ?? ""} cursor`.trim());
  return classes;
}

const STEPS: Record<string, [number, number]> = {
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};

/// The keyboard's own cursor: arrows go, Enter or space picks up and puts down, Escape lets go.
function moveCursor(
  event: KeyboardEvent,
  board: Api,
  cursor: { current: Key | null },
  latest: { current: BoardProps },
): void {
  const { orientation, position } = latest.current;
  const step = STEPS[event.key];
  if (step !== undefined) {
    const sign = orientation === "white" ? 1 : -1;
    const from = cursor.current ?? (orientation === "white" ? "e1" : "e8");
    const file = clamp(from.charCodeAt(0) - 97 + (cursor.current === null ? 0 : sign * step[0]));
    const rank = clamp(Number(from[1]) - 1 + (cursor.current === null ? 0 : sign * step[1]));
    cursor.current = `${String.fromCharCode(97 + file)}${rank + 1}` as Key;
    announce(squareWords(position, cursor.current));
  } else if ((event.key === "Enter" || event.key === " ") && cursor.current !== null) {
    board.selectSquare(cursor.current);
    const picked = board.state.selected;
    if (picked !== undefined) announce(t("board.picked", { square: picked }));
  } else if (event.key === "Escape") {
    board.selectSquare(null);
    board.cancelPremove();
    cursor.current = null;
  } else {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
  board.set({ highlight: { lastMove: true, check: true, custom: marks(latest.current, cursor.current) } });
}

function clamp(index: number): number {
  return Math.max(0, Math.min(7, index));
}
