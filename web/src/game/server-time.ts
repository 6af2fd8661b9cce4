// The server's clock as far as a client can know it.

/// Samples that count; older ones are forgotten, so that a sleep or a corrected clock is forgotten too.
const SAMPLES = 8;

/// Estimates the server's time. A frame is always late, never early: of several, the one that came quickest tells most.
export class ServerTime {
  private offsets: number[] = [];

  /// Notes that a frame which left at `serverMs` has just arrived.
  note(serverMs: number, localMs: number): void {
    this.offsets.push(serverMs - localMs);
    if (this.offsets.length > SAMPLES) this.offsets.shift();
  }

  /// Forgets everything: after a new connection the delays are others.
  forget(): void {
    this.offsets = [];
  }

  /// The server's time at a moment of the local monotonic clock.
  at(localMs: number): number {
    return this.offsets.length === 0 ? Date.now() : localMs + Math.max(...this.offsets);
  }
}
