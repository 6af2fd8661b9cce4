// Rules, two on one device, limits, profile, settings and the queue's estimate.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";

import type { Browser, Page } from "playwright-core";

import { LimitKind } from "../../src/gen/stakemate/wallet/v1/limit_kind_pb.ts";
import { EligibleAction } from "../../src/gen/stakemate/wallet/v1/wallet_service_pb.ts";
import { browser, closeBrowsers, signedUp, visit, type Seat } from "../support/browsers.ts";
import { clickMove, FOOLS_MATE, paired, playAll, REPETITION, seesPlies } from "../support/play.ts";
import { asPlayer, games } from "../support/services.ts";

let browsers: [Browser, Browser];
before(async () => {
  browsers = [await browser(), await browser()];
});
after(closeBrowsers);

test("the rules page is made of the rule sets that the service tells", async () => {
  const seat = await visit(browsers[0]);
  await seat.page.goto("/rules");
  await seat.page.waitForSelector("thead [data-set=fide]");
  const { ruleSets } = await games.listRuleSets({});
  assert.equal(await seat.page.locator("thead [data-set]").count(), ruleSets.length);
  const cell = (set: string, line: string): Promise<string> => seat.page.innerText(`td[data-set=${set}][data-line="${line}"]`);
  assert.equal(await cell("city", "rule.clocks"), "3+2, 5+0, 10+0");
  assert.match(await cell("fide", "rule.repetition"), /claimed/);
  assert.match(await cell("city", "rule.leaving"), /60 s/);
  assert.match(await cell("table", "rule.leaving"), /180 s/);
  assert.equal(await cell("solo", "rule.flag"), "–");
  // On a phone one set is shown, and another is one press away.
  await seat.page.setViewportSize({ width: 390, height: 844 });
  assert.equal(await seat.page.locator("thead [data-set]:visible").count(), 1);
  await seat.page.click(".phone-only >> text=FIDE");
  assert.ok(await seat.page.isVisible("thead [data-set=fide]"));
  assert.deepEqual(seat.faults, []);
});

/// Plays on the one board, whichever side is at the bottom.
async function playBoth(seat: Seat, ucis: string[], from = 0): Promise<void> {
  for (const [index, uci] of ucis.entries()) {
    await seesPlies(seat, from + index);
    await clickMove(seat, uci);
    await seesPlies(seat, from + index + 1);
  }
}

async function fileOf(page: Page, button: string): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(button)]);
  return readFile((await download.path())!, "utf8");
}

