//! What a player's network delay is believed to be.

/// How many recent round trips the lower envelope is taken over.
pub const SAMPLES: usize = 8;

/// Tracks one player's round trip as the server sees it: it sends a nonce, the client returns it at once.
///
/// The measure is the *lower envelope* of the recent samples, so one slow answer does not help. A client that answers
/// nonces late on purpose is unmasked by its own quick moves: a move that comes back sooner than the measured round trip
/// proves it false, and no later sample is believed beyond that proof. Keep one meter for each stream: a player
/// whose network really changes reconnects and is measured afresh.
#[derive(Clone, Debug, Default)]
pub struct LagMeter {
    samples_ms: [u32; SAMPLES],
    taken: usize,
    proof_ms: Option<u32>,
}

impl LagMeter {
    /// A meter that has measured nothing.
    pub fn new() -> LagMeter {
        LagMeter::default()
    }

    /// Takes in a round trip of a nonce.
    pub fn record_round_trip(&mut self, sample_ms: u32) {
        self.samples_ms[self.taken % SAMPLES] = sample_ms;
        // Keeps the slot and says that the ring is full, without ever overflowing.
        self.taken = if self.taken + 1 == 2 * SAMPLES { SAMPLES } else { self.taken + 1 };
    }

    /// Takes in how long after the opponent's move was sent the player's own came back: no network is slower than that.
    /// Call it before reading [`LagMeter::measured_ms`] for the same move.
    pub fn record_reply(&mut self, elapsed_ms: u32) {
        if elapsed_ms < self.measured_ms() {
            self.proof_ms = Some(elapsed_ms);
        }
    }

    /// The believed round trip; 0 when nothing has been measured.
    pub fn measured_ms(&self) -> u32 {
        let taken = self.taken.min(SAMPLES);
        let envelope_ms = self.samples_ms[..taken].iter().copied().min().unwrap_or(0);
        self.proof_ms.map_or(envelope_ms, |proof_ms| proof_ms.min(envelope_ms))
    }
}
