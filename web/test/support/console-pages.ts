// The consoles with something to show on each of their pages.

import type { Browser } from "playwright-core";

import { signedUp } from "./browsers.ts";
import type { Pair } from "./play.ts";
import { asPlayer } from "./services.ts";
import { MODERATOR, openCase, OPERATOR, parkLetter } from "./staff.ts";

/// A page of a console: whose it is, its name, its address, and what is there once it is drawn.
export interface ConsolePage {
  who: string;
  name: string;
  address: string;
  ready: string;
}

/// Brings about what the consoles are for, after a rated game whose loser does not trust its winner.
export async function furnished(one: Browser, pair: Pair): Promise<ConsolePage[]> {
  const [loser, winner] = [await asPlayer(pair.white.name), await asPlayer(pair.black.name)];
  await loser.fairplay.reportPlayer({ gameId: pair.gameId, reason: "Every move took him exactly three seconds." });
  const caseId = openCase(winner.id, pair.gameId);
  openCase(loser.id, pair.gameId);
  parkLetter();
  for (const [name, city, control] of [["wanda", "havana", "5+0"], ["willem", "paris", "3+2"]] as const) {
    const seat = await signedUp(one, name);
    await seat.page.goto(`/play/${city}/${control}`);
    await seat.page.waitForSelector(".queue[data-state=searching]");
  }
  const of = (who: string) => ([name, address, ready]: [string, string, string]): ConsolePage => ({ who, name, address, ready });
  const operator: [string, string, string][] = [
    ["services", "/console/services", ".service .facts"],
    ["events", "/console/events", ".event"],
    ["match-search", "/console/match", ".rows .card"],
    ["match", `/console/match/${pair.gameId}`, ".timeline .event"],
    ["ledger", "/console/ledger", ".t-account"],
    ["dead-letters", "/console/dead-letters", ".letter"],
    ["queues", "/console/queues", ".queue-list .card"],
  ];
  const moderator: [string, string, string][] = [
    ["cases", "/console/cases", ".case"],
    ["case", `/console/cases/${caseId}`, ".evidence"],
  ];
  return [...operator.map(of(OPERATOR)), ...moderator.map(of(MODERATOR))];
}
