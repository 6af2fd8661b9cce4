// Keyboard, screen readers, languages, looks, and promotion.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import type { Browser } from "playwright-core";

import { browser, closeBrowsers, signedUp, visit } from "../support/browsers.ts";
import { clickMove, paired, playAll, seesPlies } from "../support/play.ts";
import { logOf } from "../support/services.ts";

let browsers: [Browser, Browser];
before(async () => {
  browsers = [await browser(), await browser()];
});
after(closeBrowsers);

test("a game can be played by typing moves", async () => {
  const pair = await paired(browsers);
  for (const [ply, text] of ["e4", "e7e5", "nf3", "Nc6", "Bb5", "a6", "0-0"].entries()) {
    const seat = ply % 2 === 0 ? pair.white : pair.black;
    await seesPlies(seat, ply);
    await seat.page.fill("#move-input", text);
    await seat.page.press("#move-input", "Enter");
    await seesPlies(seat, ply + 1);
  }
  assert.deepEqual(await logOf(pair.gameId), ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "e1g1"]);
  await pair.black.page.fill("#move-input", "Qh9");
  await pair.black.page.press("#move-input", "Enter");
  await pair.black.page.waitForSelector("text=That is no legal move here.");
});

test("the board is played with arrow keys and Enter, and says what it does", async () => {
  const pair = await paired(browsers);
  const { page } = pair.white;
  await page.focus(".board");
  for (const key of ["ArrowUp", "ArrowUp", "Enter", "ArrowUp", "ArrowUp", "Enter"]) await page.keyboard.press(key);
  await seesPlies(pair.white, 1);
  assert.deepEqual(await logOf(pair.gameId), ["e2e4"]);
  await pair.black.page.waitForFunction(() => /White: pawn e4/.test(document.querySelector("[data-spoken=polite]")!.textContent!));
  await pair.black.page.focus(".board");
  await pair.black.page.keyboard.press("ArrowUp");
  await pair.black.page.waitForFunction(() => /e8, Black, king/.test(document.querySelector("[data-spoken=polite]")!.textContent!));
});

test("everything on the way into a game can be reached by Tab alone", async () => {
  const seat = await signedUp(browsers[0], "tab");
  const seen: string[] = [];
  for (let step = 0; step < 60; step += 1) {
    await seat.page.keyboard.press("Tab");
    seen.push(await seat.page.evaluate(() => document.activeElement?.getAttribute("href") ?? document.activeElement?.tagName ?? ""));
  }
  for (const wanted of ["#main", "/", "/wallet", "/settings", "/play/paris/3+2"]) assert.ok(seen.includes(wanted), `${wanted} in ${seen.join(" ")}`);
});

test("looking back shows former positions, and a new move brings a player back", async () => {
  const pair = await paired(browsers);
  await playAll(pair, ["e2e4", "e7e5", "g1f3"]);
  const { page } = pair.white;
  const live = await page.getAttribute(".board", "data-fen");
  await page.click(".look button >> nth=0");
  await page.waitForFunction(() => document.querySelector(".board")!.getAttribute("data-fen")!.startsWith("rnbqkbnr/pppppppp"));
  await page.keyboard.press("End");
  assert.equal(await page.getAttribute(".board", "data-fen"), live);
  await page.click(".move[data-ply='1']");
  await page.waitForSelector(".move[data-ply='1'][aria-current]");
  await clickMove(pair.black, "b8c6");
  await page.waitForSelector(".move[data-ply='4'][aria-current]");
  await page.keyboard.press("f");
  assert.equal(await page.getAttribute(".play-area > .bar:last-child", "data-side"), "black");
});

const TO_PROMOTION = ["h2h4", "g7g5", "h4g5", "h7h6", "g5h6", "f8g7", "h6g7", "g8f6"];

test("a promotion asks for the piece and can be taken back", async () => {
  const pair = await paired(browsers);
  await playAll(pair, TO_PROMOTION);
  await clickMove(pair.white, "g7h8");
  await pair.white.page.waitForSelector("dialog.promotion");
  await pair.white.page.keyboard.press("Escape");
  await pair.white.page.waitForSelector("dialog.promotion", { state: "detached" });
  await seesPlies(pair.white, 8);
  await clickMove(pair.white, "g7h8");
  await pair.white.page.click("dialog.promotion [data-piece=n]");
  await seesPlies(pair.black, 9);
  assert.equal((await logOf(pair.gameId)).at(-1), "g7h8n");
  await pair.black.page.waitForSelector(".move >> text=gxh8=N");
});

test("with automatic queens a promotion does not ask", async () => {
  const pair = await paired(browsers);
  await pair.white.page.goto("/settings");
  await pair.white.page.check("input[name=autoQueen]");
  await pair.white.page.goto(`/game/${pair.gameId}`);
  await playAll(pair, TO_PROMOTION);
  await clickMove(pair.white, "g7h8");
  await seesPlies(pair.black, 9);
  assert.equal((await logOf(pair.gameId)).at(-1), "g7h8q");
});

test("every language is chosen in one step and kept", async () => {
  const seat = await visit(browsers[0]);
  for (const [tag, title, play] of [
    ["de", "Einstellungen", "Spielen"],
    ["es", "Ajustes", "Jugar"],
    ["ru", "Настройки", "Играть"],
    ["en", "Settings", "Play"],
  ] as const) {
    await seat.page.goto("/settings");
    await seat.page.selectOption("select", tag);
    await seat.page.waitForSelector(`h1:has-text("${title}")`);
    await seat.page.reload();
    await seat.page.waitForSelector(`nav >> text=${play}`);
    assert.equal(await seat.page.getAttribute("html", "lang"), tag);
  }
  assert.deepEqual(seat.faults, []);
});

test("a browser's own language and dark look are taken up unasked", async () => {
  const seat = await visit(browsers[0], { locale: "de-DE", colorScheme: "dark" });
  await seat.page.goto("/");
  await seat.page.waitForSelector("text=Schach um einen Einsatz");
  const ground = () => seat.page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  assert.equal(await ground(), "rgb(20, 24, 26)");
  await seat.page.goto("/settings");
  await seat.page.check("input[name=theme][value=light]");
  assert.equal(await ground(), "rgb(245, 243, 238)");
});

test("who wants less motion gets none", async () => {
  const seat = await signedUp(browsers[0], "calm", { reducedMotion: "reduce" });
  await seat.page.goto("/play/paris/10+0");
  await seat.page.waitForSelector(".pulse");
  assert.equal(await seat.page.evaluate(() => getComputedStyle(document.querySelector(".pulse")!).animationName), "none");
  await seat.page.click("text=Leave the queue");
});
