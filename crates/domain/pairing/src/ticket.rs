//! What a waiting player brings to the queue.

use std::collections::BTreeSet;

/// A player (the person, not the connection), as the 128-bit number of the id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlayerId(u128);

impl PlayerId {
    /// The id with this number (the big-endian value of the UUID's bytes).
    #[must_use]
    pub const fn new(value: u128) -> Self {
        Self(value)
    }

    /// The id as a number.
    #[must_use]
    pub const fn value(self) -> u128 {
        self.0
    }
}

/// The game a player has just come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Encounter {
    /// Against whom.
    pub opponent: PlayerId,
    /// When it ended, in Unix milliseconds.
    pub ended_at_ms: i64,
}

/// A player waiting in a queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ticket {
    /// Who waits. A second ticket of the same player is ignored; the one that has waited longer counts.
    pub player: PlayerId,
    /// The rating as people see it: a whole number, so that "within 100" means what is shown.
    pub rating: i32,
    /// Since when, in Unix milliseconds. A player put back after a cancelled match keeps the time he queued at first.
    pub queued_at_ms: i64,
    /// Games as White less games as Black, over the player's recent games.
    pub color_balance: i32,
    /// The game the player has just come from, when there was one.
    pub last_encounter: Option<Encounter>,
    /// Players this one does not want to meet.
    pub blocked: BTreeSet<PlayerId>,
    /// Players this one has met as often as one may on a day.
    pub exhausted: BTreeSet<PlayerId>,
}

impl Ticket {
    /// A ticket without any history.
    #[must_use]
    pub const fn new(player: PlayerId, rating: i32, queued_at_ms: i64) -> Self {
        Self {
            player,
            rating,
            queued_at_ms,
            color_balance: 0,
            last_encounter: None,
            blocked: BTreeSet::new(),
            exhausted: BTreeSet::new(),
        }
    }

    /// How long the player has waited. Clocks of two machines may disagree, so a ticket from the future has waited no time.
    #[must_use]
    pub const fn waited_ms(&self, now_ms: i64) -> i64 {
        let waited_ms = now_ms.saturating_sub(self.queued_at_ms);
        if waited_ms > 0 { waited_ms } else { 0 }
    }
}
