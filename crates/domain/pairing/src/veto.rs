//! Why two players in range are still not paired.

use crate::Ticket;

/// For this long nobody is paired with the opponent he has just left, so that somebody else can come. It counts from the
/// later of the two queueing. After it the rematch is allowed, when there is nobody else in range.
pub const REMATCH_HOLD_MS: i64 = 10_000;

/// A game that ended longer ago than this, counted to the later queueing, is no longer "the one just played". It is the time a finished
/// game stays open for a rematch.
pub const REMATCH_MEMORY_MS: i64 = 600_000;

/// Why two players are never paired, whatever the wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Veto {
    /// Both tickets are one player's.
    SamePlayer,
    /// One of the two has blocked the other.
    Blocked,
    /// They have met as often as one may on a day.
    PairLimitReached,
}

/// The veto on this pair, when there is one. It takes one of the two tickets to know of it.
#[must_use]
pub fn veto(a: &Ticket, b: &Ticket) -> Option<Veto> {
    if a.player == b.player {
        Some(Veto::SamePlayer)
    } else if a.blocked.contains(&b.player) || b.blocked.contains(&a.player) {
        Some(Veto::Blocked)
    } else if a.exhausted.contains(&b.player) || b.exhausted.contains(&a.player) {
        Some(Veto::PairLimitReached)
    } else {
        None
    }
}

/// How a pair stands to the game the two may have just played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rematch {
    /// They do not come from a game with each other.
    No,
    /// They do, and somebody else may still come.
    Held,
    /// They do, and have waited long enough to meet again.
    Allowed,
}

pub(crate) fn rematch(a: &Ticket, b: &Ticket, now_ms: i64) -> Rematch {
    let queued_at_ms = a.queued_at_ms.max(b.queued_at_ms);
    let just_met = |ticket: &Ticket, other: &Ticket| {
        ticket.last_encounter.is_some_and(|game| {
            game.opponent == other.player
                && queued_at_ms.saturating_sub(game.ended_at_ms) <= REMATCH_MEMORY_MS
        })
    };
    if !just_met(a, b) && !just_met(b, a) {
        Rematch::No
    } else if now_ms.saturating_sub(queued_at_ms) < REMATCH_HOLD_MS {
        Rematch::Held
    } else {
        Rematch::Allowed
    }
}
