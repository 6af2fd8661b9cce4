// Accounts, wallet, profile, queue and replay.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";

import type { Browser, Page } from "playwright-core";

import { browser, closeBrowsers, EDGE, PASSWORD, signedUp, visit } from "../support/browsers.ts";
import { FOOLS_MATE, paired, playAll, seesPlies, type Pair } from "../support/play.ts";
import { asPlayer, games, ratings } from "../support/services.ts";

let browsers: [Browser, Browser];
/// A finished game that several journeys look back on; Black has won.
let finished: Pair;
before(async () => {
  browsers = [await browser(), await browser()];
  finished = await paired(browsers);
  await playAll(finished, FOOLS_MATE);
  await finished.black.page.waitForSelector(".settlement [data-net]");
  await finished.black.page.waitForSelector(".rated[data-after]");
});
after(closeBrowsers);

async function fileOf(page: Page, button: string): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(button)]);
  return { name: download.suggestedFilename(), text: await readFile((await download.path())!, "utf8") };
}

test("a wrong password and a taken name are said plainly", async () => {
  const seat = await visit(browsers[0]);
  await seat.page.goto("/sign-in");
  await seat.page.fill("input[name=name]", finished.white.name);
  await seat.page.fill("input[name=password]", "not the password");
  await seat.page.click("button[type=submit]");
  await seat.page.waitForSelector("[data-reason=CREDENTIALS_WRONG]");
  await seat.page.goto("/sign-up");
  await seat.page.fill("input[name=name]", finished.white.name.toUpperCase());
  await seat.page.fill("input[name=password]", PASSWORD);
  await seat.page.click("button[type=submit]");
  await seat.page.waitForSelector("[data-reason=NAME_TAKEN]");
});

test("a page that needs a player asks for the sign-in and then appears", async () => {
  const seat = await visit(browsers[0]);
  await seat.page.goto("/wallet");
  await seat.page.fill("input[name=name]", finished.white.name);
  await seat.page.fill("input[name=password]", PASSWORD);
  await seat.page.click("button[type=submit]");
  await seat.page.waitForSelector("[data-available]");
  assert.ok(seat.page.url().endsWith("/wallet"));
});

test("tabs share a session, refresh in turn, and leave together", async () => {
  const seat = await signedUp(browsers[0], "tabs");
  const second = await seat.context.newPage();
  await Promise.all([seat.page.goto("/wallet"), second.goto("/wallet")]);
  await Promise.all([seat.page.waitForSelector("[data-available]"), second.waitForSelector("[data-available]")]);
  // Every load below has no access token at hand, so each has to use the refresh token, several at once.
  for (let round = 0; round < 3; round += 1) {
    for (const page of [seat.page, second]) {
      await page.evaluate(() => window.addEventListener("pagehide", () => setTimeout(() => undefined)));
      await page.addInitScript(() => sessionStorage.clear());
    }
    await Promise.all([seat.page.reload(), second.reload()]);
    await Promise.all([seat.page.waitForSelector("[data-available]"), second.waitForSelector("[data-available]")]);
  }
  await seat.page.click("nav >> text=Profile");
  await seat.page.click("text=Sign out");
  await seat.page.waitForSelector(".who >> text=Sign in");
  await second.waitForSelector(".who >> text=Sign in");
});

test("no access token lies in any storage, and no script or style is inline", async () => {
  const { page } = finished.white;
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
  assert.doesNotMatch(kept, /eyJ/, "a JSON web token is stored");
  assert.equal(await page.locator("script:not([src]), style, [style*=url], [onclick]").count(), 0);
  const answer = await fetch(EDGE);
  const policy = answer.headers.get("content-security-policy")!;
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe|\*|https?:/);
});

test("the statement names every coin, and its file is the services' own statement", async () => {
  const { page, name } = finished.black;
  const player = await asPlayer(name);
  const { lines } = await player.wallet.listStatement({ pageSize: 100 });
  await page.goto("/wallet");
  await page.waitForSelector(".statement tbody tr");
  assert.equal(await page.locator(".statement tbody tr").count(), lines.length);
  const { balances } = await player.wallet.getBalance({});
  assert.equal(await page.getAttribute("[data-available]", "data-available"), balances[0]!.available!.minorUnits.toString());
  const file = await fileOf(page, "text=Download CSV");
  assert.equal(file.name, "stakemate-statement.csv");
  const rows = file.text.trim().split("\r\n").map((row) => row.split(","));
  assert.equal(rows.length, lines.length + 1);
  const column = (heading: string): number => rows[0]!.indexOf(heading);
  for (const [index, line] of lines.entries()) {
    const row = rows[index + 1]!;
    assert.equal(row[column("transfer_id")], line.transferId);
    const minor = BigInt(Math.round(Number(row[column("available_change")]) * 100));
    assert.equal(minor, line.availableChange!.minorUnits);
  }
  await page.click(`.statement a[href="/replay/${finished.gameId}"] >> nth=0`);
  await page.waitForSelector(".replay");
});

