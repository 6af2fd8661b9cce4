// Pictures of every page at two sizes, light and dark, into shots/, and what axe-core has to say of each.

import { mkdirSync } from "node:fs";

import { browser, closeBrowsers, PASSWORD, signedUp, visit } from "../support/browsers.ts";
import { clickMove, FOOLS_MATE, meet, paired, playAll, REPETITION } from "../support/play.ts";
import { asPlayer } from "../support/services.ts";
import { openTable, seatedPair } from "../support/tables.ts";

const SIZES = { desk: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };
const folder = new URL("../../../shots/", import.meta.url).pathname;
mkdirSync(folder, { recursive: true });

const browsers = [await browser(), await browser()] as const;
const pair = await paired([browsers[0], browsers[1]]);
await playAll(pair, FOOLS_MATE);
await pair.black.page.waitForSelector(".rated[data-after]");
const running = await paired([browsers[0], browsers[1]], "paris", "10+0");
await playAll(running, "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6 d7c6 f3e5 d8d4 e5f3 d4e4".split(" "));
const won = await asPlayer(pair.black.name);
const claimed = await seatedPair([browsers[0], browsers[1]], { rules: "fide", clock: "10+5" });
await playAll(claimed, REPETITION);
const mated = await seatedPair([browsers[0], browsers[1]]);
await playAll(mated, FOOLS_MATE);
await mated.black.page.waitForSelector(".rated[data-after]");
await mated.white.page.click("text=Offer a rematch");
const open = await openTable(running.black, { rules: "match", clock: "5+0" });

