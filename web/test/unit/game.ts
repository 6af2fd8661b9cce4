// A game from its frames, and its clocks.

import assert from "node:assert/strict";
import { test } from "node:test";

import { create } from "@bufbuild/protobuf";

import { ServerTime } from "../../src/game/server-time.ts";
import { after, clockOf, fromSnapshot, leavesGap, runningSide, type GameState } from "../../src/game/state.ts";
import { EndReason, GameResult, GameSchema, GameStatus, MoveSchema, WatchGameResponseSchema, type WatchGameResponse } from "../../src/gen/stakemate/game/v1/game_service_pb.ts";
import { Color } from "../../src/gen/stakemate/type/v1/color_pb.ts";

const START_MS = 1_000_000;

/// A game in which first moves may take so long, as in a city; none are free with 0.
function fresh(firstMoveDueMs = 20_000, timeScale = 1): GameState {
  const game = create(GameSchema, {
    firstMoveDueMs,
    timeScale,
    status: GameStatus.LIVE,
    timeControl: { baseMs: 180_000n, incrementMs: 2_000n },
    whiteClockMs: 180_000n,
    blackClockMs: 180_000n,
    serverTimeMs: BigInt(START_MS),
    deadlineMs: BigInt(START_MS + firstMoveDueMs),
  });
  return fromSnapshot(game, 1n);
}

function move(ply: number, sequence: bigint, receivedAtMs: number, clocks: [number, number]): WatchGameResponse {
  const value = create(MoveSchema, {
    ply,
    uci: "e2e4",
    receivedAtMs: BigInt(receivedAtMs),
    whiteClockMs: BigInt(clocks[0]),
    blackClockMs: BigInt(clocks[1]),
  });
  return create(WatchGameResponseSchema, { sequence, frame: { case: "move", value } });
}

test("first moves that are free run no clock but have the limit that the game's rules say", () => {
  const state = fresh();
  assert.equal(runningSide(state), Color.UNSPECIFIED);
  assert.equal(state.firstMoveDueMs, START_MS + 20_000);
  const one = after(state, move(1, 2n, START_MS + 3_000, [182_000, 180_000]));
  assert.equal(runningSide(one), Color.UNSPECIFIED);
  assert.equal(one.firstMoveDueMs, START_MS + 23_000);
  assert.equal(after(fresh(8_000), move(1, 2n, START_MS + 3_000, [182_000, 180_000])).firstMoveDueMs, START_MS + 11_000);
  const two = after(one, move(2, 3n, START_MS + 5_000, [182_000, 182_000]));
  assert.equal(runningSide(two), Color.WHITE);
  assert.equal(two.firstMoveDueMs, 0);
});

test("elsewhere White's clock starts with the game", () => {
  assert.equal(runningSide(fresh(0)), Color.WHITE);
  assert.equal(fresh(0).firstMoveDueMs, 0);
});

test("only the running clock falls, scaled, and never below nought", () => {
  let state = fresh(20_000, 30);
  state = after(state, move(1, 2n, START_MS, [182_000, 180_000]));
  state = after(state, move(2, 3n, START_MS, [182_000, 182_000]));
  assert.equal(clockOf(state, Color.WHITE, START_MS + 1_000), 152_000);
  assert.equal(clockOf(state, Color.BLACK, START_MS + 1_000), 182_000);
  assert.equal(clockOf(state, Color.WHITE, START_MS + 60_000), 0);
});

test("a frame that comes twice changes nothing, and one that leaves a gap is noticed", () => {
  const state = after(fresh(), move(1, 2n, START_MS, [182_000, 180_000]));
  assert.equal(after(state, move(1, 2n, START_MS, [182_000, 180_000])), state);
  assert.equal(leavesGap(state, move(2, 3n, START_MS, [0, 0])), false);
  assert.equal(leavesGap(state, move(3, 4n, START_MS, [0, 0])), true);
});

test("an offer lapses when the other side moves, and stays when its maker does", () => {
  const offered = create(WatchGameResponseSchema, { sequence: 2n, frame: { case: "drawOffered", value: { by: Color.WHITE } } });
  const state = after(fresh(), offered);
  const byMaker = after(state, move(1, 3n, START_MS, [0, 0]));
  assert.equal(byMaker.drawOfferBy, Color.WHITE);
  assert.equal(after(byMaker, move(2, 4n, START_MS, [0, 0])).drawOfferBy, Color.UNSPECIFIED);
});

test("an ended game keeps its last clocks still", () => {
  const ended = create(WatchGameResponseSchema, {
    sequence: 2n,
    frame: {
      case: "ended",
      value: { status: GameStatus.ENDED, result: GameResult.BLACK_WINS, endReason: EndReason.TIME, whiteClockMs: 0n, blackClockMs: 5_000n, endedAtMs: 1n },
    },
  });
  const state = after(fresh(0), ended);
  assert.equal(runningSide(state), Color.UNSPECIFIED);
  assert.equal(clockOf(state, Color.BLACK, START_MS + 99_999), 5_000);
});

test("the quickest of several frames tells the server's time", () => {
  const time = new ServerTime();
  time.note(10_000, 400);
  time.note(11_000, 1_050);
  time.note(12_000, 2_300);
  assert.equal(time.at(3_000), 3_000 + 9_950);
});
