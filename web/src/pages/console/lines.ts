// A timeline's lines.

import type { OwnedEvent } from "./wire.ts";

/// Events of the timeline, with runs of moves taken together.
export type Line = { event: OwnedEvent } | { moves: OwnedEvent[] };

/// The timeline's lines.
export function linesOf(events: OwnedEvent[]): Line[] {
  const lines: Line[] = [];
  for (const owned of events) {
    const last = lines.at(-1);
    if (owned.event.kind !== "MovePlayed") lines.push({ event: owned });
    else if (last !== undefined && "moves" in last) last.moves.push(owned);
    else lines.push({ moves: [owned] });
  }
  return lines;
}
