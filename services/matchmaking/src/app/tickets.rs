//! Tickets: who waits where, and who is to meet whom. Pure: time comes in as an argument.

use std::collections::{BTreeSet, HashMap};

use proto::matchmaking::v1::CancelReason;
use uuid::Uuid;

use crate::app::cities::{Terms, TimeControl};

/// How long a ticket outlives its last stream. Without a stream it is kept but never paired: nobody would see the game.
pub const TICKET_GRACE_MS: i64 = 30_000;

/// After a match failed for no fault of the pair, its players are not paired for this long: whatever was down stays down.
const COOL_OFF_MS: i64 = 5_000;

/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;

/// Where a ticket waits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QueueKey {
    /// The city.
    pub city_id: String,
    /// The clock.
    pub time_control: TimeControl,
}

/// A frame of a ticket's life, before it goes on the wire.
#[derive(Debug, Clone, PartialEq)]
pub enum Frame {
    /// Looking for an opponent.
    Searching {
        /// The ticket.
        ticket_id: Uuid,
        /// Greatest rating difference accepted now.
        window: u32,
        /// How long it has waited.
        waited_ms: i64,
        /// The rating it is paired by, rounded.
        rating: i32,
        /// How long others have waited here of late; absent when too few were paired.
        estimated_wait_ms: Option<i64>,
    },
    /// The widest window is reached and nobody may be met.
    NoOpponent {
        /// The ticket.
        ticket_id: Uuid,
        /// How long it has waited.
        waited_ms: i64,
        /// Greatest rating difference accepted.
        window: u32,
    },
    /// An opponent was found.
    SecuringStakes {
        /// The match.
        match_id: Uuid,
        /// The opponent.
        opponent: Opponent,
    },
    /// The game exists.
    Matched {
        /// The match.
        match_id: Uuid,
        /// The game.
        game_id: Uuid,
        /// The player's side.
        side: Side,
        /// The opponent.
        opponent: Opponent,
    },
    /// The match came to nothing.
    MatchFailed {
        /// The match.
        match_id: Uuid,
        /// Why.
        reason: CancelReason,
        /// The opponent it would have been.
        opponent: Opponent,
    },
    /// The ticket ended without a game.
    TicketClosed {
        /// Why.
        reason: CancelReason,
    },
}

/// The other player of a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opponent {
    /// Who.
    pub player_id: Uuid,
    /// His name.
    pub name: String,
    /// His rating, rounded.
    pub rating: i32,
}

/// A side of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Moves first.
    White,
    /// Moves second.
    Black,
}

/// What a ticket is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Waiting for an opponent.
    Searching,
    /// In a match that is being made.
    InMatch(Uuid),
}

/// How a ticket ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Its match led to a game.
    Matched(Uuid),
    /// Without a game.
    Closed(CancelReason),
}

/// Who queues, and what pairing needs to know of him.
#[derive(Debug, Clone, PartialEq)]
pub struct Applicant {
    /// The player.
    pub player_id: Uuid,
    /// His name.
    pub name: String,
    /// The request that queued him.
    pub request_id: Uuid,
    /// His rating in the queue's pool.
    pub rating: f64,
    /// Games with White less games with Black.
    pub color_balance: i32,
    /// Whom he played last, and when that game ended in milliseconds since the Unix epoch.
    pub last_game: Option<(Uuid, i64)>,
}

/// A player's place in a queue.
#[derive(Debug, Clone, PartialEq)]
pub struct Ticket {
    /// Its id.
    pub ticket_id: Uuid,
    /// Who waits.
    pub applicant: Applicant,
    /// Where.
    pub queue: QueueKey,
    /// What he has agreed to.
    pub terms: Terms,
    /// Since when, in milliseconds since the Unix epoch.
    pub queued_at_ms: i64,
    /// What it is doing.
    pub state: State,
    /// When it may be paired again, in milliseconds since the Unix epoch.
    pub not_before_ms: i64,
    /// Whom he may not meet again on a UTC day, with that day.
    pub exhausted: Vec<(Uuid, i64)>,
}

