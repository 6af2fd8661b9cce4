// Languages, amounts, clocks, moves in words, and the statement's file.

import assert from "node:assert/strict";
import { test } from "node:test";

import { create } from "@bufbuild/protobuf";

import { moveWords } from "../../src/board/words.ts";
import { Line, moveBetween, typedMove } from "../../src/game/line.ts";
import { MoneySchema, type Money } from "../../src/gen/stakemate/type/v1/money_pb.ts";
import { StatementLineSchema, TransferKind } from "../../src/gen/stakemate/wallet/v1/wallet_service_pb.ts";
import { EndReason } from "../../src/gen/stakemate/game/v1/game_service_pb.ts";
import { match } from "../../src/router-match.ts";
import { de } from "../../src/text/de.ts";
import { en } from "../../src/text/en.ts";
import { es } from "../../src/text/es.ts";
import { clock, money, plainAmount, timeControl } from "../../src/text/format.ts";
import { ru } from "../../src/text/ru.ts";
import { csvOf } from "../../src/wallet/csv.ts";

function xpl(minorUnits: bigint): Money {
  return create(MoneySchema, { minorUnits, currency: "XPL" });
}

test("every language has every text with the same places to fill", () => {
  const places = (text: string): string => [...new Set(text.match(/\{\w+\}/g))].sort().join();
  for (const [language, words] of Object.entries({ de, es, ru })) {
    assert.deepEqual(Object.keys(words).sort(), Object.keys(en).sort(), language);
    for (const [key, text] of Object.entries(en)) {
      const other = words[key as keyof typeof en];
      assert.equal(places(other), places(text), `${language} ${key}`);
      assert.equal(other === "", text.length === 0, `${language} ${key}`);
    }
  }
});

test("minor units are those of ISO 4217, which is not always what the browser shows", () => {
  const shown = (currency: string): string => plainAmount(create(MoneySchema, { minorUnits: 123_456n, currency }));
  assert.deepEqual(["XPL", "EUR", "HUF", "JPY", "KWD"].map(shown), ["1234.56", "1234.56", "1234.56", "123456", "123.456"]);
});

test("every way to end has its words", () => {
  for (const name of Object.keys(EndReason).filter((key) => Number.isNaN(Number(key)))) assert.ok(`end.${name}` in en, name);
});

test("every kind of transfer has its words", () => {
  for (const name of Object.keys(TransferKind).filter((key) => Number.isNaN(Number(key)))) assert.ok(`kind.${name}` in en, name);
});

test("amounts are exact, whatever their size", () => {
  assert.equal(money(xpl(123_456_789_012_345_678n)), "1,234,567,890,123,456.78 XPL");
  assert.equal(money(xpl(-5n), "change"), "−0.05 XPL");
  assert.equal(money(xpl(950n), "change"), "+9.50 XPL");
  assert.equal(plainAmount(xpl(-123_456n)), "-1234.56");
});

test("a clock shows tenths under twenty seconds and rounds up above", () => {
  assert.equal(clock(180_000), "3:00");
  assert.equal(clock(179_001), "3:00");
  assert.equal(clock(20_000), "0:20");
  assert.equal(clock(19_999), "0:19.9");
  assert.equal(clock(50), "0:00.0");
  assert.equal(clock(3_600_000), "1:00:00");
});

test("a time control reads as its pool is called", () => {
  assert.equal(timeControl({ baseMs: 180_000n, incrementMs: 2_000n } as never), "3+2");
  assert.equal(timeControl(undefined), "∞");
});

test("moves are spelt out", () => {
  assert.equal(moveWords("Nbxd7+"), "knight b takes d7, check");
  assert.equal(moveWords("exd8=Q#"), "pawn e takes d8 becomes queen, checkmate");
  assert.equal(moveWords("O-O-O"), "castles queenside");
});

test("typed moves are understood in both notations", () => {
  const line = new Line();
  line.follow(["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5"]);
  const here = line.at(6);
  assert.equal(typedMove(here, "0-0", false), "e1g1");
  assert.equal(typedMove(here, "O-O", false), "e1g1");
  assert.equal(typedMove(here, "nc3", false), "b1c3");
  assert.equal(typedMove(here, "b4", false), "b2b4");
  assert.equal(typedMove(here, "c4f7", false), "c4f7");
  assert.equal(typedMove(here, "Qh5", false), null);
  assert.equal(typedMove(here, "", false), null);
});

test("a king dropped on its rook castles, and a pawn on the last rank asks for a piece", () => {
  const line = new Line();
  line.follow(["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5"]);
  assert.deepEqual(moveBetween(line.at(6), "e1", "h1"), { uci: "e1g1", promotes: false });
  const promoting = new Line();
  promoting.follow(["h2h4", "g7g5", "h4g5", "h7h6", "g5h6", "f8g7", "h6g7", "g8f6"]);
  assert.deepEqual(moveBetween(promoting.at(8), "g7", "h8"), { uci: "g7h8", promotes: true });
  assert.equal(typedMove(promoting.at(8), "gxh8=N", false), "g7h8n");
  assert.equal(typedMove(promoting.at(8), "g7h8", false), null);
  assert.equal(typedMove(promoting.at(8), "g7h8", true), "g7h8q");
});

test("the statement's file has a row a line and exact amounts", () => {
  const line = create(StatementLineSchema, {
    transferId: "t",
    kind: TransferKind.PAYOUT,
    availableChange: xpl(950n),
    heldChange: xpl(-500n),
    availableAfter: xpl(100_450n),
    fee: xpl(50n),
    matchId: "m",
    gameId: "g",
    recordedAtMs: 0n,
  });
  const [headings, row] = csvOf([line]).split("\r\n");
  assert.equal(headings, "time,kind,currency,available_change,held_change,available_after,fee,match_id,game_id,transfer_id");
  assert.equal(row, "1970-01-01T00:00:00.000Z,payout,XPL,9.50,-5.00,1004.50,0.50,m,g,t");
});

test("addresses are taken apart", () => {
  assert.deepEqual(match("/game/:id", "/game/7"), { id: "7" });
  assert.deepEqual(match("/play/:city/:control", "/play/paris/3+2/"), { city: "paris", control: "3+2" });
  assert.equal(match("/game/:id", "/game/"), null);
  assert.deepEqual(match("/", "/"), {});
});