test("two people play on one device without an account: the board turns, a reload keeps the game, a mate ends it", async () => {
  const seat = await visit(browsers[0]);
  const { page } = seat;
  await page.goto("/tables");
  await page.click("text=Two people at this device");
  await page.waitForSelector(".two");
  await playBoth(seat, FOOLS_MATE.slice(0, 3));
  assert.equal(await page.getAttribute(".play-area > .bar:last-child", "data-side"), "black");
  await page.reload();
  await seesPlies(seat, 3);
  await page.click("text=Take back");
  await seesPlies(seat, 2);
  await page.fill("#move-input", "g4");
  await page.press("#move-input", "Enter");
  await playBoth(seat, FOOLS_MATE.slice(3), 3);
  await page.waitForSelector(".result[data-reason=CHECKMATE] >> text=Black wins");
  assert.match(await fileOf(page, "text=Download PGN"), /1\. f3 e5 2\. g4 Qh4# 0-1/);
  await page.click("text=New game");
  await seesPlies(seat, 0);
  await page.uncheck("input[name=turning]");
  await playBoth(seat, REPETITION);
  await page.waitForSelector(".result[data-reason=THREEFOLD]");
  assert.equal(await page.getAttribute(".play-area > .bar:last-child", "data-side"), "white");
  assert.deepEqual(seat.faults, []);
});

test("two on one device agree on a draw or give up, and the board is played by keys", async () => {
  const seat = await visit(browsers[0]);
  const { page } = seat;
  await page.goto("/two");
  await page.focus(".board");
  for (const key of ["ArrowUp", "ArrowUp", "Enter", "ArrowUp", "ArrowUp", "Enter"]) await page.keyboard.press(key);
  await seesPlies(seat, 1);
  await page.click("text=Agree on a draw");
  await page.click("dialog .buttons button >> nth=0");
  await page.waitForSelector(".result[data-reason=AGREEMENT]");
  await page.click("text=New game");
  await page.click("text=Resign");
  await page.click("dialog button.danger");
  await page.waitForSelector(".result[data-reason=RESIGNATION] >> text=Black wins");
});

test("a limit counts as the service has it: a lower one at once, a higher one later", async () => {
  const seat = await signedUp(browsers[0], "limit");
  const { page } = seat;
  await page.goto("/wallet");
  const row = "[data-limit=LOSS_DAY]";
  const set = async (amount: string): Promise<void> => {
    await page.click(`${row} >> text=Change`);
    await page.fill(`${row} input`, amount);
    await page.click(`${row} >> text=Set limit`);
  };
  await set("50");
  await page.waitForSelector(`${row}[data-now="5000"]`);
  await set("a lot");
  await page.waitForSelector(`${row} >> text=That is no amount`);
  await page.click(`${row} >> text=Cancel`);
  await set("80,5");
  await page.waitForSelector(`${row} [data-next="8050"]`);
  const player = await asPlayer(seat.name);
  const { limits } = await player.wallet.getStanding({});
  const limit = limits.find((one) => one.kind === LimitKind.LOSS_DAY)!;
  assert.deepEqual([limit.limitMinorUnits, limit.isChanging, limit.nextLimitMinorUnits], [5000n, true, 8050n]);
  assert.deepEqual(seat.faults, []);
});

test("excluding oneself asks twice, stands, and closes the staked games", async () => {
  const seat = await signedUp(browsers[0], "stop");
  const { page } = seat;
  await page.goto("/wallet");
  await page.check(".exclusion input[value='365']");
  await page.click(".exclusion >> text=Exclude me");
  await page.waitForSelector("dialog[open]");
  assert.ok(await page.isDisabled("dialog button.danger"));
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
  await page.click(".exclusion >> text=Exclude me");
  await page.check("dialog input[name=understood]");
  await page.click("dialog button.danger");
  await page.waitForSelector(".excluded");
  const player = await asPlayer(seat.name);
  const standing = await player.wallet.getStanding({});
  assert.ok(standing.isExcluded);
  const stake = { minorUnits: 500n, currency: "XPL" };
  await assert.rejects(player.wallet.checkEligibility({ action: EligibleAction.PLAY, amount: stake }), /eligible|excluded/i);
  assert.equal(await page.getAttribute(".excluded", "data-until"), standing.excludedUntilMs.toString());
  await page.reload();
  await page.waitForSelector(".excluded");
});

test("a profile's games are filtered, and its statistics are those of the games", async () => {
  const pair = await paired(browsers);
  await playAll(pair, FOOLS_MATE);
  const winner = await asPlayer(pair.black.name);
  await pair.white.page.goto(`/player/${winner.id}`);
  const { page } = pair.white;
  await page.waitForSelector(".statistics[data-games='1'] [data-won='1']");
  await page.waitForSelector(".played li[data-outcome=won]");
  await page.selectOption("select[name=kind]", "whiteWon");
  await page.waitForSelector(".played-games .empty");
  await page.selectOption("select[name=kind]", "blackWon");
  await page.check("input[name=against]");
  await page.waitForSelector(".played li[data-outcome=won]");
  await page.selectOption("select[name=days]", "7");
  await page.waitForSelector(".played li[data-outcome=won]");
  await page.waitForSelector(".rating-graph");
  await page.click(".rating-history >> text=30 days");
  await page.waitForSelector(".rating-graph");
});

test("the board in space is played like the flat one, and the choice is kept", async () => {
  const seat = await visit(browsers[0]);
  const { page } = seat;
  await page.goto("/settings");
  await page.check("input[name=view][value=space]");
  await page.check("input[name=pieces][value=turned]");
  await page.goto("/two");
  await page.waitForSelector("html[data-view=space] .board piece");
  await page.waitForFunction(() => {
    const box = document.querySelector(".board cg-board")?.getBoundingClientRect();
    // Seen at a slant.
    return box !== undefined && box.height > 0 && box.height < box.width * 0.9;
  });
  await playBoth(seat, ["e2e4", "e7e5", "g1f3"]);
  const sheet = await page.evaluate(() => getComputedStyle(document.querySelector(".board piece")!).backgroundImage);
  assert.match(sheet, /^url\("data:image\/svg/);
  assert.deepEqual([seat.faults, seat.foreign], [[], []]);
});

test("a replay runs at the game's own speed or quicker", async () => {
  const pair = await paired(browsers);
  await playAll(pair, FOOLS_MATE);
  const { page } = pair.white;
  await page.goto(`/replay/${pair.gameId}#0`);
  await page.waitForSelector(".replay[data-ply='0']");
  await page.check(".speed input[value=even]");
  await page.click(".look .wide");
  await page.waitForSelector(".replay[data-ply='1']");
  await page.check(".speed input[value=quick]");
  await page.waitForSelector(".replay[data-ply='4']");
});

test("after some pairings the queue says how long one usually waits", async () => {
  for (let game = 0; game < 5; game += 1) {
    const pair = await paired(browsers, "havana", "10+0");
    await Promise.all([pair.white, pair.black].map((seat) => seat.context.close()));
  }
  const seat = await signedUp(browsers[0], "wait");
  await seat.page.goto("/play/havana/10+0");
  await seat.page.waitForSelector(".estimate[data-estimate]");
  await seat.page.click("text=Leave the queue");
});

test("on a phone every page is one press from the menu", async () => {
  const seat = await visit(browsers[0], { viewport: { width: 390, height: 844 }, hasTouch: true });
  await seat.page.goto("/");
  for (const [name, address] of [["Tables", "/tables"], ["Leaderboards", "/leaderboards"], ["Rules", "/rules"], ["Settings", "/settings"]] as const) {
    await seat.page.click("button[aria-controls=pages]");
    await seat.page.click(`nav >> text=${name}`);
    await seat.page.waitForURL(`**${address}`);
    await seat.page.waitForSelector("nav#pages[data-open=no]", { state: "attached" });
  }
});

test("the entrance shows the best running game as it is played, and another one when it is over", async () => {
  const pair = await paired(browsers);
  const seat = await visit(browsers[0]);
  await seat.page.goto("/");
  await seat.page.waitForSelector(".featured[data-game] .board piece");
  // Others may be running too: what is shown is what the service says.
  const shown = (await seat.page.getAttribute(".featured", "data-game"))!;
  const told = games.watchFeatured({})[Symbol.asyncIterator]();
  const { value } = await told.next();
  assert.equal(value.frame.case === "game" && value.frame.value.gameId, shown);
  await told.return?.();
  await playAll(pair, ["e2e4"]);
  if (shown === pair.gameId) await seat.page.waitForFunction(() => /4P3/.test(document.querySelector(".featured .board")!.getAttribute("data-fen")!));
  await playAll(pair, ["e7e5", "d1h5", "e8e7", "h5e5"], 1);
  await seat.page.waitForFunction((id) => document.querySelector(".featured")?.getAttribute("data-game") !== id, pair.gameId);
  assert.deepEqual(seat.faults, []);
});
