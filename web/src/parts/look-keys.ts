// Keys with which one looks back and forth in a game.

import { useEffect, useRef } from "preact/hooks";

/// What the keys do.
export interface LookKeys {
  show: (ply: number) => void;
  ply: number;
  last: number;
  flip: () => void;
  /// Whether arrows on the board itself move its cursor, or look too: on a board that is only looked at.
  onBoard: "cursor" | "look";
}

/// Arrows, Home, End and `f`, everywhere but in fields and dialogs.
export function useLookKeys(keys: LookKeys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const now = latest.current;
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const elsewhere = now.onBoard === "look" ? "input, select, textarea, dialog" : "input, select, textarea, dialog, [role=application]";
      if ((event.target as HTMLElement).closest(elsewhere)) return;
      if (event.key === "ArrowLeft") now.show(now.ply - 1);
      else if (event.key === "ArrowRight") now.show(now.ply + 1);
      else if (event.key === "Home") now.show(0);
      else if (event.key === "End") now.show(now.last);
      else if (event.key === "f") now.flip();
      else return;
      event.preventDefault();
    };
    // Before the board's own cursor, where arrows look.
    window.addEventListener("keydown", onKey, true);
    return () => window.removeEventListener("keydown", onKey, true);
  }, []);
}
