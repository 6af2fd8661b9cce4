// A game that is being watched or played: its stream, what the player has sent and not yet had acknowledged, and the
// server's time.

import { Code } from "@connectrpc/connect";
import { batch, computed, signal } from "@preact/signals";

import { GameStatus, type Move, type WatchGameResponse } from "../gen/stakemate/game/v1/game_service_pb.ts";
import { Color } from "../gen/stakemate/type/v1/color_pb.ts";
import { games } from "../wire/clients/games.ts";
import { follow, type Link, type Next } from "../wire/follow.ts";
import { ATTEMPT, insist } from "../wire/insist.ts";
import { isPassing, refusalOf } from "../wire/refusal.ts";
import { requestId } from "../wire/request-id.ts";
import { after, fromSnapshot, leavesGap, type GameState } from "./state.ts";
import { ServerTime } from "./server-time.ts";

/// The player's own move that the stream has not shown yet.
export interface Pending {
  ply: number;
  uci: string;
  /// The move as stored, once the server has acknowledged it.
  stored: Move | null;
}

/// How it stands with another game at the same table.
export interface Rematch {
  /// The player whose offer is open; empty without one.
  offerBy: string;
  /// The game that has begun; empty before.
  nextGameId: string;
  /// Whether both still sit there, as far as is known.
  open: boolean;
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
  /// When the side on move loses by being gone, in server time; 0 when nothing of the kind runs.
  readonly abandonmentAtMs = signal(0);
  /// At a table after the game: who has offered another, and whether there can be one.
  readonly rematch = signal<Rematch>({ offerBy: "", nextGameId: "", open: true });
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
      onEnd: () => this.onEnd(),
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
      const response = await insist(
        () => games.playMove(request, ATTEMPT),
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
    await insist(() => games.resign(request, ATTEMPT), () => this.isOver());
  }

  /// Offers a draw.
  async offerDraw(): Promise<void> {
    const request = { requestId: requestId(), gameId: this.id };
    const send = () => games.offerDraw(request, ATTEMPT);
    const response = await insist(send, () => this.isOver());
    if (response?.offersLeft !== undefined) this.offersLeft.value = response.offersLeft;
  }

  /// Answers the opponent's offer.
  async answerDraw(answer: "accept" | "decline"): Promise<void> {
    const request = { requestId: requestId(), gameId: this.id };
    const send = async () => {
      await (answer === "accept" ? games.acceptDraw(request, ATTEMPT) : games.declineDraw(request, ATTEMPT));
    };
    await insist(send, () => this.isOver());
  }

  /// Claims the draw that the position gives.
  async claimDraw(): Promise<void> {
    const request = { requestId: requestId(), gameId: this.id };
    await insist(() => games.claimDraw(request, ATTEMPT), () => this.isOver());
  }

  private isOver(): boolean {
    const status = this.state.value?.status ?? GameStatus.LIVE;
    return status !== GameStatus.LIVE;
  }

  private onFrame(response: WatchGameResponse): Next {
    this.time.note(Number(response.serverTimeMs), performance.now());
    this.abandonmentAtMs.value = Number(response.abandonmentAtMs);
    if (response.frame.case === "snapshot") {
      this.show(fromSnapshot(response.frame.value, response.sequence));
      return this.isDone() ? { go: "end" } : { go: "on" };
    }
    if (response.frame.case === "heartbeat") {
      this.answer(response.frame.value.nonce);
      return { go: "on" };
    }
    if (response.frame.case === "draining") {
      return { go: "again", afterMs: response.frame.value.reconnectAfterMs };
    }
    const state = this.state.value;
    if (state === null) return { go: "on" };
    if (this.noteRematch(response)) return { go: this.rematch.value.nextGameId === "" ? "on" : "end" };
    if (leavesGap(state, response)) return { go: "again", afterMs: 0 };
    this.show(after(state, response));
    if (response.frame.case === "resumed") void this.rereadClocks();
    return this.isDone() ? { go: "end" } : { go: "on" };
  }

  /// A stream of a game at a table has more to say after the game's end.
  private isDone(): boolean {
    return this.isOver() && this.state.value?.game.tableId === "";
  }

  private onEnd(): Next {
    if (!this.isOver()) return { go: "on" };
    this.rematch.value = { ...this.rematch.value, open: false };
    return { go: "end" };
  }

  /// Sends a nonce back at once: so the server knows how long the way is. A lost answer is nobody's loss.
  private answer(nonce: bigint): void {
    if (nonce !== 0n) games.pong({ gameId: this.id, nonce }, ATTEMPT).catch(() => undefined);
  }

  private noteRematch({ frame }: WatchGameResponse): boolean {
    const rematch = this.rematch.value;
    if (frame.case === "rematchOffered") this.rematch.value = { ...rematch, offerBy: frame.value.playerId };
    else if (frame.case === "rematchDeclined") this.rematch.value = { ...rematch, offerBy: "" };
    else if (frame.case === "rematchBegun") this.rematch.value = { ...rematch, nextGameId: frame.value.gameId };
    else return false;
    return true;
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
