// Games that are decided here, claims, statistics, and amounts that are typed.

import assert from "node:assert/strict";
import { test } from "node:test";

import { create } from "@bufbuild/protobuf";

import { claimAt, Line } from "../../src/game/line.ts";
import { statisticsOf } from "../../src/game/statistics.ts";
import { endAt, pgnOf } from "../../src/game/two.ts";
import { EndReason, GameResult, GameStatus, GameSummarySchema, type GameSummary } from "../../src/gen/stakemate/game/v1/game_service_pb.ts";
import { typedAmount } from "../../src/wallet/amount.ts";

function lineOf(text: string): Line {
  const line = new Line();
  line.follow(text.split(" "));
  return line;
}

const SHUFFLE = "g1f3 g8f6 f3g1 f6g8";

// A01: the third time, the start position counted as the first.
test("the third time that a position stands draws on one device and may be claimed elsewhere", () => {
  const line = lineOf(`${SHUFFLE} ${SHUFFLE}`);
  assert.equal(line.timesAt(4), 2);
  assert.deepEqual([endAt(line, 4), claimAt(line, 4)], [null, null]);
  assert.deepEqual(endAt(line, 8), { result: GameResult.DRAW, reason: EndReason.THREEFOLD });
  assert.equal(claimAt(line, 8), "threefold");
});

// A02: an en-passant right that nobody can use makes no other position.
test("a double push beside no enemy pawn leaves the position the same", () => {
  const line = lineOf("e2e4 g8f6 g1f3 f6g8 f3g1 g8f6 g1f3 f6g8 f3g1");
  assert.equal(line.timesAt(9), 3);
});

test("lost castling rights make another position", () => {
  const line = lineOf("e2e4 e7e5 e1e2 e8e7 e2e1 e7e8 e1e2 e8e7 e2e1 e7e8");
  assert.equal(line.timesAt(6), 1, "the kings are back, their rights are not");
  assert.equal(line.timesAt(10), 2);
});

test("a mate is a win, whoever is on move", () => {
  assert.deepEqual(endAt(lineOf("f2f3 e7e5 g2g4 d8h4"), 4), { result: GameResult.BLACK_WINS, reason: EndReason.CHECKMATE });
});

test("a stalemate draws", () => {
  const line = lineOf("e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 f7g6 c8e6");
  assert.deepEqual(endAt(line, 19), { result: GameResult.DRAW, reason: EndReason.STALEMATE });
});

test("a game of two is written as PGN", () => {
  const ucis = "f2f3 e7e5 g2g4 d8h4".split(" ");
  const line = lineOf(ucis.join(" "));
  const pgn = pgnOf(line, ucis, endAt(line, 4), new Date(Date.UTC(2030, 0, 2)));
  assert.match(pgn, /\[Date "2030\.01\.02"\]/);
  assert.match(pgn, /\[Result "0-1"\]\n\n1\. f3 e5 2\. g4 Qh4# 0-1\n$/);
  assert.match(pgnOf(line, ucis.slice(0, 1), null, new Date(0)), /1\. f3 \*\n$/);
});

function played(white: string, result: GameResult, plies: number, status = GameStatus.ENDED): GameSummary {
  const black = white === "me" ? "other" : "me";
  return create(GameSummarySchema, { white: { playerId: white }, black: { playerId: black }, result, status, plies, endReason: EndReason.CHECKMATE });
}

test("statistics count what has a result, by side", () => {
  const games = [
    played("me", GameResult.WHITE_WINS, 40),
    played("me", GameResult.DRAW, 20),
    played("other", GameResult.WHITE_WINS, 60),
    played("other", GameResult.UNSPECIFIED, 0, GameStatus.ABORTED),
    played("me", GameResult.UNSPECIFIED, 0, GameStatus.LIVE),
  ];
  const found = statisticsOf(games, "me");
  assert.deepEqual(found.all, { won: 1, drawn: 1, lost: 1 });
  assert.deepEqual(found.white, { won: 1, drawn: 1, lost: 0 });
  assert.deepEqual(found.black, { won: 0, drawn: 0, lost: 1 });
  assert.equal(found.plies, 40);
  assert.deepEqual(found.endings, [[EndReason.CHECKMATE, 3]]);
});

test("a typed amount is exact or none", () => {
  assert.equal(typedAmount("12,5", 2), 1250n);
  assert.equal(typedAmount(" 1 000.07 ", 2), 100007n);
  assert.equal(typedAmount("0", 2), 0n);
  for (const text of ["", "1.234", "-5", "1e3", "ten"]) assert.equal(typedAmount(text, 2), null, text);
});
