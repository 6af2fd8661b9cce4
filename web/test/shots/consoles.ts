// Pictures of every page of the consoles at two sizes, light and dark, into shots/.

import { mkdirSync } from "node:fs";

import { browser, closeBrowsers, signedUp } from "../support/browsers.ts";
import { FOOLS_MATE, paired, playAll } from "../support/play.ts";
import { asPlayer } from "../support/services.ts";
import { MODERATOR, openCase, OPERATOR, parkLetter, staff } from "../support/staff.ts";

const SIZES = { desk: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };
const folder = new URL("../../../shots/", import.meta.url).pathname;
mkdirSync(folder, { recursive: true });

const browsers = [await browser(), await browser()] as const;
const pair = await paired([browsers[0], browsers[1]]);
await playAll(pair, FOOLS_MATE);
await pair.black.page.waitForSelector(".rated[data-after]");
const [loser, winner] = [await asPlayer(pair.white.name), await asPlayer(pair.black.name)];
await loser.fairplay.reportPlayer({ gameId: pair.gameId, reason: "Every move took him exactly three seconds." });
const caseId = openCase(winner.id, pair.gameId);
openCase(loser.id, pair.gameId);
parkLetter();
for (const [name, city, control] of [["wanda", "havana", "5+0"], ["willem", "paris", "3+2"]] as const) {
  const seat = await signedUp(browsers[1], name);
  await seat.page.goto(`/play/${city}/${control}`);
  await seat.page.waitForSelector(".queue[data-state=searching]");
}

const PLACES: [string, string, string, string][] = [
  [OPERATOR, "services", "/console/services", ".service .facts"],
  [OPERATOR, "events", "/console/events", ".event"],
  [OPERATOR, "match-search", "/console/match", ".rows .card"],
  [OPERATOR, "match", `/console/match/${pair.gameId}`, ".timeline .event"],
  [OPERATOR, "ledger", "/console/ledger", ".t-account"],
  [OPERATOR, "dead-letters", "/console/dead-letters", ".letter"],
  [OPERATOR, "queues", "/console/queues", ".queue-list .card"],
  [MODERATOR, "cases", "/console/cases", ".case"],
  [MODERATOR, "case", `/console/cases/${caseId}`, ".evidence"],
];
for (const [size, viewport] of Object.entries(SIZES)) {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const name of [OPERATOR, MODERATOR]) {
      const locale = size === "phone" && colorScheme === "dark" ? "de-DE" : "en-GB";
      const seat = await staff(browsers[0], name, { viewport, colorScheme, locale, hasTouch: size === "phone" });
      const { page } = seat;
      for (const [role, shot, address, ready] of PLACES) {
        if (role !== name) continue;
        await page.goto(address);
        await page.waitForSelector(ready);
        if (shot === "events") await page.click(".event >> nth=1 >> summary");
        await page.waitForTimeout(400);
        await page.screenshot({ path: `${folder}console-${shot}-${size}-${colorScheme}.png`, fullPage: true });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (wide > 0) console.log(`${shot} ${size}: ${wide} px too wide`);
        if (shot === "dead-letters") {
          await page.click(".letter .buttons button >> nth=0");
          await page.screenshot({ path: `${folder}console-reason-${size}-${colorScheme}.png` });
        }
      }
      for (const fault of seat.faults) console.log(fault);
      await seat.context.close();
    }
  }
}
await closeBrowsers();
console.log(`shots: ${folder}`);
