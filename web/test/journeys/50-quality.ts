// What is asked of every page: that everybody can use it, that it fits a phone, and that it is quick.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";

import type { Browser, Page } from "playwright-core";

import { browser, closeBrowsers, PASSWORD, signedUp, visit, type Seat } from "../support/browsers.ts";
import { FOOLS_MATE, paired, playAll, REPETITION, squareAt, type Pair } from "../support/play.ts";
import { asPlayer } from "../support/services.ts";
import { openTable, seatedPair } from "../support/tables.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/// The web's own marks of good: first paint, largest paint, shift of what is shown, and answer to a touch.
const FIRST_PAINT_MS_MAX = 1_800;
const LARGEST_PAINT_MS_MAX = 2_500;
const SHIFT_MAX = 0.1;
const INTERACTION_MS_MAX = 50;
/// A sixtieth of a second, and a little for rounding.
const FRAME_MS_MAX = 17.5;
/// Of several measurements on a machine that others use too, the quicker half tells about us.
const INTERACTIONS = 21;

let browsers: [Browser, Browser];
let finished: Pair;
let running: Pair;
let table: string;
before(async () => {
  browsers = [await browser(), await browser()];
  finished = await paired(browsers);
  await playAll(finished, FOOLS_MATE);
  running = await paired(browsers);
  await playAll(running, ["e2e4", "e7e5", "g1f3", "b8c6"]);
  table = new URL(await openTable(finished.white)).pathname;
});
after(closeBrowsers);

interface Place {
  name: string;
  address: string;
  ready: string;
}

async function places(): Promise<Place[]> {
  const { id } = await asPlayer(finished.black.name);
  return [
    { name: "entrance", address: "/", ready: ".featured .board piece" },
    { name: "game", address: `/game/${running.gameId}`, ready: ".moves .move" },
    { name: "result", address: `/game/${finished.gameId}`, ready: ".rated[data-after]" },
    { name: "replay", address: `/replay/${finished.gameId}`, ready: ".report .graph" },
    { name: "wallet", address: "/wallet", ready: ".limit" },
    { name: "profile", address: `/player/${id}`, ready: ".rating-graph" },
    { name: "settings", address: "/settings", ready: ".sample piece" },
    { name: "tables", address: "/tables", ready: ".open-tables" },
    { name: "table", address: table, ready: ".seats" },
    { name: "rules", address: "/rules", ready: "thead [data-set]" },
    { name: "leaderboards", address: "/leaderboards/table", ready: ".leaders, .empty" },
    { name: "two", address: "/two", ready: ".two .board piece" },
    { name: "nowhere", address: "/nowhere", ready: "h1" },
  ];
}

