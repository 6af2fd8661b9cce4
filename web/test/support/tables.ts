// Sitting down at a table, as people do.

import type { Browser } from "playwright-core";

import { signedUp, type Seat } from "./browsers.ts";
import { sideOf, type Pair } from "./play.ts";

/// What a host chooses; the first of everything when left out.
export interface Wanted {
  rules?: string;
  clock?: string;
  byLink?: boolean;
  rated?: boolean;
}

/// Opens a table by the form and says its address.
export async function openTable(host: Seat, wanted: Wanted = {}): Promise<string> {
  const { page } = host;
  await page.goto("/tables");
  await page.click("text=Open a table");
  await page.check(`input[name=ruleSet][value=${wanted.rules ?? "table"}]`);
  if (wanted.clock !== undefined) await page.check(`input[name=clock][value="${wanted.clock}"]`);
  if (wanted.byLink) await page.check("input[name=visibility][value=link]");
  if (wanted.rated) await page.check("input[name=rated]");
  await page.click(".open-table button[type=submit]");
  await page.waitForURL(/\/table\//);
  await page.waitForSelector(".copy-field input");
  return page.inputValue(".copy-field input");
}

/// Two new players in a game at a new table; the second came by the link.
export async function seatedPair(browsers: [Browser, Browser], wanted: Wanted = {}): Promise<Pair & { address: string }> {
  const [host, guest] = (await Promise.all([signedUp(browsers[0], "host"), signedUp(browsers[1], "guest")])) as [Seat, Seat];
  const address = await openTable(host, wanted);
  await guest.page.goto(address);
  await guest.page.click("text=Sit down and play");
  return { ...(await inGame([host, guest])), address };
}

/// Two players whose game has begun, where they sit.
export async function inGame(seats: [Seat, Seat], former = ""): Promise<Pair> {
  const fresh = (url: URL): boolean => url.pathname.startsWith("/game/") && (former === "" || !url.pathname.endsWith(former));
  await Promise.all(seats.map((seat) => seat.page.waitForURL(fresh)));
  await Promise.all(seats.map((seat) => seat.page.waitForSelector(".table[data-link=live] .actions")));
  const gameId = new URL(seats[0].page.url()).pathname.split("/")[2]!;
  const first = await sideOf(seats[0]);
  const [white, black] = first === "white" ? seats : [seats[1], seats[0]];
  return { white, black, gameId };
}
