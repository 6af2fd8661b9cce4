//! What the store of tickets is asked, and what it answers.

use redis::RedisError;
use uuid::Uuid;

use crate::app::tickets::{Ended, QueueKey, State, Ticket};

/// Why the tickets could not be reached.
#[derive(Debug, thiserror::Error)]
pub enum TicketError {
    /// Redis did not answer; whether it did what it was asked is not known.
    #[error("the ticket store is unavailable")]
    Unavailable(#[from] RedisError),
    /// What it answered is nothing that this version writes.
    #[error("a ticket is not readable: {0}")]
    Unreadable(String),
}

/// How a player comes to a ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entering {
    /// He asks for one.
    Join,
    /// He asks for one that he had.
    Follow,
    /// The store has lost it.
    Restore,
}

/// What entering found.
#[derive(Debug, Clone, PartialEq)]
pub enum Entered {
    /// The ticket is in.
    New,
    /// The player has a ticket in this queue already: this one.
    Known(Box<Ticket>),
    /// The player has a ticket in another queue.
    Elsewhere(QueueKey),
    /// There is none to follow.
    None,
    /// The ticket to restore was ended.
    Ended(Ended),
}

/// How a ticket that an instance follows stands.
#[derive(Debug, Clone, PartialEq)]
pub enum Touched {
    /// It is there.
    Here(Standing),
    /// The player has another ticket by now.
    Replaced,
    /// It was ended.
    Ended(Ended),
    /// It is not there, and nobody has ended it.
    Lost,
}

/// What can change in a ticket.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// What it is doing.
    pub state: State,
    /// For how long it has been doing so, in milliseconds, by the store's clock.
    pub since_ms: i64,
    /// When it may be paired again, in milliseconds since the Unix epoch.
    pub not_before_ms: i64,
    /// Whom it must not meet, each with the UTC day.
    pub exhausted: Vec<(Uuid, i64)>,
}

/// What a try to lead a queue came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Led {
    /// This instance leads; these players wait and are followed.
    Leading(Vec<Uuid>),
    /// Another one does.
    Following,
    /// Fewer than two wait: there is nothing to lead.
    Idle,
}

/// Two tickets to be claimed for one match.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'a> {
    /// The match.
    pub match_id: Uuid,
    /// One.
    pub white: &'a Ticket,
    /// The other.
    pub black: &'a Ticket,
    /// Now, in milliseconds since the Unix epoch.
    pub now_ms: i64,
}

/// What closing found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closing {
    /// The ticket is out.
    Closed,
    /// It is in another state.
    In(State),
    /// There is none.
    None,
}

/// Takes a ticket from one state to another.
#[derive(Debug, Clone)]
pub struct Move<'a> {
    /// The player.
    pub player_id: Uuid,
    /// His queue.
    pub queue: &'a QueueKey,
    /// Where the ticket must be.
    pub from: State,
    /// Where it goes.
    pub to: State,
    /// What else changes, if something does.
    pub search: Option<Search>,
}

/// How a ticket searches on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// Not before this time, in milliseconds since the Unix epoch.
    pub not_before_ms: i64,
    /// Whom it must not meet, each with the UTC day.
    pub exhausted: Vec<(Uuid, i64)>,
}

/// Whether an instance has a stream that reads of a ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// It has.
    Here,
    /// Not any more.
    Gone,
}

/// What a close means for a ticket that the store does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// It may come back.
    MayReturn,
    /// It is ended as well.
    StaysAway,
}