test("a profile shows ratings, their graph and the games as the services have them", async () => {
  const player = await asPlayer(finished.black.name);
  const seat = await visit(browsers[0]);
  await seat.page.goto(`/player/${player.id}`);
  await seat.page.waitForSelector(`h1:has-text("${finished.black.name}")`);
  const { ratings: all } = await ratings.getRatings({ playerId: player.id });
  const own = all.find((one) => one.pool === "3+2")!;
  const shown = await seat.page.innerText("[data-pool='3+2'] strong");
  assert.equal(shown.replace("?", ""), String(Math.round(own.rating)));
  assert.equal(await seat.page.getAttribute(".rating-graph", "data-points"), "2");
  const { games: played } = await games.listGames({ playerId: player.id });
  assert.equal(await seat.page.locator(".played li").count(), played.length);
  await seat.page.waitForSelector(".played li[data-outcome=won]");
});

test("a replay goes by keys, links to a ply, and gives its PGN, without an account", async () => {
  const seat = await visit(browsers[0], { permissions: ["clipboard-read", "clipboard-write"] });
  await seat.page.goto(`/replay/${finished.gameId}#2`);
  await seat.page.waitForSelector(".replay[data-ply='2']");
  await seat.page.keyboard.press("ArrowRight");
  await seat.page.waitForSelector(".replay[data-ply='3']");
  assert.ok(seat.page.url().endsWith("#3"));
  await seat.page.keyboard.press("End");
  await seat.page.waitForSelector(".replay[data-ply='4'] [aria-current] >> text=Qh4#");
  await seat.page.keyboard.press("Home");
  await seat.page.click(".look .wide");
  await seat.page.waitForSelector(".replay[data-ply='4']");
  const { pgn } = await games.exportPgn({ gameId: finished.gameId });
  assert.equal((await fileOf(seat.page, "text=Download PGN")).text, pgn);
  await seat.page.click("text=Copy PGN");
  await seat.page.waitForSelector("text=Copied.");
  assert.equal((await seat.page.evaluate(() => navigator.clipboard.readText())).replaceAll("\r\n", "\n"), pgn.replaceAll("\r\n", "\n"));
  // The report is for the players.
  assert.equal(await seat.page.locator(".report").count(), 0);
  assert.deepEqual(seat.faults, []);
});

test("a player sees the engine's report in the replay, equal to the service's", async () => {
  const { page, name } = finished.black;
  await page.goto(`/replay/${finished.gameId}`);
  await page.waitForSelector(".report .graph", { timeout: 60_000 });
  const player = await asPlayer(name);
  const { report } = await player.fairplay.getGameReport({ gameId: finished.gameId });
  const accuracy = await page.innerText(".report tbody tr:first-child td:nth-child(3)");
  assert.equal(Number(accuracy), Math.round(report!.black!.accuracy * 10) / 10);
  const box = (await page.locator(".report .graph").boundingBox())!;
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await page.waitForSelector(".replay[data-ply='2']");
});

test("anybody watches a live game without an account", async () => {
  const pair = await paired(browsers);
  const seat = await visit(browsers[0]);
  await seat.page.goto(`/game/${pair.gameId}`);
  await seesPlies(seat, 0);
  await playAll(pair, ["e2e4", "e7e5"]);
  await seesPlies(seat, 2);
  assert.equal(await seat.page.locator(".actions, #move-input").count(), 0);
  await seat.page.goto("/");
  await seat.page.waitForSelector(".featured .board");
});

test("leaving the queue takes the ticket out", async () => {
  const seat = await signedUp(browsers[0], "quit");
  await seat.page.click("[data-city=havana] a[href='/play/havana/5+0']");
  await seat.page.waitForSelector(".queue[data-state=searching]");
  assert.match(await seat.page.innerText(".waiting"), /opponents within \d+ points/);
  await seat.page.click("text=Leave the queue");
  await seat.page.waitForSelector(".cities");
  await seat.page.waitForFunction(() => /^0 waiting/.test(document.querySelector("[data-city=havana] .counts")!.textContent!));
});

test("whoever has a game running is led back to it", async () => {
  const pair = await paired(browsers);
  await pair.white.page.goto("/");
  await pair.white.page.click("text=Return to it");
  await pair.white.page.waitForURL(`**/game/${pair.gameId}`);
  await pair.white.page.goto("/play/paris/5+0");
  await pair.white.page.waitForURL(`**/game/${pair.gameId}`);
});

test("an address that is no page says so, and an unknown game too", async () => {
  const seat = await visit(browsers[0]);
  await seat.page.goto("/no/such/page");
  await seat.page.waitForSelector("text=Nothing here");
  await seat.page.goto("/game/01990000-0000-7000-8000-000000000000");
  await seat.page.waitForSelector("text=There is no such game.");
});
