// From the sign-up to the payout.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import type { Browser } from "playwright-core";

import { browser, closeBrowsers, type Seat } from "../support/browsers.ts";
import { FOOLS_MATE, paired, playAll, REPETITION, seesPlies, type Pair } from "../support/play.ts";
import { asPlayer, logOf, ratings } from "../support/services.ts";

let browsers: [Browser, Browser];
before(async () => {
  browsers = [await browser(), await browser()];
});
after(closeBrowsers);

/// What a screen says of money and rating after a game, against what the services say.
async function settlesAsTheServicesSay(seat: Seat, gameId: string): Promise<void> {
  const { page } = seat;
  await page.waitForSelector(".settlement [data-net]");
  await page.waitForSelector(".rated[data-after]");
  const player = await asPlayer(seat.name);
  const { balances } = await player.wallet.getBalance({});
  const shown = await page.getAttribute(".settlement [data-after]", "data-after");
  assert.equal(shown, balances[0]!.available!.minorUnits.toString());
  const { lines } = await player.wallet.listStatement({ pageSize: 100 });
  const own = lines.filter((line) => line.gameId === gameId || line.kind === 2);
  const net = own.reduce((sum, line) => sum + line.availableChange!.minorUnits, 0n);
  assert.equal(await page.getAttribute(".settlement [data-net]", "data-net"), net.toString());
  const { changes } = await ratings.listRatingHistory({ playerId: player.id, pool: "3+2" });
  assert.equal(changes[0]!.gameId, gameId);
  assert.equal(await page.getAttribute(".rated", "data-after"), String(changes[0]!.after!.rating));
  assert.equal(await page.getAttribute(".rated", "data-before"), String(changes[0]!.before!.rating));
}

function clean(...pairs: Pair[]): void {
  for (const { white, black } of pairs) {
    for (const seat of [white, black]) {
      assert.deepEqual(seat.faults, []);
      assert.deepEqual(seat.foreign, [], "a page asked another origin");
    }
  }
}

test("two people sign up, queue, play to mate, and see payout and rating as the services have them", async () => {
  const pair = await paired(browsers);
  await playAll(pair, FOOLS_MATE);
  await pair.black.page.waitForSelector(".result[data-outcome=won]");
  await pair.white.page.waitForSelector(".result[data-outcome=lost]");
  await settlesAsTheServicesSay(pair.black, pair.gameId);
  await settlesAsTheServicesSay(pair.white, pair.gameId);
  assert.deepEqual(await logOf(pair.gameId), FOOLS_MATE);
  clean(pair);
});

test("a threefold repetition draws and gives both stakes back", async () => {
  const pair = await paired(browsers);
  await playAll(pair, REPETITION);
  for (const seat of [pair.white, pair.black]) {
    await seat.page.waitForSelector(".result[data-outcome=drawn]");
    assert.match(await seat.page.innerText(".result"), /third time/);
    await settlesAsTheServicesSay(seat, pair.gameId);
    assert.equal(await seat.page.getAttribute(".settlement [data-net]", "data-net"), "0");
  }
  clean(pair);
});

test("an offered draw is accepted on the other screen", async () => {
  const pair = await paired(browsers);
  await playAll(pair, ["e2e4", "e7e5"]);
  await pair.white.page.click("text=Offer a draw");
  await pair.white.page.click("dialog button:has-text('Offer a draw')");
  await pair.white.page.waitForSelector("text=Draw offers left: 2");
  await pair.black.page.click(".offer >> text=Accept");
  for (const seat of [pair.white, pair.black]) {
    await seat.page.waitForSelector(".result[data-outcome=drawn] >> text=By agreement");
  }
  clean(pair);
});

test("a declined draw offer leaves the game going", async () => {
  const pair = await paired(browsers);
  await playAll(pair, ["e2e4", "e7e5"]);
  await pair.black.page.click("text=Offer a draw");
  await pair.black.page.click("dialog button:has-text('Offer a draw')");
  await pair.white.page.click(".offer >> text=Decline");
  await pair.white.page.waitForSelector(".offer", { state: "detached" });
  await playAll(pair, ["g1f3"], 2);
  clean(pair);
});

test("resigning asks first, and then the opponent has won", async () => {
  const pair = await paired(browsers);
  await playAll(pair, ["e2e4", "e7e5"]);
  await pair.white.page.click("text=Resign");
  await pair.white.page.click("dialog >> text=Cancel");
  await pair.white.page.waitForSelector("dialog", { state: "detached" });
  assert.equal(await pair.white.page.locator(".result").count(), 0);
  await pair.white.page.click("text=Resign");
  await pair.white.page.click("dialog button.danger");
  await pair.white.page.waitForSelector(".result[data-outcome=lost]");
  await pair.black.page.waitForSelector(".result[data-outcome=won]");
  clean(pair);
});

test("a first move that does not come aborts the game and the stakes go back", async () => {
  const pair = await paired(browsers, "paris");
  assert.match(await pair.white.page.innerText(".first-move"), /first move within \d+ s/);
  await pair.white.page.waitForSelector(".result[data-outcome=aborted]", { timeout: 40_000 });
  for (const seat of [pair.white, pair.black]) {
    await seat.page.waitForSelector(".result[data-outcome=aborted]");
    await seat.page.waitForSelector(".settlement [data-net='0']");
    const player = await asPlayer(seat.name);
    const { balances } = await player.wallet.getBalance({});
    assert.equal(balances[0]!.held!.minorUnits, 0n);
  }
  clean(pair);
});

test("a flag falls by the server's clock, and both screens show it at nought", async () => {
  const pair = await paired(browsers, "greenwich");
  await playAll(pair, ["e2e4", "e7e5"]);
  await pair.white.page.waitForSelector(".result[data-outcome=lost] >> text=On time", { timeout: 40_000 });
  await pair.black.page.waitForSelector(".result[data-outcome=won]");
  const clock = await pair.white.page.innerText(".bar[data-side=white] .clock");
  assert.equal(clock, "0:00.0");
  assert.equal(await pair.black.page.innerText(".bar[data-side=white] .clock"), clock);
  clean(pair);
});

test("from the result the next opponent is one click away", async () => {
  const pair = await paired(browsers);
  // A draw leaves both ratings where they were, so that the two may meet again.
  await playAll(pair, REPETITION);
  await Promise.all([pair.white, pair.black].map((seat) => seat.page.click("text=Next opponent")));
  const another = (url: URL): boolean => url.pathname.startsWith("/game/") && !url.pathname.endsWith(pair.gameId);
  await Promise.all([pair.white, pair.black].map((seat) => seat.page.waitForURL(another)));
  await Promise.all([pair.white, pair.black].map((seat) => seesPlies(seat, 0)));
  assert.ok(!pair.white.page.url().includes(pair.gameId));
  clean(pair);
});

