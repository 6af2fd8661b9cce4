// Two clients a game in a closed loop: a move is sent when the opponent's has been seen, and counts when it was acknowledged to
// its mover and seen by his opponent. Prints `begun` when all are seated and then one JSON line.
//   node load.mjs URL GAMES.json THINK_MS
import { readFileSync } from "node:fs";
import { Client } from "@colyseus/sdk";

const [url, file, think] = process.argv.slice(2);
const thinkMs = Number(think);
const lines = JSON.parse(readFileSync(file, "utf8"));
const SEATED_AT_ONCE = 20;
const PATIENCE_MS = 120_000;

// Promise.withResolvers, which Node.js has from 22 on.
function deferred() {
  const one = {};
  one.promise = new Promise((resolve, reject) => Object.assign(one, { resolve, reject }));
  return one;
}

async function pause(ms) {
  if (ms > 0) {
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
}

// What a client waits for: an acknowledgement, and the opponent's moves up to some ply.
class Player {
  seen = 0;
  waiting = null;
  acknowledged = null;

  constructor(room) {
    this.room = room;
    room.onMessage("played", () => this.acknowledged.resolve());
    room.onMessage("refused", (refused) => this.acknowledged.reject(new Error(`refused: ${JSON.stringify(refused)}`)));
    room.onMessage("move", ({ ply }) => {
      this.seen = ply + 1;
      this.waiting?.resolve();
    });
  }

  async untilSeen(plies) {
    while (this.seen < plies) {
      this.waiting = deferred();
      await this.waiting.promise;
    }
  }

  async play(line, first, times, beginsAfterMs) {
    await pause(beginsAfterMs);
    for (let ply = first; ply < line.length; ply += 2) {
      await this.untilSeen(ply);
      await pause(thinkMs);
      const sent = performance.now();
      this.acknowledged = deferred();
      this.room.send("move", { uci: line[ply], ply });
      await this.acknowledged.promise;
      // The opponent may have answered by now.
      this.seen = Math.max(this.seen, ply + 1);
      times.push(performance.now() - sent);
    }
    await this.untilSeen(line.length);
  }
}

async function seat(client) {
  const white = await client.create("chess", {});
  const black = await client.joinById(white.roomId, {});
  return [new Player(white), new Player(black)];
}

const client = new Client(url);
const games = [];
for (let start = 0; start < lines.length; start += SEATED_AT_ONCE) {
  const some = lines.slice(start, start + SEATED_AT_ONCE);
  games.push(...(await Promise.all(some.map(() => seat(client)))));
}
setTimeout(() => {
  console.error("the games did not end in time");
  process.exit(1);
}, PATIENCE_MS + lines[0].length * thinkMs);
console.log("begun");
const began = performance.now();
const timesMs = [];
await Promise.all(
  games.flatMap(([white, black], game) => {
    // People do not move all in one instant: games begin one after the other within the time of a thought.
    const beginsAfterMs = (thinkMs * game) / games.length;
    return [white.play(lines[game], 0, timesMs, beginsAfterMs), black.play(lines[game], 1, timesMs, beginsAfterMs)];
  }),
);
const tookMs = performance.now() - began;
timesMs.sort((one, other) => one - other);
const at = (part) => timesMs[Math.min(timesMs.length - 1, Math.round(part * (timesMs.length - 1)))];
console.log(JSON.stringify({ moves: timesMs.length, tookMs, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) }));
process.exit(0);
