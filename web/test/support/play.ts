// Playing by mouse, as people do.

import type { Browser } from "playwright-core";

import { signedUp, type Seat } from "./browsers.ts";

/// A pair in a game.
export interface Pair {
  white: Seat;
  black: Seat;
  gameId: string;
}

/// Two new players, each in a browser of his own, brought together by a city's queue.
export async function paired(browsers: [Browser, Browser], city = "paris", control = "3+2"): Promise<Pair> {
  const seats = await Promise.all([signedUp(browsers[0], "ann"), signedUp(browsers[1], "bob")]);
  return meet(seats as [Seat, Seat], city, control);
}

/// Sends two signed-in players through the queue.
export async function meet(seats: [Seat, Seat], city = "paris", control = "3+2"): Promise<Pair> {
  for (const seat of seats) {
    await seat.page.goto("/");
    await seat.page.click(`[data-city=${city}] a[href="/play/${city}/${control}"]`);
  }
  await Promise.all(seats.map((seat) => seat.page.waitForURL(/\/game\//)));
  await Promise.all(seats.map((seat) => seat.page.waitForSelector(".table[data-link=live]")));
  const gameId = new URL(seats[0].page.url()).pathname.split("/")[2]!;
  const first = await sideOf(seats[0]);
  const [white, black] = first === "white" ? seats : [seats[1], seats[0]];
  return { white, black, gameId };
}

/// The side at the bottom of a person's board.
export async function sideOf(seat: Seat): Promise<string> {
  return (await seat.page.getAttribute(".play-area > .bar:last-child", "data-side"))!;
}

/// Where a square is on a person's screen.
export async function squareAt(seat: Seat, square: string): Promise<{ x: number; y: number }> {
  const box = (await seat.page.locator(".board cg-board").first().boundingBox())!;
  const side = await sideOf(seat);
  const file = square.charCodeAt(0) - 97;
  const rank = Number(square[1]) - 1;
  const column = side === "white" ? file : 7 - file;
  const row = side === "white" ? 7 - rank : rank;
  return { x: box.x + ((column + 0.5) * box.width) / 8, y: box.y + ((row + 0.5) * box.height) / 8 };
}

/// Clicks two squares.
export async function clickMove(seat: Seat, uci: string): Promise<void> {
  for (const square of [uci.slice(0, 2), uci.slice(2, 4)]) {
    const { x, y } = await squareAt(seat, square);
    await seat.page.mouse.click(x, y);
  }
}

/// Waits until a screen shows so many acknowledged plies.
export async function seesPlies(seat: Seat, plies: number): Promise<void> {
  await seat.page.waitForSelector(`.table[data-plies="${plies}"]`, { state: "attached" });
}

/// Plays moves in turn, each only when its player has seen the one before.
export async function playAll(pair: Pair, ucis: string[], from = 0): Promise<void> {
  for (const [index, uci] of ucis.entries()) {
    const ply = from + index;
    const mover = ply % 2 === 0 ? pair.white : pair.black;
    await seesPlies(mover, ply);
    await clickMove(mover, uci);
    await seesPlies(mover, ply + 1);
  }
  const all = from + ucis.length;
  await Promise.all([seesPlies(pair.white, all), seesPlies(pair.black, all)]);
}

/// The quickest mate: Black wins.
export const FOOLS_MATE = ["f2f3", "e7e5", "g2g4", "d8h4"];
/// The same position a third time.
export const REPETITION = ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8"];
