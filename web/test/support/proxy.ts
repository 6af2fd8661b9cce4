// A bad network: what goes between a browser and the edge passes here, and can be delayed, cut or refused.

import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

import { EDGE } from "./browsers.ts";

/// A proxy on a port of its own.
export class Proxy {
  /// Delay of every piece in either direction, in milliseconds.
  delayMs = 0;
  /// Whether connections are cut and new ones refused.
  down = false;
  /// A call whose request is passed on and whose answer is lost, once.
  loseAnswerOf: string | null = null;
  /// How many answers were lost.
  lost = 0;

  private readonly sockets = new Set<Socket>();
  private constructor(private readonly server: Server) {}

  /// Starts one.
  static async start(): Promise<Proxy> {
    const server = createServer();
    const proxy = new Proxy(server);
    server.on("connection", (client) => proxy.accept(client));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  /// Its address.
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /// Cuts every connection.
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /// Takes the network away, or gives it back.
  set(state: "down" | "up"): void {
    this.down = state === "down";
    if (this.down) this.cut();
  }

  /// Ends.
  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private accept(client: Socket): void {
    if (this.down) {
      client.destroy();
      return;
    }
    const edge = new URL(EDGE);
    const upstream = connect(Number(edge.port), edge.hostname);
    for (const socket of [client, upstream]) {
      this.sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        this.sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on("data", (piece) => {
      const losing = this.loseAnswerOf !== null && piece.includes(this.loseAnswerOf);
      if (losing) {
        this.loseAnswerOf = null;
        upstream.removeAllListeners("data");
        upstream.once("data", () => {
          this.lost += 1;
          client.destroy();
        });
      }
      this.later(() => upstream.write(piece));
    });
    upstream.on("data", (piece) => this.later(() => client.write(piece)));
  }

  private later(work: () => void): void {
    if (this.delayMs === 0) work();
    else setTimeout(work, this.delayMs);
  }
}
