// The game that everybody is shown, and which it is next.

import { Code } from "@connectrpc/connect";
import { signal } from "@preact/signals";

import type { FeaturedGameFrame, WatchFeaturedResponse } from "../gen/stakemate/game/v1/game_service_pb.ts";
import { games } from "../wire/clients/games.ts";
import { follow, type Next } from "../wire/follow.ts";
import { isPassing, refusalOf } from "../wire/refusal.ts";

/// Follows it until it is ended.
export class LiveFeatured {
  /// The game; `undefined` until something is known, null when none is running.
  readonly game = signal<FeaturedGameFrame | null | undefined>(undefined);

  private stop: (() => void) | null = null;

  /// Begins to follow.
  start(): void {
    this.stop ??= follow<WatchFeaturedResponse>({
      open: (signal) => games.watchFeatured({}, { signal }),
      onFrame: (frame) => this.onFrame(frame),
      onFailure: (error) => this.onFailure(error),
      onLink: () => undefined,
    });
  }

  /// Stops following.
  end(): void {
    this.stop?.();
    this.stop = null;
  }

  private onFrame({ frame }: WatchFeaturedResponse): Next {
    if (frame.case === "game") this.game.value = frame.value;
    else if (frame.case === "nothing") this.game.value = null;
    else if (frame.case === "draining") return { go: "again", afterMs: frame.value.reconnectAfterMs };
    return { go: "on" };
  }

  private onFailure(error: unknown): Next {
    if (isPassing(error) || refusalOf(error).code === Code.Unauthenticated) return { go: "on" };
    this.game.value = null;
    return { go: "end" };
  }
}