async function signIn(seat: Seat, name: string): Promise<void> {
  await seat.page.goto("/sign-in");
  await seat.page.fill("input[name=name]", name);
  await seat.page.fill("input[name=password]", PASSWORD);
  await seat.page.click("button[type=submit]");
  await seat.page.waitForSelector(".purse");
}

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    const axe = (window as unknown as { axe: { run: () => Promise<{ violations: unknown[] }> } }).axe;
    return (await axe.run()).violations;
  });
  return (found as Violation[]).map((one) => `${one.impact} ${one.id}: ${one.nodes.map((node) => `${node.html} ${node.failureSummary}`).join(" | ")}`);
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe finds nothing on any page, ${colorScheme}`, async () => {
    const seat = await visit(browsers[0], { colorScheme });
    await seat.page.goto("/sign-up");
    await seat.page.waitForSelector("form");
    const found = (await violations(seat.page)).map((one) => `sign-up: ${one}`);
    await signIn(seat, finished.black.name);
    for (const { name, address, ready } of await places()) {
      await seat.page.goto(address);
      await seat.page.waitForSelector(ready, { timeout: 60_000 });
      found.push(...(await violations(seat.page)).map((one) => `${name}: ${one}`));
    }
    assert.deepEqual(found, []);
    assert.deepEqual(seat.foreign, []);
    await seat.context.close();
  });
}

test("a player's own game has no violation either, with a question open", async () => {
  const { page } = running.white;
  assert.deepEqual(await violations(page), []);
  await page.click("text=Resign");
  assert.deepEqual(await violations(page), []);
  await page.click("dialog >> text=Cancel");
});

test("a game at a table with a claim open, a rematch offered, and the form that opens a table have none", async () => {
  const claimed = await seatedPair(browsers, { rules: "fide", clock: "untimed" });
  await playAll(claimed, REPETITION);
  await claimed.white.page.waitForSelector(".claim[data-claim=threefold]");
  assert.deepEqual(await violations(claimed.white.page), []);
  await claimed.white.page.click(".claim button");
  await claimed.white.page.click("dialog .buttons button >> nth=0");
  await claimed.white.page.click("text=Offer a rematch");
  await claimed.black.page.waitForSelector(".rematch[data-offer=theirs]");
  assert.deepEqual(await violations(claimed.black.page), []);
  await claimed.black.page.goto("/tables");
  await claimed.black.page.click("text=Open a table");
  await claimed.black.page.check("input[value=match]");
  await claimed.black.page.check("input[value=custom]");
  assert.deepEqual(await violations(claimed.black.page), []);
  await claimed.black.page.goto("/wallet");
  await claimed.black.page.click(".exclusion >> text=Exclude me");
  assert.deepEqual(await violations(claimed.black.page), []);
});

test("on a phone no page is wider than the screen, and buttons are as big as a finger", async () => {
  const seat = await visit(browsers[0], { viewport: { width: 390, height: 844 }, hasTouch: true });
  await signIn(seat, finished.black.name);
  for (const { name, address, ready } of await places()) {
    await seat.page.goto(address);
    await seat.page.waitForSelector(ready);
    const wide = await seat.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(wide <= 0, `${name} is ${wide} px too wide`);
    const small = await seat.page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>("button, .button, input:not([type=radio], [type=checkbox]), select")]
        .filter((one) => one.offsetParent !== null && one.getBoundingClientRect().height < 32)
        .map((one) => one.outerHTML),
    );
    assert.deepEqual(small, [], name);
  }
  await seat.context.close();
});

test("a touch moves a piece", async () => {
  const pair = await paired(browsers);
  const phone = await visit(browsers[0], { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await signIn(phone, pair.white.name);
  await phone.page.goto(`/game/${pair.gameId}`);
  await phone.page.waitForSelector(".actions");
  for (const square of ["e2", "e4"]) {
    const { x, y } = await squareAt(phone, square);
    await phone.page.touchscreen.tap(x, y);
  }
  await phone.page.waitForSelector(".table[data-plies='1']");
  await phone.context.close();
});

test("the game page paints soon and does not jump", async () => {
  const seat = await visit(browsers[0]);
  await seat.page.goto(`/game/${running.gameId}`);
  await seat.page.waitForSelector(".moves .move");
  await seat.page.waitForTimeout(500);
  const figures = await seat.page.evaluate(async () => {
    const entries = (type: string): Promise<PerformanceEntry[]> =>
      new Promise((resolve) => {
        new PerformanceObserver((list) => resolve(list.getEntries())).observe({ type, buffered: true });
        setTimeout(() => resolve([]), 300);
      });
    const first = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0;
    const largest = (await entries("largest-contentful-paint")).at(-1)?.startTime ?? 0;
    const shifts = (await entries("layout-shift")) as (PerformanceEntry & { value: number })[];
    const bytes = (performance.getEntriesByType("resource") as PerformanceResourceTiming[])
      .filter((one) => one.name.includes("/assets/"))
      .reduce((sum, one) => sum + one.encodedBodySize, 0);
    return { first, largest, shift: shifts.reduce((sum, one) => sum + one.value, 0), bytes };
  });
  console.log(`game page: ${JSON.stringify(figures)}`);
  assert.ok(figures.first > 0 && figures.first <= FIRST_PAINT_MS_MAX, `first paint after ${figures.first} ms`);
  assert.ok(figures.largest <= LARGEST_PAINT_MS_MAX, `largest paint after ${figures.largest} ms`);
  assert.ok(figures.shift <= SHIFT_MAX, `shifts by ${figures.shift}`);
  assert.ok(figures.bytes > 0 && figures.bytes <= 200 * 1024, `${figures.bytes} bytes`);
});

test("the board answers a click within fifty milliseconds", async () => {
  const pair = await paired(browsers);
  const { page } = pair.white;
  const { x, y } = await squareAt(pair.white, "e2");
  await page.evaluate(() => {
    const samples: number[] = [];
    (window as unknown as { samples: number[] }).samples = samples;
    document.querySelector(".cg-wrap")!.addEventListener(
      "mousedown",
      (event) => {
        requestAnimationFrame(() => {
          // After the frame in which the mark was drawn.
          const channel = new MessageChannel();
          channel.port1.onmessage = () => samples.push(performance.now() - event.timeStamp);
          channel.port2.postMessage(0);
        });
      },
      true,
    );
  });
  for (let click = 0; click < INTERACTIONS; click += 1) {
    await page.mouse.click(x, y);
    await page.waitForTimeout(60);
  }
  const samples = await page.evaluate(() => (window as unknown as { samples: number[] }).samples);
  const sorted = samples.sort((one, other) => one - other);
  const median = sorted[Math.floor(sorted.length / 2)]!;
  console.log(`click to paint: median ${median.toFixed(1)} ms, largest ${sorted.at(-1)!.toFixed(1)} ms, ${sorted.length} clicks`);
  assert.equal(sorted.length, INTERACTIONS);
  assert.ok(median <= INTERACTION_MS_MAX, `${median} ms`);
});

test("a dragged piece moves at sixty frames a second", async () => {
  const pair = await paired(browsers);
  const { page } = pair.white;
  const [from, over] = [await squareAt(pair.white, "e2"), await squareAt(pair.white, "e6")];
  await page.evaluate(() => {
    const frames: number[] = [];
    (window as unknown as { frames: number[] }).frames = frames;
    const note = (now: number): void => {
      frames.push(now);
      requestAnimationFrame(note);
    };
    requestAnimationFrame(note);
  });
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (let sweep = 0; sweep < 4; sweep += 1) {
    await page.mouse.move(over.x, over.y, { steps: 30 });
    await page.mouse.move(from.x, from.y, { steps: 30 });
  }
  await page.mouse.up();
  const frames = await page.evaluate(() => (window as unknown as { frames: number[] }).frames);
  const gaps = frames.slice(1).map((at, index) => at - frames[index]!).sort((one, other) => one - other);
  const median = gaps[Math.floor(gaps.length / 2)]!;
  console.log(`while dragging: ${gaps.length} frames, median ${median.toFixed(1)} ms apart`);
  assert.ok(gaps.length > 30, `${gaps.length} frames`);
  // Of two neighbouring frames one may be late on a busy machine; the usual distance is the display's own.
  assert.ok(median <= FRAME_MS_MAX, `${median} ms`);
});

test("nobody is asked but the edge, and nothing breaks in any page", async () => {
  const seat = await signedUp(browsers[0], "net");
  for (const { address, ready } of await places()) {
    if (/wallet|result|replay|game/.test(address)) continue;
    await seat.page.goto(address);
    await seat.page.waitForSelector(ready);
  }
  assert.deepEqual(seat.foreign, []);
  assert.deepEqual(seat.faults, []);
});