impl Ticket {
    /// How long it has waited.
    #[must_use]
    pub fn waited_ms(&self, now_ms: i64) -> i64 {
        (now_ms - self.queued_at_ms).max(0)
    }

    /// Goes back to searching after a match failed, with the wait already served.
    pub fn search_again(&mut self, reason: CancelReason, opponent_id: Uuid, now_ms: i64) {
        self.state = State::Searching;
        match reason {
            CancelReason::PairLimitReached => {
                let today = day(now_ms);
                self.exhausted.retain(|(_, on_day)| *on_day == today);
                self.exhausted.push((opponent_id, today));
            }
            CancelReason::TimedOut | CancelReason::StakesRefused => self.not_before_ms = now_ms + COOL_OFF_MS,
            _ => {}
        }
    }
}

/// Who may not be paired, though he waits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Apart {
    /// Players who may not play at all.
    pub excluded: BTreeSet<Uuid>,
    /// Who has blocked whom.
    pub blocked: Vec<(Uuid, Uuid)>,
}

/// Who of the searching tickets of one queue is to meet whom now, White first. `coin` settles what nothing else does.
#[must_use]
pub fn pairs(tickets: &[Ticket], apart: &Apart, now_ms: i64, coin: u64) -> Vec<(Uuid, Uuid)> {
    let mut blocked: HashMap<Uuid, BTreeSet<domain_pairing::PlayerId>> = HashMap::new();
    for (player_id, blocked_id) in &apart.blocked {
        blocked.entry(*player_id).or_default().insert(pairing_id(*blocked_id));
    }
    let waiting: Vec<domain_pairing::Ticket> = tickets
        .iter()
        .filter(|ticket| ticket.state == State::Searching && ticket.not_before_ms <= now_ms)
        .map(|ticket| domain_pairing::Ticket {
            blocked: blocked.remove(&ticket.applicant.player_id).unwrap_or_default(),
            ..pairing_ticket(ticket, day(now_ms))
        })
        .collect();
    let excluded = apart.excluded.iter().copied().map(pairing_id).collect();
    let round = domain_pairing::Round { now_ms, coin, excluded };
    let pairings = domain_pairing::pair(&waiting, &round);
    pairings.into_iter().map(|pairing| (uuid(pairing.white), uuid(pairing.black))).collect()
}

fn pairing_ticket(ticket: &Ticket, today: i64) -> domain_pairing::Ticket {
    let applicant = &ticket.applicant;
    let exhausted = ticket.exhausted.iter().filter(|(_, on_day)| *on_day == today);
    domain_pairing::Ticket {
        color_balance: applicant.color_balance,
        last_encounter: applicant.last_game.map(|(opponent_id, ended_at_ms)| domain_pairing::Encounter {
            opponent: pairing_id(opponent_id),
            ended_at_ms,
        }),
        exhausted: exhausted.map(|(player_id, _)| pairing_id(*player_id)).collect(),
        ..domain_pairing::Ticket::new(
            pairing_id(applicant.player_id),
            rounded(applicant.rating),
            ticket.queued_at_ms,
        )
    }
}

fn pairing_id(id: Uuid) -> domain_pairing::PlayerId {
    domain_pairing::PlayerId::new(id.as_u128())
}

fn uuid(id: domain_pairing::PlayerId) -> Uuid {
    Uuid::from_u128(id.value())
}

/// A rating as people read it.
#[must_use]
pub fn rounded(rating: f64) -> i32 {
    // Ratings are bounded far inside the range of i32 by the rating service.
    rating.round() as i32
}

/// The UTC day, as days since the Unix epoch.
#[must_use]
pub fn day(now_ms: i64) -> i64 {
    now_ms.div_euclid(DAY_MS)
}

#[cfg(test)]
mod tests;
