// One match's events out of every service's log, from the stake to the payout.

import { unary } from "../../wire/transport.ts";
import type { MatchTransfer } from "../../gen/stakemate/wallet/v1/ledger_service_pb.ts";
import { dataOf } from "./event-row.tsx";
import { at, ledger, operators, type OwnedEvent, type ServiceName } from "./wire.ts";

/// Pages of a stream that are read: a game of 1,000 plies fits.
const PAGES_MAX = 12;
const PAGE = 100;
/// Around the match's own events, causes and effects in other streams are looked for.
const BEFORE_MS = 60_000n;
const AFTER_MS = 900_000n;

/// A match as the logs tell it.
export interface Story {
  matchId: string;
  gameId: string;
  /// In the order of time.
  events: OwnedEvent[];
  transfers: MatchTransfer[];
}

/// Finds the match of a match's or a game's id; nothing when no log knows it.
export async function storyOf(id: string): Promise<Story | null> {
  const first = [...(await inStream("matchmaking", id)), ...(await inStream("game", id))];
  if (first.length === 0) return null;
  const { matchId, gameId } = idsIn(first, id);
  const known = await Promise.all([
    matchId === "" ? [] : inStream("matchmaking", matchId),
    matchId === "" ? [] : inStream("wallet", matchId),
    gameId === "" ? [] : inStream("game", gameId),
    gameId === "" ? [] : inStream("rating", gameId),
    gameId === "" ? [] : inStream("fairplay", gameId),
  ]);
  const events = known.flat();
  const transfers = matchId === "" ? [] : (await ledger.getMatchLedger({ matchId }, unary)).transfers;
  events.push(...(await aboutPair(events, matchId)));
  return { matchId, gameId, events: inOrder(events), transfers };
}

async function inStream(service: ServiceName, streamId: string): Promise<OwnedEvent[]> {
  const found: OwnedEvent[] = [];
  let pageToken = "";
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const answer = await operators.listEvents({ streamIds: [streamId], pageSize: PAGE, pageToken }, at(service));
    found.push(...answer.events.map((event) => ({ service, event })));
    pageToken = answer.nextPageToken;
    if (pageToken === "") break;
  }
  return found;
}

/// Match and game, by what their events say of each other.
function idsIn(events: OwnedEvent[], id: string): { matchId: string; gameId: string } {
  const ids = { matchId: "", gameId: "" };
  for (const owned of events) {
    const data = dataOf(owned) as { matchId?: string; gameId?: string; proposal?: { matchId?: string; gameId?: string } };
    ids.matchId ||= data.matchId ?? data.proposal?.matchId ?? "";
    ids.gameId ||= data.gameId ?? data.proposal?.gameId ?? "";
    if (owned.service === "matchmaking") ids.matchId ||= id;
    else ids.gameId ||= id;
  }
  return ids;
}

/// The limit of the pair's day has a stream of its own, shared by all of their matches: what belongs to this one has its
/// chain of causes, which is the match's at the beginning and the last move's at the end.
async function aboutPair(events: OwnedEvent[], matchId: string): Promise<OwnedEvent[]> {
  const ends = new Set(["GameEnded", "GameAborted", "MatchProposed", "MatchCancelled"]);
  const correlationIds = [...new Set(events.filter(({ event }) => ends.has(event.kind)).map(({ event }) => event.correlationId))];
  if (matchId === "" || correlationIds.length === 0) return [];
  const times = events.map(({ event }) => event.recordedAtMs);
  const [from, to] = [times.reduce((a, b) => (a < b ? a : b)), times.reduce((a, b) => (a > b ? a : b))];
  const kinds = ["PairingReserved", "PairingRefused", "PairingCounted", "PairingReleased"];
  const request = { correlationIds, kinds, sinceMs: from - BEFORE_MS, untilMs: to + AFTER_MS, pageSize: PAGE };
  const found = await operators.listEvents(request, at("fairplay"));
  return found.events.map((event) => ({ service: "fairplay" as const, event })).filter((owned) => dataOf(owned).matchId === matchId);
}

function inOrder(events: OwnedEvent[]): OwnedEvent[] {
  const seen = new Map(events.map((owned) => [owned.event.eventId, owned]));
  return [...seen.values()].sort(
    (one, other) => Number(one.event.recordedAtMs - other.event.recordedAtMs) || Number(one.event.version - other.event.version),
  );
}
