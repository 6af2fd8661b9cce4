// Chess rooms on Colyseus, as somebody would write them who takes the framework as it comes: who sits where, whose turn it is,
// whether the move is legal, and the clock are the server's business. With DATABASE_URL each move is one committed row before
// it is acknowledged or shown; without, rooms live in memory. Prints one line `ready` when it listens.
import { createServer } from "node:http";
import { Room, Server } from "@colyseus/core";
import { WebSocketTransport } from "@colyseus/ws-transport";
import { Chess } from "chessops/chess";
import { parseUci } from "chessops/util";
import { Pool } from "pg";

const PORT = Number(process.env.PORT);
const BASE_MS = 180_000;
const INCREMENT_MS = 2_000;
// More connections make Postgres slower on few processors; fewer leave it idle. Set by POOL, measured in the run.
const pool = process.env.DATABASE_URL
  ? new Pool({ connectionString: process.env.DATABASE_URL, max: Number(process.env.POOL ?? 16), idleTimeoutMillis: 0 })
  : null;

const CREATE = `create table if not exists moves (
  game_id text not null, ply integer not null, uci text not null, at_ms bigint not null, elapsed_ms integer not null,
  white_ms integer not null, black_ms integer not null, primary key (game_id, ply))`;
// A named statement: parsed and planned once a connection.
const INSERT = {
  name: "move",
  text: "insert into moves (game_id, ply, uci, at_ms, elapsed_ms, white_ms, black_ms) values ($1, $2, $3, $4, $5, $6, $7)",
};

class ChessRoom extends Room {
  maxClients = 2;
  // Everything is said by messages; there is no state to compare and send.
  patchRate = null;
  position = Chess.default();
  ply = 0;
  seats = [];
  clocksMs = [BASE_MS, BASE_MS];
  turnBeganMs = 0;
  isWriting = false;

  onCreate() {
    this.onMessage("move", (client, message) => this.move(client, message));
  }

  onJoin(client) {
    this.seats.push(client.sessionId);
  }

  async move(client, { uci, ply }) {
    const side = this.ply % 2;
    if (this.isWriting || ply !== this.ply || this.seats[side] !== client.sessionId) {
      return client.send("refused", { ply: this.ply, reason: "turn" });
    }
    const move = parseUci(String(uci));
    if (!move || !this.position.isLegal(move)) {
      return client.send("refused", { ply: this.ply, reason: "illegal" });
    }
    const now = Date.now();
    const elapsedMs = this.ply < 2 ? 0 : now - this.turnBeganMs;
    const leftMs = this.clocksMs[side] - elapsedMs;
    if (leftMs < 0) {
      return client.send("refused", { ply: this.ply, reason: "time" });
    }
    const clocksMs = [...this.clocksMs];
    clocksMs[side] = leftMs + INCREMENT_MS;
    if (pool) {
      this.isWriting = true;
      try {
        await pool.query({ ...INSERT, values: [this.roomId, ply, uci, now, elapsedMs, clocksMs[0], clocksMs[1]] });
      } finally {
        this.isWriting = false;
      }
    }
    this.position.play(move);
    this.clocksMs = clocksMs;
    this.turnBeganMs = now;
    this.ply += 1;
    client.send("played", { ply });
    this.broadcast("move", { ply, uci, clocksMs, isOver: this.position.isEnd() }, { except: client });
  }
}

if (pool) {
  await pool.query(CREATE);
}
const server = new Server({
  greet: false,
  gracefullyShutdown: false,
  transport: new WebSocketTransport({ server: createServer(), pingInterval: 0 }),
});
server.define("chess", ChessRoom);
await server.listen(PORT, "127.0.0.1");
console.log("ready");
