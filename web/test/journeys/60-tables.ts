// House tables: by link and from the list, watched, played at again, drawn by claim, and left.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import type { Browser } from "playwright-core";

import { EndReason } from "../../src/gen/stakemate/game/v1/game_service_pb.ts";
import { browser, closeBrowsers, signedUp, visit, type Seat } from "../support/browsers.ts";
import { clickMove, FOOLS_MATE, playAll, REPETITION, seesPlies } from "../support/play.ts";
import { asPlayer, games, ratings } from "../support/services.ts";
import { inGame, openTable, seatedPair } from "../support/tables.ts";

let browsers: [Browser, Browser];
before(async () => {
  browsers = [await browser(), await browser()];
});
after(closeBrowsers);

function clean(...seats: Seat[]): void {
  for (const seat of seats) {
    assert.deepEqual(seat.faults, []);
    assert.deepEqual(seat.foreign, [], "a page asked another origin");
  }
}

test("a table by link: it is in no list, whoever has the link sits down, and a spectator without an account sees every move", async () => {
  const host = await signedUp(browsers[0], "host");
  const address = await openTable(host, { byLink: true });
  const watcher = await visit(browsers[0]);
  await watcher.page.goto("/tables");
  await watcher.page.waitForSelector(".open-tables, .empty");
  const id = new URL(address).pathname.split("/")[2]!;
  assert.equal(await watcher.page.locator(`[data-table="${id}"]`).count(), 0);
  await watcher.page.goto(address);
  await watcher.page.waitForSelector("text=Sign in to sit down");
  const guest = await signedUp(browsers[1], "guest");
  await guest.page.goto(address);
  await guest.page.click("text=Sit down and play");
  const pair = await inGame([host, guest]);
  await watcher.page.waitForURL(`**/game/${pair.gameId}`);
  await playAll(pair, FOOLS_MATE.slice(0, 2));
  await seesPlies(watcher, 2);
  assert.equal(await watcher.page.locator(".actions, #move-input").count(), 0);
  await playAll(pair, FOOLS_MATE.slice(2), 2);
  await watcher.page.waitForSelector(".result >> text=Black wins");
  await pair.black.page.waitForSelector(".result[data-outcome=won]");
  const { game } = await games.getGame({ gameId: pair.gameId });
  assert.equal(game!.tableId, id);
  assert.equal(await pair.black.page.getAttribute(".rated", "data-before"), "1000");
  clean(host, guest, watcher);
});

test("a public table appears in the list without a reload, and signing in leads back to the seat", async () => {
  const guest = await visit(browsers[1]);
  await guest.page.goto("/tables");
  await guest.page.waitForSelector("text=Open tables");
  const host = await signedUp(browsers[0], "host");
  const address = await openTable(host, { rules: "match", clock: "custom" });
  const id = new URL(address).pathname.split("/")[2]!;
  await guest.page.click(`[data-table="${id}"] a`);
  await guest.page.click("text=Sign in to sit down");
  await guest.page.click("text=Create account");
  guest.name = `late${Date.now().toString(36).slice(-7)}`;
  await guest.page.fill("input[name=name]", guest.name);
  await guest.page.fill("input[name=password]", "correct horse battery");
  await guest.page.click("button[type=submit]");
  await guest.page.click("text=Sit down and play");
  const pair = await inGame([host, guest]);
  const { game } = await games.getGame({ gameId: pair.gameId });
  assert.deepEqual([game!.ruleSet, game!.timeControl!.baseMs, game!.timeControl!.incrementMs, game!.rated], ["match", 1_200_000n, 5_000n, false]);
  clean(host, guest);
});

test("a rematch is offered and accepted, with colours swapped, and the spectator is shown the way", async () => {
  const pair = await seatedPair(browsers);
  const watcher = await visit(browsers[0]);
  await watcher.page.goto(`/game/${pair.gameId}`);
  await playAll(pair, FOOLS_MATE);
  await pair.white.page.click("text=Offer a rematch");
  await pair.white.page.waitForSelector(".rematch[data-offer=mine]");
  await pair.black.page.waitForSelector(".rematch[data-offer=theirs]");
  await pair.black.page.click(".rematch >> text=Decline");
  await pair.white.page.waitForSelector(".rematch[data-offer=none]");
  await pair.black.page.click("text=Offer a rematch");
  await pair.white.page.click(".rematch .offer >> text=Accept");
  const next = await inGame([pair.white, pair.black], pair.gameId);
  assert.notEqual(next.gameId, pair.gameId);
  assert.equal(next.white, pair.black);
  await watcher.page.click("text=To the next game at this table");
  await watcher.page.waitForURL(`**/game/${next.gameId}`);
  await playAll(next, ["e2e4"]);
  await seesPlies(watcher, 1);
  clean(pair.white, pair.black, watcher);
});

test("offers of a rematch that cross agree, and one game begins", async () => {
  const pair = await seatedPair(browsers);
  await playAll(pair, FOOLS_MATE);
  await Promise.all([pair.white, pair.black].map((seat) => seat.page.waitForSelector("text=Offer a rematch")));
  // Both press the first button at once. It offers; for the slower of the two it may accept by then.
  await Promise.all([pair.white, pair.black].map((seat) => seat.page.click(".rematch button >> nth=0")));
  const next = await inGame([pair.white, pair.black], pair.gameId);
  const { games: between } = await games.listGames({ playerId: (await asPlayer(next.white.name)).id });
  assert.equal(between.length, 2);
});

