// The operator and the moderator of the development stack, and what only a fault or many games would bring about.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { create, toBinary } from "@bufbuild/protobuf";
import { createClient, type Interceptor } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import type { Browser, BrowserContextOptions } from "playwright-core";

import { CaseService } from "../../src/gen/stakemate/fairplay/v1/case_service_pb.ts";
import { AssessmentSchema, EvidenceLevel, FairplayService } from "../../src/gen/stakemate/fairplay/v1/fairplay_service_pb.ts";
import { PlayerRegisteredSchema } from "../../src/gen/stakemate/gateway/v1/event_pb.ts";
import { AccountService } from "../../src/gen/stakemate/gateway/v1/account_service_pb.ts";
import { QueueService } from "../../src/gen/stakemate/matchmaking/v1/queue_service_pb.ts";
import { OperatorService } from "../../src/gen/stakemate/operator/v1/operator_service_pb.ts";
import { EventMetadataSchema } from "../../src/gen/stakemate/type/v1/event_metadata_pb.ts";
import { LedgerService } from "../../src/gen/stakemate/wallet/v1/ledger_service_pb.ts";
import { requestId } from "../../src/wire/request-id.ts";
import { EDGE, visit, type Seat } from "./browsers.ts";

/// The seeded sign-ins of `make up`.
export const OPERATOR = "olga";
export const MODERATOR = "mira";
export const STAFF_PASSWORD = "stakemate-dev";

/// A screen at which one of them is signed in.
export async function staff(one: Browser, name: string, options: BrowserContextOptions = {}): Promise<Seat> {
  const seat = await visit(one, options);
  seat.name = name;
  await seat.page.goto("/sign-in");
  await seat.page.fill("input[name=name]", name);
  await seat.page.fill("input[name=password]", STAFF_PASSWORD);
  await seat.page.click("button[type=submit]");
  await seat.page.waitForSelector(".purse");
  return seat;
}

/// Somebody's own clients of what the consoles ask, by name and password.
export async function consoleOf(name: string, password: string) {
  const open = createGrpcWebTransport({ baseUrl: EDGE });
  const { session } = await createClient(AccountService, open).signIn({ name, password });
  const authorize: Interceptor = (next) => (request) => {
    request.header.set("authorization", `Bearer ${session!.accessToken}`);
    return next(request);
  };
  const own = createGrpcWebTransport({ baseUrl: EDGE, interceptors: [authorize] });
  return {
    operator: createClient(OperatorService, own),
    ledger: createClient(LedgerService, own),
    queues: createClient(QueueService, own),
    cases: createClient(CaseService, own),
    fairplay: createClient(FairplayService, own),
  };
}

/// The operator's.
export function operatorsConsole() {
  return consoleOf(OPERATOR, STAFF_PASSWORD);
}

/// The moderator's.
export function moderatorsConsole() {
  return consoleOf(MODERATOR, STAFF_PASSWORD);
}

/// What a service's database answers, a line a row.
export function sql(service: string, text: string): string {
  const state = JSON.parse(readFileSync(join(process.env.STAKEMATE_STACK_DATA!, "dev.json"), "utf8")) as {
    services: Record<string, { database_url: string }>;
  };
  const options = ["-v", "ON_ERROR_STOP=1", "-qAtc", text];
  return execFileSync(psql(), [state.services[service]!.database_url, ...options], { encoding: "utf8" }).trim();
}

function psql(): string {
  const versions = "/usr/lib/postgresql";
  const installed = existsSync(versions) ? readdirSync(versions).map((version) => join(versions, version, "bin/psql")) : [];
  const own = ".stakemate/servers/postgres/embedded_postgres/pginstall/bin/psql";
  const known = [...installed, join(process.cwd(), own), join(process.cwd(), "..", own)];
  return known.find((program) => existsSync(program)) ?? "psql";
}

function hex(bytes: Uint8Array): string {
  return `'\\x${Buffer.from(bytes).toString("hex")}'::bytea`;
}

function idBytes(id: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(id.replaceAll("-", ""), "hex"));
}

/// Parks a message for the wallet as if it had failed: somebody who signed up, and who has no account until it is handled.
export function parkLetter(): { playerId: string; error: string } {
  const playerId = requestId();
  const error = "the database was restored from yesterday";
  const name = `late${playerId.slice(0, 6)}`;
  const data = toBinary(PlayerRegisteredSchema, create(PlayerRegisteredSchema, { playerId, name, roles: ["player"] }));
  const correlationId = idBytes(requestId());
  const metadata = toBinary(EventMetadataSchema, create(EventMetadataSchema, { correlationId, actor: "gateway" }));
  sql(
    "wallet",
    `insert into dead_letters (consumer, stream_id, version, follows, event_id, subject, schema, data, metadata, recorded_at,
       reason, error, attempts)
     values ('wallet_players', '${playerId}', 1, 0, gen_random_uuid(), 'evt.gateway.player.${playerId}.PlayerRegistered', 1,
       ${hex(data)}, ${hex(metadata)}, now(), 'fault', '${error}', 1)`,
  );
  return { playerId, error };
}

/// Opens a case against a player with the evidence that many games would give.
export function openCase(playerId: string, gameId: string): string {
  const caseId = requestId();
  const now = BigInt(Date.now());
  const channel = (observed: number, expected: number, deviation: number, z: number, zStronger: number) => ({
    sums: { moves: 412, observed, expected, variance: deviation * deviation },
    deviation,
    z,
    zStronger,
  });
  const assessment = create(AssessmentSchema, {
    playerId,
    timeClass: "blitz",
    level: EvidenceLevel.FLAG,
    logBayes: 41.7,
    engineShare: 0.75,
    strongerBy: 400,
    matches: channel(301, 204.6, 13.4, 7.2, 4.1),
    spared: channel(-4.2, -19.8, 2.6, 6, 3.3),
    games: 14,
    moves: 412,
    timeGames: 14,
    timedMoves: 398,
    correlation: 0.04,
    humanCorrelationLow: 0.08,
    humanCorrelationHigh: 0.61,
    evenGames: 9,
    excluded: { opening: 140, decided: 96, recapture: 51, forced: 23, one_good_move: 18 },
    telling: [
      { gameId, move: { ply: 4, uci: "d8h4", humanProbability: 0.021, loss: 0, weight: 3.9 } },
      { gameId, move: { ply: 2, uci: "e7e5", humanProbability: 0.035, loss: 0.2, weight: 3.1 } },
    ],
    falseAlarms: { share: 0.0004, upper: 0.0019 },
    engine: "Stockfish 15.1",
    nodes: 25_000n,
    secondPassGames: 5,
    calibrationId: "2026-11-29-4f1c",
    whatWouldChangeIt: "Ten more games as expected of a person of the rating would take the level down to hold.",
    assessedAtMs: now,
  });
  sql(
    "fairplay",
    `insert into players (player_id, is_barred) values ('${playerId}', true)
       on conflict (player_id) do update set is_barred = true;
     insert into standings (player_id, time_class, level, assessment)
       values ('${playerId}', 'blitz', 5, ${hex(toBinary(AssessmentSchema, assessment))})
       on conflict (player_id, time_class) do update set level = 5, assessment = excluded.assessment;
     insert into cases (case_id, player_id, time_class, opened_at_ms) values ('${caseId}', '${playerId}', 'blitz', ${now})`,
  );
  return caseId;
}
