// The moderator's and the operator's consoles, on the figures of games that were really played.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";

import { Code, ConnectError } from "@connectrpc/connect";
import type { Browser } from "playwright-core";

import { ErrorInfoSchema } from "../../src/gen/google/rpc/error_details_pb.ts";
import { requestId } from "../../src/wire/request-id.ts";
import { browser, closeBrowsers, PASSWORD, signedUp, type Seat } from "../support/browsers.ts";
import { FOOLS_MATE, paired, playAll, type Pair } from "../support/play.ts";
import { asPlayer } from "../support/services.ts";
import { consoleOf, MODERATOR, moderatorsConsole, openCase, OPERATOR, operatorsConsole, parkLetter, sql, staff } from "../support/staff.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let browsers: [Browser, Browser];
let operator: Seat;
let moderator: Seat;
/// A finished game; Black has won.
let finished: Pair;
before(async () => {
  browsers = [await browser(), await browser()];
  finished = await paired(browsers);
  await playAll(finished, FOOLS_MATE);
  await finished.black.page.waitForSelector(".settlement [data-net]");
  await finished.black.page.waitForSelector(".rated[data-after]");
  operator = await staff(browsers[0], OPERATOR);
  moderator = await staff(browsers[1], MODERATOR);
});
after(closeBrowsers);

test("the consoles are shown to their roles and to nobody else", async () => {
  const { page } = finished.white;
  await page.goto("/");
  await page.waitForSelector(".purse");
  assert.equal(await page.locator("a[href='/console']").count(), 0);
  await page.goto("/console/ledger");
  await page.waitForSelector("text=Nothing here");
  await moderator.page.click("a[href='/console']");
  await moderator.page.waitForURL("**/console/cases");
  await moderator.page.waitForSelector(".tabs a");
  assert.equal(await moderator.page.locator(".tabs a").count(), 1);
  await moderator.page.goto("/console/services");
  await moderator.page.waitForSelector("text=Nothing here");
  await operator.page.click("a[href='/console']");
  await operator.page.waitForURL("**/console/services");
  await operator.page.waitForSelector(".tabs a");
  assert.equal(await operator.page.locator(".tabs a").count(), 6);
});

test("the whole navigation has room at every width and in every language", async () => {
  for (const locale of ["ru-RU", "de-DE", "es-ES", "en-GB"]) {
    const seat = await staff(browsers[0], OPERATOR, { locale });
    await seat.page.goto("/settings");
    await seat.page.waitForSelector("a[href='/console']", { state: "attached" });
    for (const width of [360, 390, 620, 768, 900, 1_019, 1_020, 1_179, 1_180, 1_280]) {
      await seat.page.setViewportSize({ width, height: 800 });
      const wide = await seat.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(wide <= 0, `${locale} at ${width}: ${wide} px too wide`);
    }
    await seat.context.close();
  }
});

const SERVICES = ["gateway", "matchmaking", "fairplay", "wallet", "game", "rating"];

function at(service: string) {
  return { headers: { "stakemate-service": service } };
}

/// How a call is refused: its code, and the reason that it gives.
async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "answered";
  } catch (error) {
    const failure = ConnectError.from(error);
    return `${Code[failure.code]} ${failure.findDetails(ErrorInfoSchema)[0]?.reason ?? ""}`.trim();
  }
}