test("between games the table's own page offers the rematch too", async () => {
  const pair = await seatedPair(browsers);
  await playAll(pair, FOOLS_MATE);
  await Promise.all([pair.white, pair.black].map((seat) => seat.page.goto(pair.address)));
  await pair.white.page.click(".table-page >> text=Offer a rematch");
  await pair.black.page.click(".rematch .offer >> text=Accept");
  const next = await inGame([pair.white, pair.black], pair.gameId);
  assert.equal(next.white, pair.black);
});

test("in a fide game a draw is claimed once there is one to claim, and not before", async () => {
  const pair = await seatedPair(browsers, { rules: "fide", clock: "10+5" });
  await playAll(pair, REPETITION.slice(0, 6));
  assert.ok(await pair.white.page.isDisabled(".claim button"));
  await playAll(pair, REPETITION.slice(6), 6);
  // By itself nothing ends here; both sides may claim, Black for his own move and White being on move.
  await pair.black.page.waitForSelector(".claim[data-claim=threefold]");
  await pair.white.page.waitForSelector(".claim[data-claim=threefold]");
  await pair.white.page.waitForFunction(() => /may claim a draw/.test(document.querySelector("[data-spoken=polite]")!.textContent!));
  await pair.white.page.click(".claim button");
  await pair.white.page.click("dialog >> text=Cancel");
  await pair.white.page.click(".claim button");
  await pair.white.page.click("dialog .buttons button >> nth=0");
  for (const seat of [pair.white, pair.black]) {
    await seat.page.waitForSelector(".result[data-outcome=drawn] >> text=Threefold repetition was claimed");
  }
  const { game } = await games.getGame({ gameId: pair.gameId });
  assert.equal(game!.endReason, EndReason.CLAIM_THREEFOLD);
  clean(pair.white, pair.black);
});

test("a claim is open to who made the move, until the opponent replies", async () => {
  const pair = await seatedPair(browsers, { rules: "fide", clock: "untimed" });
  await playAll(pair, REPETITION);
  await pair.white.page.waitForSelector(".claim[data-claim=threefold]");
  await playAll(pair, ["e2e4"], 8);
  await pair.black.page.waitForSelector(".claim[data-claim=none]");
  await playAll(pair, ["e7e5", "g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8"], 9);
  await pair.black.page.click(".claim button");
  await pair.black.page.click("dialog .buttons button >> nth=0");
  await pair.white.page.waitForSelector(".result[data-outcome=drawn] >> text=claimed");
});

test("leaving the table asks, loses the game, and breaks the table up", async () => {
  const pair = await seatedPair(browsers, { clock: "untimed" });
  await playAll(pair, ["e2e4", "e7e5"]);
  await pair.white.page.click("text=Leave the table");
  await pair.white.page.click("dialog button.danger");
  await pair.white.page.waitForURL("**/tables");
  await pair.black.page.waitForSelector(".result[data-outcome=won] >> text=A player left the table");
  await pair.black.page.waitForSelector("text=The table has broken up");
  clean(pair.white, pair.black);
});

test("who goes away is shown as away on the other screen, and as back when he comes", async () => {
  const pair = await seatedPair(browsers, { clock: "untimed" });
  await playAll(pair, ["e2e4"]);
  const { page } = pair.black;
  const address = page.url();
  await page.goto("about:blank");
  // Black is on move in a rated game without clocks: being away too long loses, and the screen counts down to that.
  await pair.white.page.waitForSelector("[data-away=black][data-seconds]");
  const seconds = Number(await pair.white.page.getAttribute("[data-away=black]", "data-seconds"));
  assert.ok(seconds > 150 && seconds <= 180, `${seconds} s`);
  assert.equal(await pair.white.page.getAttribute(".bar[data-side=black]", "data-away"), "yes");
  await page.goto(address);
  await pair.white.page.waitForSelector(".away", { state: "detached" });
  await clickMove(pair.black, "e7e5");
  await seesPlies(pair.white, 2);
});

test("rated games at tables make a leaderboard that anybody reads", async () => {
  const pair = await seatedPair(browsers);
  await playAll(pair, FOOLS_MATE);
  await pair.black.page.waitForSelector(".rated[data-after]");
  const winner = await asPlayer(pair.black.name);
  const seat = await visit(browsers[0]);
  await seat.page.goto("/leaderboards/table");
  const { entries } = await ratings.listLeaderboard({ pool: "table", pageSize: 50 });
  await seat.page.waitForSelector(`.leaders tr[data-player="${entries[0]!.player!.playerId}"]`);
  assert.equal(await seat.page.locator(".leaders tbody tr").count(), entries.length);
  await pair.black.page.goto("/leaderboards/table");
  const place = await ratings.getLeaderboardPlace({ pool: "table", playerId: winner.id, neighbours: 3 });
  await pair.black.page.waitForSelector(`.own-place[data-place="${place.place}"]`);
  await pair.black.page.waitForSelector(`.leaders tr[data-own=yes][data-player="${winner.id}"]`);
  await pair.black.page.click("nav.options >> text=3+2");
  await pair.black.page.waitForSelector("text=You are not listed here yet");
  clean(seat, pair.black);
});
