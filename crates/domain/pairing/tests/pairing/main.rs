//! The tests of the pairing, in one binary because they share a few words.

mod properties;
mod rules;

use domain_pairing::{Encounter, PlayerId, Ticket};

/// An hour after some start, so that waits can lie before it.
const NOW_MS: i64 = 3_600_000;

const fn player(number: u128) -> PlayerId {
    PlayerId::new(number)
}

/// A ticket that has waited so many milliseconds.
const fn waiting(number: u128, rating: i32, waited_ms: i64) -> Ticket {
    Ticket::new(player(number), rating, NOW_MS - waited_ms)
}

/// The ticket of somebody whose last game, against this opponent, ended as he queued.
fn coming_from(ticket: Ticket, opponent: u128) -> Ticket {
    Ticket {
        last_encounter: Some(Encounter { opponent: player(opponent), ended_at_ms: ticket.queued_at_ms }),
        ..ticket
    }
}