test("no call of the consoles answers anybody without its role", async () => {
  const player = await consoleOf(finished.white.name, PASSWORD);
  const judge = await moderatorsConsole();
  const boss = await operatorsConsole();
  const letter = { requestId: requestId(), consumer: "wallet_players", streamId: requestId(), version: 1n, reason: "let me" };
  for (const [name, who] of [["player", player], ["moderator", judge]] as const) {
    for (const service of SERVICES) {
      const calls = {
        status: refusal(who.operator.getStatus({}, at(service))),
        events: refusal(who.operator.listEvents({ pageSize: 1_000 }, at(service))),
        letters: refusal(who.operator.listDeadLetters({}, at(service))),
        retry: refusal(who.operator.retryDeadLetter(letter, at(service))),
        skip: refusal(who.operator.skipDeadLetter(letter, at(service))),
        actions: refusal(who.operator.listDeadLetterActions({}, at(service))),
      };
      for (const [call, answer] of Object.entries(calls)) {
        assert.equal(await answer, "PermissionDenied ROLE_MISSING", `${call} of ${service} by a ${name}`);
      }
    }
    assert.equal(await refusal(who.ledger.listAccountTotals({})), "PermissionDenied ROLE_MISSING", name);
    assert.equal(await refusal(who.ledger.getMatchLedger({ matchId: "7" })), "PermissionDenied ROLE_MISSING", name);
    assert.equal(await refusal(who.queues.listQueues({})), "PermissionDenied ROLE_MISSING", name);
  }
  for (const who of [player, boss]) {
    assert.equal(await refusal(who.cases.getCase({ caseId: "7" })), "PermissionDenied ROLE_MISSING");
    assert.equal(await refusal(who.fairplay.listCases({})), "PermissionDenied ROLE_MISSING");
  }
  assert.equal(await refusal(boss.operator.getStatus({})), "InvalidArgument");
  assert.equal(await refusal(boss.operator.getStatus({}, at("nobody"))), "InvalidArgument");
  assert.equal(await refusal(judge.cases.getCase({ caseId: requestId() })), "NotFound CASE_UNKNOWN");
});

