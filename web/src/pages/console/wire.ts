// The services as an operator and a moderator ask them. Every service has an OperatorService of its own; which one is meant
// stands in the call's metadata.

import { createClient } from "@connectrpc/connect";

import { CaseService } from "../../gen/stakemate/fairplay/v1/case_service_pb.ts";
import { QueueService } from "../../gen/stakemate/matchmaking/v1/queue_service_pb.ts";
import { OperatorService, type LoggedEvent } from "../../gen/stakemate/operator/v1/operator_service_pb.ts";
import { LedgerService } from "../../gen/stakemate/wallet/v1/ledger_service_pb.ts";
import { person } from "../../session/session.ts";
import { dates } from "../../text/formatters.ts";
import { games } from "../../wire/clients/games.ts";
import { transport, unary } from "../../wire/transport.ts";

/// The services, in the order of a match's life.
export const SERVICES = ["gateway", "matchmaking", "fairplay", "wallet", "game", "rating"] as const;
/// One of them.
export type ServiceName = (typeof SERVICES)[number];

/// An event and whose log it stands in.
export interface OwnedEvent {
  service: ServiceName;
  event: LoggedEvent;
}

export const operators = createClient(OperatorService, transport);
export const ledger = createClient(LedgerService, transport);
export const queues = createClient(QueueService, transport);
export const cases = createClient(CaseService, transport);

/// Options of a call to one service's OperatorService.
export function at(service: ServiceName): { timeoutMs: number; headers: Record<string, string> } {
  return { ...unary, headers: { "stakemate-service": service } };
}

/// What became of asking every service: one that does not answer does not hide the others.
export interface Answer<T> {
  service: ServiceName;
  value?: T;
  error?: unknown;
}

/// Asks every service.
export async function askAll<T>(ask: (service: ServiceName) => Promise<T>, services: readonly ServiceName[] = SERVICES): Promise<Answer<T>[]> {
  return Promise.all(
    services.map(async (service) => {
      try {
        return { service, value: await ask(service) };
      } catch (error) {
        return { service, error };
      }
    }),
  );
}

const names = new Map<string, Promise<string>>();

/// A player's name, which the services behind the consoles do not keep; his id's beginning when he has never played.
export function nameOf(playerId: string): Promise<string> {
  if (person.value?.id === playerId) return Promise.resolve(person.value.name);
  let name = names.get(playerId);
  if (name === undefined) {
    name = games.listGames({ playerId, pageSize: 1 }, unary).then(
      ({ games: [game] }) => (game?.white?.playerId === playerId ? game.white.name : game?.black?.name) ?? short(playerId),
      () => short(playerId),
    );
    names.set(playerId, name);
  }
  return name;
}

/// The part of a UUID by which people tell it from others; the beginning is a time and is alike for neighbours.
export function short(id: string): string {
  return id === "" ? "" : `…${id.slice(-8)}`;
}

/// The name or number of an event's time to the millisecond.
export function instant(ms: bigint, tag: string): string {
  const options = { hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, hourCycle: "h23" } as const;
  return dates(tag, options).format(Number(ms));
}
