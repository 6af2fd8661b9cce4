// Real browsers, two processes when two people play.

import { existsSync } from "node:fs";

import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from "playwright-core";

/// The stack's address.
export const EDGE = process.env.STAKEMATE_EDGE!;
/// How long a test waits for what must come.
export const PATIENCE_MS = 30_000;
export const PASSWORD = "correct horse battery";

const PROGRAMS = ["/usr/bin/chromium", "/usr/bin/google-chrome"];
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

let open: Browser[] = [];

/// Starts a browser of its own process.
export async function browser(): Promise<Browser> {
  const executablePath = process.env.STAKEMATE_CHROMIUM ?? PROGRAMS.find((program) => existsSync(program));
  const started = await chromium.launch({ executablePath, headless: true, args: FLAGS });
  open.push(started);
  return started;
}

/// Closes all.
export async function closeBrowsers(): Promise<void> {
  await Promise.all(open.map((one) => one.close()));
  open = [];
}

/// A person at a screen.
export interface Seat {
  name: string;
  page: Page;
  context: BrowserContext;
  /// What went wrong in the page by itself.
  faults: string[];
  /// Addresses of other origins that the page asked for.
  foreign: string[];
}

/// A fresh screen on which nobody is signed in.
export async function visit(one: Browser, options: BrowserContextOptions = {}): Promise<Seat> {
  const context = await one.newContext({ baseURL: EDGE, locale: "en-GB", acceptDownloads: true, ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  const foreign: string[] = [];
  page.on("pageerror", (error) => faults.push(`${error.message}\n${error.stack ?? ""}`));
  page.on("console", (message) => {
    // A dropped connection is what some journeys are about; the page's own mistakes are not.
    if (message.type() === "error" && !/net::ERR|Failed to load resource/.test(message.text())) faults.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(EDGE) && !/^(data|blob):/.test(request.url())) foreign.push(request.url());
  });
  return { name: "", page, context, faults, foreign };
}

let names = 0;

/// A name that nobody has.
export function freshName(stem: string): string {
  names += 1;
  return `${stem}${Date.now().toString(36).slice(-6)}${names}`;
}

/// A person who has just signed up by the form.
export async function signedUp(one: Browser, stem: string, options: BrowserContextOptions = {}): Promise<Seat> {
  const seat = await visit(one, options);
  seat.name = freshName(stem);
  await seat.page.goto("/sign-up");
  await seat.page.fill("input[name=name]", seat.name);
  await seat.page.fill("input[name=password]", PASSWORD);
  await seat.page.click("button[type=submit]");
  await seat.page.waitForSelector(".cities");
  await seat.page.waitForSelector(".purse");
  return seat;
}