test("pages of a log meet without a gap or a repeat, and bad requests name every bad field", async () => {
  const { operator } = await operatorsConsole();
  const whole = await operator.listEvents({ streamIds: [finished.gameId], pageSize: 100 }, at("game"));
  const paged: string[] = [];
  let pageToken = "";
  do {
    const page = await operator.listEvents({ streamIds: [finished.gameId], pageSize: 2, pageToken }, at("game"));
    assert.ok(page.events.length <= 2);
    paged.push(...page.events.map((event) => event.eventId));
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  assert.ok(paged.length >= FOOLS_MATE.length + 2, `${paged.length} events`);
  assert.deepEqual(paged, whole.events.map((event) => event.eventId));
  const versions = whole.events.map((event) => Number(event.version));
  assert.deepEqual(versions, versions.map((_, index) => versions.length - index));
  const bad = { streamIds: ["7"], kinds: ["no name"], sinceMs: -1n, pageSize: 101, pageToken: "!" };
  const failure = await operator.listEvents(bad, at("game")).then(() => null, (error: unknown) => ConnectError.from(error));
  for (const field of ["stream_ids", "kinds", "since_ms", "page_size", "page_token"]) assert.ok(failure!.rawMessage.includes(field), failure!.rawMessage);
});

test("a retry that comes twice is one, a request id is good for one, and what is behind another waits", async () => {
  const { operator } = await operatorsConsole();
  const { playerId } = parkLetter();
  const letter = { requestId: requestId(), consumer: "wallet_players", streamId: playerId, version: 1n, reason: "the rows are back" };
  assert.equal(await refusal(operator.retryDeadLetter({ ...letter, version: 2n }, at("wallet"))), "FailedPrecondition DEAD_LETTER_NOT_FIRST");
  assert.equal(await refusal(operator.retryDeadLetter({ ...letter, reason: " " }, at("wallet"))), "InvalidArgument");
  await operator.retryDeadLetter(letter, at("wallet"));
  await operator.retryDeadLetter(letter, at("wallet"));
  assert.equal(await refusal(operator.retryDeadLetter({ ...letter, reason: "another reason" }, at("wallet"))), "InvalidArgument REQUEST_ID_REUSED");
  const { actions } = await operator.listDeadLetterActions({}, at("wallet"));
  assert.equal(actions.filter((action) => action.streamId === playerId).length, 1);
  for (let tries = 0; sql("wallet", `select count(*) from accounts where player_id = '${playerId}'`) !== "1"; tries += 1) {
    assert.ok(tries < 300, "it was never handled");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const late = { ...letter, requestId: requestId() };
  assert.equal(await refusal(operator.skipDeadLetter(late, at("wallet"))), "NotFound DEAD_LETTER_UNKNOWN");
});

test("an operator sees every service ready, and its consumers close behind", async () => {
  const { page } = operator;
  await page.goto("/console/services");
  for (const service of ["gateway", "matchmaking", "fairplay", "wallet", "game", "rating"]) {
    await page.waitForSelector(`[data-service=${service}][data-state=ready]`);
  }
  await page.waitForSelector("[data-service=wallet] [data-consumer=wallet_players] [data-lag='0']");
  await page.waitForSelector("[data-service=rating] [data-consumer] [data-lag='0']");
  assert.match(await page.innerText("[data-service=game]"), /Version\s+0\.1\.0/);
});

test("an operator follows one match from the stake to the payout, and its money sums to zero", async () => {
  const { page } = operator;
  await page.goto("/console/match");
  await page.fill("input[name=id]", finished.gameId);
  await page.click(".search button");
  await page.waitForSelector(".timeline .event[data-kind=MatchClosed]");
  const told = await page.locator(".timeline > .event").evaluateAll((rows) => rows.map((row) => `${row.getAttribute("data-service")} ${row.getAttribute("data-kind")}`));
  const course = [
    "matchmaking MatchProposed",
    "fairplay PairingReserved",
    "matchmaking StakesRequested",
    "wallet StakesHeld",
    "matchmaking MatchConfirmed",
    "game GameStarted",
    "game GameEnded",
    "wallet PotPaid",
  ];
  const places = course.map((step) => told.indexOf(step));
  assert.ok(places.every((place) => place >= 0), `${course.join(", ")} in ${told.join(", ")}`);
  assert.deepEqual([...places].sort((one, other) => one - other), places, told.join(", "));
  for (const step of ["rating RatingsChanged", "fairplay PairingCounted", "fairplay AnalysisQueued"]) assert.ok(told.includes(step), step);
  const trace = await page.getAttribute(".console > .facts a[href^='https://traces.example/']", "href");
  assert.match(trace!, /^https:\/\/traces\.example\/trace\/[0-9a-f]{32}$/);
  assert.equal(await page.getAttribute(".ledger", "data-sum"), "0");
  assert.equal(await page.getAttribute(".t-account[data-account^=POT]", "data-balance"), "0");
  const winner = await asPlayer(finished.black.name);
  const net = await page.getAttribute(`.t-account[data-account='AVAILABLE ${winner.id}']`, "data-balance");
  const shown = await finished.black.page.getAttribute(".settlement [data-net]", "data-net").catch(() => null);
  const { lines } = await winner.wallet.listStatement({ pageSize: 100 });
  const own = lines.filter((line) => line.gameId === finished.gameId).reduce((sum, line) => sum + line.availableChange!.minorUnits, 0n);
  assert.equal(net, own.toString());
  if (shown !== null) assert.equal(net, shown);
  await page.click(".timeline .event[data-kind=GameEnded] summary");
  assert.match(await page.innerText(".timeline .event[data-kind=GameEnded] pre"), /CHECKMATE/);
  await page.click(`a[href="/replay/${finished.gameId}"]`);
  await page.waitForSelector(".replay");
});

test("the T-accounts of the whole ledger sum to zero, as the database's own entries do", async () => {
  const { page } = operator;
  await page.goto("/console/ledger");
  await page.waitForSelector("[data-currency=XPL][data-sum='0']");
  await page.waitForSelector("text=Sums to zero");
  const fees = await page.getAttribute("[data-account=FEES]", "data-balance");
  assert.equal(fees, sql("wallet", "select sum(change) from entries where kind = 4 and currency = 'XPL'"));
  assert.ok(BigInt(fees!) > 0n, "the finished game has paid a fee");
});

test("an operator tries a dead letter again with a reason, and it takes effect", async () => {
  const { page } = operator;
  const { playerId, error } = parkLetter();
  await page.goto("/console/dead-letters");
  const letter = `[data-letter='${playerId}']`;
  await page.waitForSelector(`${letter}[data-reason=FAULT]`);
  assert.ok((await page.innerText(letter)).includes(error));
  await page.click(`${letter} >> text=Try again`);
  await page.fill("dialog textarea", "the missing rows are back");
  await page.click("dialog button[type=submit]");
  await page.waitForSelector(letter, { state: "detached" });
  await page.waitForSelector("[data-done=RETRY] >> text=the missing rows are back");
  assert.equal(sql("wallet", `select count(*) from accounts where player_id = '${playerId}'`), "1");
  assert.equal(sql("wallet", `select count(*) from dead_letters where stream_id = '${playerId}'`), "0");
});

test("a letter that is left out has no effect and stands in what was done", async () => {
  const { page } = operator;
  const { playerId } = parkLetter();
  await page.goto("/console/dead-letters");
  await page.click(`[data-letter='${playerId}'] >> text=Leave out`);
  await page.fill("dialog textarea", "a test that nobody needs");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
  await page.click(`[data-letter='${playerId}'] >> text=Leave out`);
  await page.fill("dialog textarea", "a test that nobody needs");
  await page.click("dialog button[type=submit]");
  await page.waitForSelector(`[data-letter='${playerId}']`, { state: "detached" });
  await page.waitForSelector("[data-done=SKIP] >> text=a test that nobody needs");
  assert.equal(sql("wallet", `select count(*) from accounts where player_id = '${playerId}'`), "0");
});

test("the tail shows the newest events of all services, and only those that are asked for", async () => {
  const { page } = operator;
  await page.goto("/console/events");
  await page.waitForSelector(".event");
  const services = await page.locator(".event").evaluateAll((rows) => [...new Set(rows.map((row) => row.getAttribute("data-service")))]);
  assert.ok(services.length > 2, services.join());
  await page.selectOption("select[name=service]", "game");
  await page.fill("input[name=kind]", "GameEnded");
  await page.click(".search button");
  await page.waitForFunction(() => {
    const rows = [...document.querySelectorAll(".event")];
    return rows.length > 0 && rows.every((row) => row.getAttribute("data-kind") === "GameEnded");
  });
  await page.selectOption("select[name=service]", "");
  await page.fill("input[name=kind]", "");
  await page.click(".search button");
  await page.check("text=Follow new events");
  const late = await signedUp(browsers[1], "late");
  const { id } = await asPlayer(late.name);
  await page.waitForSelector(`.event[data-kind=PlayerRegistered]`);
  await page.waitForSelector(`.event[data-kind=PlayerRegistered] >> text=${late.name}`);
  assert.ok(id.length > 0);
});

test("the queues show who waits and how far his window reaches", async () => {
  const seat = await signedUp(browsers[1], "wait");
  await seat.page.click("[data-city=havana] a[href='/play/havana/5+0']");
  await seat.page.waitForSelector(".queue[data-state=searching]");
  const { page } = operator;
  await page.goto("/console/queues");
  const row = page.locator("[data-queue='havana/5+0'] tr[data-window]", { hasText: seat.name });
  await row.waitFor();
  assert.match(await row.innerText(), /1,?400 – 1,?600/);
  await page.waitForFunction(() => Number(document.querySelector("[data-queue='havana/5+0'] tr[data-window]")?.getAttribute("data-window")) > 100);
  await seat.page.click("text=Leave the queue");
  await page.waitForSelector("[data-queue='havana/5+0'][data-waiting='0']");
});

test("a moderator reads the evidence, decides with a reason, and takes it back", async () => {
  const { page } = moderator;
  const suspect = await asPlayer(finished.black.name);
  const caseId = openCase(suspect.id, finished.gameId);
  await page.goto("/console/cases");
  await page.click(`[data-case='${caseId}'] >> text=Look at the evidence`);
  await page.waitForSelector(".evidence[data-level=FLAG]");
  await page.waitForSelector(`h1:has-text("Case")`);
  await page.waitForSelector(`.facts >> text=${finished.black.name}`);
  const evidence = await page.innerText(".evidence");
  for (const figure of ["+41.7", "301.0", "204.6", "13.4", "+7.2", "0.04%", "0.19%", "25,000", "2026-11-29-4f1c", "Recapture"]) {
    assert.ok(evidence.includes(figure), `${figure} in ${evidence}`);
  }
  await page.click("text=Clear the player");
  await page.fill("dialog textarea", "He streamed all of these games with his hands in view.");
  await page.click("dialog button[type=submit]");
  await page.waitForSelector(".case-page[data-decision=CLEARED]");
  await page.waitForSelector("[data-decided=CLEARED] >> text=hands in view");
  assert.equal(sql("fairplay", `select is_barred from players where player_id = '${suspect.id}'`), "f");
  await page.click("text=Reverse: confirm the evidence");
  await page.fill("dialog textarea", "The stream was a recording.");
  await page.click("dialog button[type=submit]");
  await page.waitForSelector(".case-page[data-decision=CONFIRMED]");
  assert.equal(await page.locator("[data-decided]").count(), 2);
  await page.waitForSelector(`[data-decided=CONFIRMED] >> text=${MODERATOR}`);
  assert.equal(sql("fairplay", `select is_barred from players where player_id = '${suspect.id}'`), "t");
  await page.goto("/console/cases");
  await page.waitForSelector("text=No case waits for a decision.");
  await page.selectOption("select[name=which]", "all");
  await page.waitForSelector(`[data-case='${caseId}'][data-decision=CONFIRMED]`);
});

test("a player reports his opponent from the replay, and the moderator reads it with the case", async () => {
  const { page } = finished.white;
  await page.goto(`/replay/${finished.gameId}`);
  await page.click("text=Report the opponent");
  await page.fill(".report-opponent textarea", "Every move took exactly three seconds.");
  await page.click(".report-opponent button");
  await page.waitForSelector("text=A person will look at it.");
  const suspect = await asPlayer(finished.black.name);
  const caseId = openCase(suspect.id, finished.gameId);
  await moderator.page.goto(`/console/cases/${caseId}`);
  await moderator.page.waitForSelector("section >> text=Every move took exactly three seconds.");
});

test("a telling move leads to its ply in the replay", async () => {
  const { page } = moderator;
  const suspect = await asPlayer(finished.black.name);
  const caseId = openCase(suspect.id, finished.gameId);
  await page.goto(`/console/cases/${caseId}`);
  await page.click("[data-telling='4'] a");
  await page.waitForSelector(".replay[data-ply='4']");
  await page.waitForSelector(".report .graph", { timeout: 60_000 });
});

test("axe finds nothing on any page of the consoles, and none is wider than a phone", async () => {
  const suspect = await asPlayer(finished.white.name);
  const caseId = openCase(suspect.id, finished.gameId);
  parkLetter();
  const places: [string, string, string][] = [
    [OPERATOR, "/console/services", ".service .facts"],
    [OPERATOR, "/console/events", ".event"],
    [OPERATOR, "/console/match", ".rows .card"],
    [OPERATOR, `/console/match/${finished.gameId}`, ".timeline .event"],
    [OPERATOR, "/console/ledger", ".t-account"],
    [OPERATOR, "/console/dead-letters", ".letter"],
    [OPERATOR, "/console/queues", ".chips"],
    [MODERATOR, "/console/cases", ".case"],
    [MODERATOR, `/console/cases/${caseId}`, ".evidence"],
  ];
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    for (const name of [OPERATOR, MODERATOR]) {
      const seat = await staff(browsers[0], name, { colorScheme });
      for (const [, address, ready] of places.filter(([role]) => role === name)) {
        await seat.page.setViewportSize({ width: 1280, height: 800 });
        await seat.page.goto(address);
        await seat.page.waitForSelector(ready);
        await seat.page.evaluate(AXE);
        const broken = await seat.page.evaluate(async () => {
          const axe = (window as unknown as { axe: { run: () => Promise<{ violations: { impact: string; id: string; nodes: { html: string; failureSummary: string }[] }[] }> } }).axe;
          return (await axe.run()).violations.map((one) => `${one.impact} ${one.id}: ${one.nodes.map((node) => `${node.html} ${node.failureSummary}`).join(" | ")}`);
        });
        found.push(...broken.map((one) => `${address} ${colorScheme}: ${one}`));
        await seat.page.setViewportSize({ width: 390, height: 844 });
        const wide = await seat.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        if (wide > 0) found.push(`${address}: ${wide} px too wide`);
      }
      assert.deepEqual(seat.faults, []);
      assert.deepEqual(seat.foreign, []);
      await seat.context.close();
    }
  }
  assert.deepEqual(found, []);
});
