// Pictures of every page of the consoles at two sizes, light and dark, into shots/.

import { mkdirSync } from "node:fs";

import { browser, closeBrowsers } from "../support/browsers.ts";
import { furnished } from "../support/console-pages.ts";
import { FOOLS_MATE, paired, playAll } from "../support/play.ts";
import { MODERATOR, OPERATOR, staff } from "../support/staff.ts";

const SIZES = { desk: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };
const folder = new URL("../../../shots/", import.meta.url).pathname;
mkdirSync(folder, { recursive: true });

const browsers = [await browser(), await browser()] as const;
const pair = await paired([browsers[0], browsers[1]]);
await playAll(pair, FOOLS_MATE);
await pair.black.page.waitForSelector(".rated[data-after]");
const pages = await furnished(browsers[1], pair);

for (const [size, viewport] of Object.entries(SIZES)) {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const name of [OPERATOR, MODERATOR]) {
      const locale = size === "phone" && colorScheme === "dark" ? "de-DE" : "en-GB";
      const seat = await staff(browsers[0], name, { viewport, colorScheme, locale, hasTouch: size === "phone" });
      const { page } = seat;
      for (const { name: shot, address, ready } of pages.filter(({ who }) => who === name)) {
        await page.goto(address);
        await page.waitForSelector(ready);
        if (shot === "events") await page.click(".event >> nth=1 >> summary");
        await page.waitForTimeout(400);
        await page.screenshot({ path: `${folder}console-${shot}-${size}-${colorScheme}.png`, fullPage: true });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (wide > 0) console.log(`${shot} ${size}: ${wide} px too wide`);
        if (shot === "case") {
          await page.click(".decide button >> nth=1");
          await page.screenshot({ path: `${folder}console-decide-${size}-${colorScheme}.png` });
        }
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
