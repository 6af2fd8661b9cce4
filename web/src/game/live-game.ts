// A game that is being watched or played: its stream, what the player has sent and not yet had acknowledged, and the
// server's time.

import { Code } from "@connectrpc/connect";
import { batch, computed, signal } from "@preact/signals";

import { GameStatus, type Move, type WatchGameResponse } from "../gen/stakemate/game/v1/game_service_pb.ts";
import { Color } from "../gen/stakemate/type/v1/color_pb.ts";
import { follow, type Link, type Next } from "../wire/follow.ts";
import { isPassing, refusalOf } from "../wire/refusal.ts";
import { requestId } from "../wire/request-id.ts";
import { games } from "../wire/transport.ts";
import { after, fromSnapshot, leavesGap, type GameState } from "./state.ts";
import { ServerTime } from "./server-time.ts";

/// A command is sent again after so long without an answer: its id makes that harmless.
const ATTEMPT_MS_MAX = 5_000;
const RETRY_MS_MIN = 200;
const RETRY_MS_MAX = 3_000;

/// The player's own move that the stream has not shown yet.
export interface Pending {
  ply: number;
  uci: string;
  /// The move as stored, once the server has acknowledged it.
  stored: Move | null;
}

/// Follows one game.
export class LiveGame {
  /// What the log says; null until the first frame.
  readonly state = signal<GameState | null>(null);
  /// How the stream stands.
  readonly link = signal<Link>("connecting");
  /// The own move under way.
  readonly pending = signal<Pending | null>(null);
  /// Why the game cannot be followed, for good.
  readonly failure = signal<unknown>(null);
  /// How many draw offers the server said are left, once it has said.
  readonly offersLeft = signal<number | null>(null);
  /// The UCIs of the game, with the own move under way.
  readonly ucis = computed(() => {
    const played = this.state.value?.moves.map((move) => move.uci) ?? [];
    const pending = this.pending.value;
    return pending !== null && pending.ply === played.length + 1 ? [...played, pending.uci] : played;
  });

  private readonly time = new ServerTime();
  private stop: (() => void) | null = null;

  constructor(readonly id: string) {}

  /// Begins to follow.
  start(): void {
    this.stop ??= follow<WatchGameResponse>({
      open: (signal) => games.watchGame({ gameId: this.id, resumeAfter: this.state.value?.sequence }, { signal }),
      onFrame: (frame) => this.onFrame(frame),
      onFailure: (error) => this.onFailure(error),
      onLink: (link) => {
        if (link === "connecting") this.time.forget();
        this.link.value = link;
      },
    });
  }

  /// Stops following.
  end(): void {
    this.stop?.();
    this.stop = null;
  }

  /// The server's time now.
  serverMs(): number {
    return this.time.at(performance.now());
  }

  /// Plays a move; the promise is kept when it is acknowledged and broken when it is refused.
  async play(uci: string): Promise<void> {
    const state = this.state.value;
    if (state === null || this.pending.value !== null) return;
    const expectedPly = state.moves.length;
    this.pending.value = { ply: expectedPly + 1, uci, stored: null };
    const request = { requestId: requestId(), gameId: this.id, uci, expectedPly };
    try {
      const response = await this.until(
        () => games.playMove(request, { timeoutMs: ATTEMPT_MS_MAX }),
        () => this.pending.value?.uci !== uci,
      );
      const pending = this.pending.value;
      if (response?.move !== undefined && pending?.ply === response.move.ply) {
        this.pending.value = { ...pending, stored: response.move };
      }
    } catch (error) {
      this.pending.value = null;
      throw error;
    }
  }

  /// Gives the game up.
  async resign(): Promise<void> {
    const request = { requestId: requestId(), gameId: this.id };
    await this.until(() => games.resign(request, { timeoutMs: ATTEMPT_MS_MAX }), () => this.isOver());
  }

  /// Offers a draw.
  async offerDraw(): Promise<void> {
    const request = { requestId: requestId(), gameId: this.id };
    const send = () => games.offerDraw(request, { timeoutMs: ATTEMPT_MS_MAX });
    const response = await this.until(send, () => this.isOver());
    if (response?.offersLeft !== undefined) this.offersLeft.value = response.offersLeft;
  }

  /// Answers the opponent's offer.
  async answerDraw(answer: "accept" | "decline"): Promise<void> {
    const request = { requestId: requestId(), gameId: this.id };
    const options = { timeoutMs: ATTEMPT_MS_MAX };
    const send = async () => {
      await (answer === "accept" ? games.acceptDraw(request, options) : games.declineDraw(request, options));
    };
    await this.until(send, () => this.isOver());
  }

  private isOver(): boolean {
    const status = this.state.value?.status ?? GameStatus.LIVE;
    return status !== GameStatus.LIVE;
  }

  /// Sends until there is an answer, or until the stream has shown that none is needed.
  private async until<T>(send: () => Promise<T>, isSettled: () => boolean): Promise<T | null> {
    let waitMs = RETRY_MS_MIN;
    for (;;) {
      try {
        return await send();
      } catch (error) {
        if (isSettled()) return null;
        if (!isPassing(error)) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, waitMs * (0.5 + Math.random())));
      if (isSettled()) return null;
      waitMs = Math.min(waitMs * 2, RETRY_MS_MAX);
    }
  }

  private onFrame(response: WatchGameResponse): Next {
    this.time.note(Number(response.serverTimeMs), performance.now());
    if (response.frame.case === "snapshot") {
      this.show(fromSnapshot(response.frame.value, response.sequence));
      return this.isOver() ? { go: "end" } : { go: "on" };
    }
    if (response.frame.case === "draining") {
      return { go: "again", afterMs: response.frame.value.reconnectAfterMs };
    }
    const state = this.state.value;
    if (state === null || response.frame.case === "heartbeat") return { go: "on" };
    if (leavesGap(state, response)) return { go: "again", afterMs: 0 };
    this.show(after(state, response));
    if (response.frame.case === "resumed") void this.rereadClocks();
    return this.isOver() ? { go: "end" } : { go: "on" };
  }

  private onFailure(error: unknown): Next {
    const { code, reason } = refusalOf(error);
    if (reason === "RESUME_BEYOND_LOG") {
      this.state.value = null;
      return { go: "again", afterMs: 0 };
    }
    if (isPassing(error) || code === Code.Unauthenticated) return { go: "on" };
    this.failure.value = error;
    return { go: "end" };
  }

  private show(state: GameState): void {
    batch(() => {
      this.state.value = state;
      const pending = this.pending.value;
      const played = pending === null ? undefined : state.moves[pending.ply - 1];
      if (pending !== null && (played !== undefined || state.status !== GameStatus.LIVE)) this.pending.value = null;
    });
  }

  /// A frame that says how long the server stood still may be old by the time it comes; the present clocks are asked for.
  private async rereadClocks(): Promise<void> {
    const { game, sequence } = await games.getGame({ gameId: this.id }).catch(() => ({ game: undefined, sequence: 0n }));
    const state = this.state.value;
    if (game !== undefined && state?.sequence === sequence) {
      const { clocks } = fromSnapshot(game, sequence);
      this.state.value = { ...state, clocks };
    }
  }
}

/// The side that a player has in a game; unspecified for everybody else.
export function sideOf(state: GameState, playerId: string | undefined): Color {
  if (playerId === undefined) return Color.UNSPECIFIED;
  if (state.game.white?.playerId === playerId) return Color.WHITE;
  return state.game.black?.playerId === playerId ? Color.BLACK : Color.UNSPECIFIED;
}
