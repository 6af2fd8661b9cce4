// The consoles' words, and how several services' events become one list.

import assert from "node:assert/strict";
import { test } from "node:test";

import { create } from "@bufbuild/protobuf";

import { CaseDecision, EvidenceLevel } from "../../src/gen/stakemate/fairplay/v1/fairplay_service_pb.ts";
import { DeadLetterActionKind, DeadLetterReason, LoggedEventSchema } from "../../src/gen/stakemate/operator/v1/operator_service_pb.ts";
import { AccountKind } from "../../src/gen/stakemate/wallet/v1/event_pb.ts";
import { linesOf } from "../../src/pages/console/lines.ts";
import { merged } from "../../src/pages/console/merged.ts";
import { de } from "../../src/pages/console/text/de.ts";
import { en } from "../../src/pages/console/text/en.ts";
import { es } from "../../src/pages/console/text/es.ts";
import { ru } from "../../src/pages/console/text/ru.ts";

test("every language has every text of the consoles with the same places to fill", () => {
  const places = (text: string): string => [...new Set(text.match(/\{\w+\}/g))].sort().join();
  for (const [language, words] of Object.entries({ de, es, ru })) {
    assert.deepEqual(Object.keys(words).sort(), Object.keys(en).sort(), language);
    for (const [key, text] of Object.entries(en)) {
      const other = words[key as keyof typeof en];
      assert.equal(places(other), places(text), `${language} ${key}`);
      assert.notEqual(other, "", `${language} ${key}`);
    }
  }
});

test("every value that the services know has its words", () => {
  const enums = { level: EvidenceLevel, account: AccountKind, letterReason: DeadLetterReason, letterAction: DeadLetterActionKind };
  for (const [prefix, values] of Object.entries(enums)) {
    for (const name of Object.keys(values).filter((key) => Number.isNaN(Number(key)) && key !== "UNSPECIFIED")) {
      assert.ok(`${prefix}.${name}` in en, `${prefix}.${name}`);
    }
  }
  for (const name of Object.keys(CaseDecision).filter((key) => Number.isNaN(Number(key)))) assert.ok(`decision.${name}` in en, name);
});

function owned(service: "game" | "wallet", recordedAtMs: bigint, kind = "GameEnded") {
  return { service, event: create(LoggedEventSchema, { recordedAtMs, kind, eventId: `${service}${recordedAtMs}` }) };
}

test("a list of several services ends where one of them has to be read on", () => {
  const game = { events: [owned("game", 90n), owned("game", 70n)], token: "more" };
  const wallet = { events: [owned("wallet", 80n), owned("wallet", 10n)], token: "" };
  const { shown, behind } = merged({ game, wallet });
  assert.deepEqual(shown.map(({ event }) => event.recordedAtMs), [90n, 80n, 70n]);
  assert.deepEqual(behind, ["game"]);
  const whole = merged({ game: { ...game, token: "" }, wallet });
  assert.equal(whole.shown.length, 4);
  assert.deepEqual(whole.behind, []);
});

test("a run of moves is one line of a timeline", () => {
  const kinds = ["GameStarted", "MovePlayed", "MovePlayed", "DrawOffered", "MovePlayed", "GameEnded"];
  const lines = linesOf(kinds.map((kind, index) => owned("game", BigInt(index), kind)));
  assert.deepEqual(lines.map((line) => ("moves" in line ? line.moves.length : line.event.event.kind)), ["GameStarted", 2, "DrawOffered", 1, "GameEnded"]);
});
