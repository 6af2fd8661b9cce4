// Several services' newest events as one list.

import type { OwnedEvent, ServiceName } from "./wire.ts";

/// One service's part of the tail: what was read, and how to read on.
export interface Part {
  events: OwnedEvent[];
  token: string;
}

/// Those of all services that were asked.
export type Parts = Partial<Record<ServiceName, Part>>;

/// All parts in one order, down to where one of them has to be read on; and which ones those are.
export function merged(parts: Parts): { shown: OwnedEvent[]; behind: ServiceName[] } {
  const all = Object.values(parts).flatMap((part) => part.events);
  const open = (Object.entries(parts) as [ServiceName, Part][]).filter(([, part]) => part.token !== "");
  const oldest = (part: Part): bigint => part.events.at(-1)?.event.recordedAtMs ?? 0n;
  const mark = open.reduce((latest, [, part]) => (oldest(part) > latest ? oldest(part) : latest), 0n);
  const shown = all.filter((owned) => owned.event.recordedAtMs >= mark);
  shown.sort((one, other) => Number(other.event.recordedAtMs - one.event.recordedAtMs) || Number(other.event.version - one.event.version));
  return { shown, behind: open.filter(([, part]) => oldest(part) >= mark).map(([service]) => service) };
}