for (const [size, viewport] of Object.entries(SIZES)) {
  for (const colorScheme of ["light", "dark"] as const) {
    const seat = await visit(browsers[0], { viewport, colorScheme, hasTouch: size === "phone" });
    const { page } = seat;
    const shoot = async (name: string, full = false): Promise<void> => {
      await page.waitForTimeout(500);
      await page.screenshot({ path: `${folder}${name}-${size}-${colorScheme}.png`, fullPage: full });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (wide > 0) console.log(`${name} ${size}: ${wide} px too wide`);
    };
    await page.goto("/");
    await page.waitForSelector(".featured .board piece");
    await shoot("entrance", true);
    await page.goto("/sign-up");
    await page.waitForSelector("form");
    await shoot("sign-up");
    await page.goto("/sign-in");
    await page.waitForSelector("form");
    await shoot("sign-in");
    await page.goto("/nowhere");
    await page.waitForSelector("h1");
    await shoot("nowhere");
    await page.goto(`/game/${running.gameId}`);
    await page.waitForSelector(".moves .move");
    await shoot("watching");
    for (const [name, address, ready] of [
      ["tables", "/tables", ".open-tables"],
      ["table", new URL(open).pathname, ".seats"],
      ["rules", "/rules", "thead [data-set]"],
      ["leaderboards", "/leaderboards/table", ".leaders"],
    ] as const) {
      await page.goto(address);
      await page.waitForSelector(ready);
      await shoot(name, true);
    }
    await page.goto("/two");
    await page.evaluate(() => localStorage.setItem("stakemate.two", JSON.stringify({ ucis: ["e2e4", "c7c5", "g1f3", "d7d6", "d2d4"] })));
    await page.reload();
    await page.waitForSelector(".two[data-plies='5']");
    await shoot("two", true);
    await page.evaluate(() => localStorage.setItem("stakemate.settings", JSON.stringify({ view: "space", pieces: "turned" })));
    await page.reload();
    await page.waitForSelector("[data-view=space] .board piece");
    await shoot("two-space", true);
    await page.goto("/settings");
    await page.waitForSelector(".sample piece");
    await shoot("settings-space", true);
    await page.evaluate(() => localStorage.setItem("stakemate.settings", JSON.stringify({ pieces: "turned", board: "moss" })));
    await page.goto(`/game/${running.gameId}`);
    await page.waitForSelector(".moves .move");
    await shoot("turned");
    await page.evaluate(() => localStorage.setItem("stakemate.settings", JSON.stringify({ view: "space", pieces: "turned" })));
    await page.reload();
    await page.waitForSelector("[data-view=space] .moves .move");
    await shoot("game-space", true);
    await page.evaluate(() => localStorage.clear());
    const signInAs = async (name: string): Promise<void> => {
      await page.evaluate(() => localStorage.clear());
      await page.goto("/sign-in");
      await page.fill("input[name=name]", name);
      await page.fill("input[name=password]", PASSWORD);
      await page.click("button[type=submit]");
      await page.waitForSelector(".purse");
    };
    await signInAs(claimed.white.name);
    await page.goto(`/game/${claimed.gameId}`);
    await page.waitForSelector(".claim[data-claim=threefold]");
    await shoot("claim", true);
    await signInAs(mated.black.name);
    await page.goto(`/game/${mated.gameId}`);
    await page.waitForSelector(".rematch[data-offer=theirs]");
    await shoot("rematch", true);
    await page.goto("/leaderboards/table");
    await page.waitForSelector(".own-place");
    await shoot("own-place", true);
    await page.goto("/tables");
    await page.click("text=Open a table");
    await page.waitForSelector(".open-table");
    await page.check("input[value=match]");
    await page.check("input[value=custom]");
    await shoot("open-table", true);
    await signInAs(running.black.name);
    await page.goto(new URL(open).pathname);
    await page.waitForSelector(".copy-field");
    await shoot("waiting", true);
    await page.evaluate(() => localStorage.clear());
    await page.goto("/sign-in");
    await page.fill("input[name=name]", running.white.name);
    await page.fill("input[name=password]", PASSWORD);
    await page.click("button[type=submit]");
    await page.waitForSelector(".purse");
    await page.goto(`/game/${running.gameId}`);
    await page.waitForSelector(".actions");
    await shoot("game", true);
    await page.evaluate(() => localStorage.clear());
    await page.goto("/sign-in");
    await page.fill("input[name=name]", pair.black.name);
    await page.fill("input[name=password]", PASSWORD);
    await page.click("button[type=submit]");
    await page.waitForSelector(".purse");
    await page.goto(`/game/${pair.gameId}`);
    await page.waitForSelector(".rated[data-after]");
    await shoot("result", true);
    await page.goto(`/replay/${pair.gameId}#3`);
    await page.waitForSelector(".report .graph", { timeout: 60_000 });
    await shoot("replay", true);
    await page.goto("/wallet");
    await page.waitForSelector(".statement");
    await page.waitForSelector(".limit");
    await page.click("[data-limit=LOSS_DAY] >> text=Change");
    await shoot("wallet", true);
    await page.click(".exclusion >> text=Exclude me");
    await shoot("exclude");
    await page.keyboard.press("Escape");
    await page.goto(`/player/${won.id}`);
    await page.waitForSelector(".rating-graph");
    await shoot("profile", true);
    await page.goto("/settings");
    await page.waitForSelector(".sample piece");
    await shoot("settings", true);
    await page.goto("/play/paris/10+0");
    await page.waitForSelector(".queue[data-state=searching]");
    await shoot("queue");
    await page.click("text=Leave the queue");
    for (const fault of seat.faults) console.log(fault);
    await seat.context.close();
  }
}
// What only some moments show, in the language with the longest words.
for (const [size, viewport] of Object.entries(SIZES)) {
  const options = { viewport, locale: "de-DE", hasTouch: size === "phone" };
  const seats = await Promise.all([signedUp(browsers[0], "lang", options), signedUp(browsers[1], "kurz", options)]);
  const moment = await meet([seats[0]!, seats[1]!]);
  const { page } = moment.white;
  await page.screenshot({ path: `${folder}first-move-${size}.png` });
  await playAll(moment, "h2h4 g7g5 h4g5 h7h6 g5h6 f8g7 h6g7 g8f6".split(" "));
  await moment.black.page.click(".actions .buttons button >> nth=0");
  await moment.black.page.click("dialog .buttons button >> nth=0");
  await page.waitForSelector(".offer");
  await page.screenshot({ path: `${folder}offer-${size}.png`, fullPage: true });
  await clickMove(moment.white, "g7h8");
  await page.waitForSelector("dialog.promotion");
  await page.screenshot({ path: `${folder}promotion-${size}.png` });
  await page.keyboard.press("Escape");
  await page.click(".actions .danger");
  await page.screenshot({ path: `${folder}resign-${size}.png` });
  await page.click("dialog .danger");
  await page.waitForSelector(".rated[data-after]");
  await page.screenshot({ path: `${folder}lost-${size}.png`, fullPage: true });
  await page.goto("/wallet");
  await page.waitForSelector(".statement");
  await page.screenshot({ path: `${folder}konto-${size}.png`, fullPage: true });
  await page.goto("/settings");
  await page.check("input[value=ivory]");
  await page.check("input[value=sea]");
  await page.screenshot({ path: `${folder}einstellungen-${size}.png`, fullPage: true });
  await page.goto("/tables");
  await page.click(".heading button");
  await page.check("input[value=match]");
  await page.screenshot({ path: `${folder}tische-${size}.png`, fullPage: true });
  await page.goto("/rules");
  await page.waitForSelector("thead [data-set]");
  await page.screenshot({ path: `${folder}regeln-${size}.png`, fullPage: true });
  await page.goto("/two");
  await page.waitForSelector(".two .board piece");
  await page.screenshot({ path: `${folder}zwei-${size}.png`, fullPage: true });
  await page.goto("/settings");
  await page.selectOption("select", "ru");
  await page.waitForSelector("h1:has-text('Настройки')");
  await page.goto("/leaderboards/table");
  await page.waitForSelector(".leaders");
  if (size === "phone") await page.click("button[aria-controls=pages]");
  await page.screenshot({ path: `${folder}luchshie-${size}.png`, fullPage: true });
  for (const seat of seats) for (const fault of seat.faults) console.log(fault);
}
await closeBrowsers();
console.log(`shots: ${folder}`);
