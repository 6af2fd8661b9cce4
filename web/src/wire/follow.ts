// A server stream that outlives its connections: it is opened again after a drop, a sleep or a change of network, and
// given up only when the service says so.

import { isCancelled } from "./refusal.ts";

/// A stream is silent for ten seconds at most; after this long it is taken for dead.
const SILENCE_MS_MAX = 16_000;
const BACKOFF_MS_MIN = 250;
const BACKOFF_MS_MAX = 8_000;
/// A page that comes back to the front after this long asks at once instead of waiting for the watchdog.
const WAKE_AFTER_MS = 4_000;

/// How a stream stands.
export type Link = "connecting" | "live" | "waiting" | "ended";

/// What a frame or a failure means for the stream.
export type Next = { go: "on" } | { go: "end" } | { go: "again"; afterMs: number };

/// What is followed, and who is told.
export interface Following<Frame> {
  open(signal: AbortSignal): AsyncIterable<Frame>;
  onFrame(frame: Frame): Next;
  onFailure(error: unknown): Next;
  /// What it means that the server ended the stream in order; that it is to be taken up again, when left out.
  onEnd?(): Next;
  onLink(link: Link): void;
}

/// Follows until it is ended by a frame, a failure or the returned function.
export function follow<Frame>(following: Following<Frame>): () => void {
  const stopped = new AbortController();
  let current: AbortController | null = null;
  let lastFrameAt = performance.now();
  let wake: (() => void) | null = null;

  const revive = (): void => {
    if (document.visibilityState === "hidden") return;
    wake?.();
    if (performance.now() - lastFrameAt > WAKE_AFTER_MS) current?.abort();
  };
  const revoke = (): void => {
    wake?.();
    current?.abort();
  };
  const watchdog = setInterval(() => {
    if (performance.now() - lastFrameAt > SILENCE_MS_MAX) current?.abort();
  }, 1_000);
  window.addEventListener("online", revoke);
  document.addEventListener("visibilitychange", revive);
  stopped.signal.addEventListener("abort", () => {
    clearInterval(watchdog);
    window.removeEventListener("online", revoke);
    document.removeEventListener("visibilitychange", revive);
    current?.abort();
    wake?.();
  });

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  let heard = false;
  const once = async (): Promise<Next> => {
    heard = false;
    current = new AbortController();
    lastFrameAt = performance.now();
    try {
      for await (const frame of following.open(current.signal)) {
        lastFrameAt = performance.now();
        heard = true;
        following.onLink("live");
        const next = following.onFrame(frame);
        if (next.go !== "on") return next;
      }
      return following.onEnd?.() ?? { go: "on" };
    } catch (error) {
      if (stopped.signal.aborted) return { go: "end" };
      // Ended by the watchdog or by waking up: that is a drop, not a refusal.
      return isCancelled(error) || current.signal.aborted ? { go: "on" } : following.onFailure(error);
    } finally {
      current.abort();
    }
  };

  const run = async (): Promise<void> => {
    let backoffMs = BACKOFF_MS_MIN;
    while (!stopped.signal.aborted) {
      following.onLink("connecting");
      const next = await once();
      if (stopped.signal.aborted) return;
      if (next.go === "end") break;
      following.onLink("waiting");
      // Only what never spoke is asked less and less often: a player whose line drops now and then is back at once.
      if (heard) backoffMs = BACKOFF_MS_MIN;
      const waitMs = next.go === "again" ? next.afterMs : backoffMs * (0.5 + Math.random());
      backoffMs = Math.min(backoffMs * 2, BACKOFF_MS_MAX);
      await pause(waitMs);
      wake = null;
    }
    following.onLink("ended");
    stopped.abort();
  };
  void run();
  return () => stopped.abort();
}
