//! What a player's network delay is believed to be.

/// How many recent round trips the lower envelope is taken over.
pub const SAMPLES: usize = 8;

/// Tracks one player's round trip as the server sees it: it sends a nonce, the client returns it at once.
///
/// The measure is the *lower envelope* of the recent samples: the fourth lowest of eight, and of fewer the one that lies as low
/// among them. A slow answer or two do not raise it, and a jittering network gets back nearly all of its delay, which
/// the lowest alone would not give.
///
/// A client that answers nonces late on purpose is unmasked by its own quick moves, since no move comes back sooner than the
/// network lets it. A move that comes back within a sixth of the measure is jitter. One that comes back sooner proves
/// the samples false: they are forgotten, and the move's own time is the measure for this move and a ceiling for ever. Answers
/// that do not fit under it are not believed at all: who goes on answering late is credited nothing.
///
/// Answers that do not fit to the quickest of the last few moves are not believed either, and the next move makes a ceiling of
/// it: the lateness of some clients grows. It may also be the network that got slower, so this ceiling ends with the stream.
///
/// Keep one meter for each stream, made by [`LagMeter::for_next_stream`]: a player whose network really changes reconnects and is
/// measured afresh, but a proven lie is not forgotten by reconnecting.
#[derive(Clone, Debug, Default)]
pub struct LagMeter {
    samples: Recent,
    replies: Recent,
    proof: Option<Proof>,
}

/// The last few of something.
#[derive(Clone, Copy, Debug, Default)]
struct Recent {
    ms: [u32; SAMPLES],
    taken: usize,
}

impl Recent {
    fn push(&mut self, ms: u32) {
        self.ms[self.taken % SAMPLES] = ms;
        // Keeps the slot and says that the ring is full, without ever overflowing.
        self.taken = if self.taken + 1 == 2 * SAMPLES { SAMPLES } else { self.taken + 1 };
    }

    fn least_ms(&self) -> u32 {
        self.ms[..self.taken.min(SAMPLES)].iter().copied().min().unwrap_or(u32::MAX)
    }

    /// The last of the lower half.
    fn envelope_ms(mut self) -> Option<u32> {
        let taken = self.taken.min(SAMPLES);
        self.ms[..taken].sort_unstable();
        self.ms[..taken].get(taken.div_ceil(2).saturating_sub(1)).copied()
    }
}

/// A move that came back sooner than the nonces had said was possible.
#[derive(Clone, Copy, Debug)]
struct Proof {
    ceiling_ms: u32,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The move at hand is the first that proved it.
    Fresh,
    /// A move proved it that came when the nonces had said so.
    Lie,
    /// The nonces were answered ever later after a quick move. It may be the network, so a new stream is believed again.
    Growth,
}

impl LagMeter {
    /// A meter that has measured nothing.
    pub fn new() -> LagMeter {
        LagMeter::default()
    }

    /// A meter for the same player's next stream: nothing measured yet, but what was proven stays proven.
    pub fn for_next_stream(&self) -> LagMeter {
        let lie = self.proof.filter(|_| self.has_lied());
        LagMeter { proof: lie.map(|lie| Proof { kind: Kind::Lie, ..lie }), ..LagMeter::default() }
    }

    /// Whether a move has proved that nonces were answered late.
    pub fn has_lied(&self) -> bool {
        self.proof.is_some_and(|proof| proof.kind != Kind::Growth)
    }

    /// Takes in a round trip of a nonce.
    pub fn record_round_trip(&mut self, sample_ms: u32) {
        self.samples.push(sample_ms);
    }

    /// Takes in how long after the opponent's move was sent the player's own came back: no network is slower than that.
    /// Call it before reading [`LagMeter::measured_ms`] for the same move.
    pub fn record_reply(&mut self, elapsed_ms: u32) {
        let said_ms = u64::from(self.samples.envelope_ms().unwrap_or(0));
        self.replies.push(elapsed_ms);
        let before = self.proof.map(|proof| proof.kind);
        if let Some(proof) = &mut self.proof
            && proof.kind == Kind::Fresh
        {
            proof.kind = Kind::Lie;
        }
        let quickest_ms = self.replies.least_ms().min(self.ceiling_ms());
        if with_jitter(quickest_ms) >= said_ms {
            return;
        }
        let kind = match (with_jitter(elapsed_ms) < said_ms, before) {
            (true, None) => Kind::Fresh,
            (true, Some(_)) | (false, Some(Kind::Fresh | Kind::Lie)) => Kind::Lie,
            (false, None | Some(Kind::Growth)) => Kind::Growth,
        };
        self.samples = Recent::default();
        self.proof = Some(Proof { ceiling_ms: quickest_ms, kind });
    }

    /// The believed round trip; 0 when nothing has been measured, or nothing that was is believed.
    pub fn measured_ms(&self) -> u32 {
        let ceiling_ms = self.ceiling_ms();
        let quickest_ms = self.replies.least_ms().min(ceiling_ms);
        match (self.samples.envelope_ms(), self.proof) {
            (None, Some(Proof { ceiling_ms, kind: Kind::Fresh })) => ceiling_ms,
            (None, _) => 0,
            (Some(ms), _) if u64::from(ms) > with_jitter(quickest_ms) => 0,
            (Some(ms), _) => ms.min(ceiling_ms),
        }
    }

    fn ceiling_ms(&self) -> u32 {
        self.proof.map_or(u32::MAX, |proof| proof.ceiling_ms)
    }
}

/// The slowest that a network can seem which let a move through in `ms`.
fn with_jitter(ms: u32) -> u64 {
    u64::from(ms) * 6 / 5
}
