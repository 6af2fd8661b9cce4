//! Who follows which ticket by which streams at this instance, and what they were told. Pure but for the channels.

use std::collections::HashMap;

use domain_pairing::window::WIDENING_UNTIL_MS;
use tokio::sync::mpsc;
use uuid::Uuid;

use crate::app::tickets::{Frame, Opponent, State, TICKET_GRACE_MS, Ticket, rounded};

/// Frames that may wait for a slow reader; one that does not keep up is let go and may join again.
pub const FRAMES_PER_STREAM_MAX: usize = 32;

/// Streams that may follow one ticket.
pub const STREAMS_PER_TICKET_MAX: usize = 8;

/// A searching ticket is told where it stands at least this often.
const SEARCHING_FRAME_EVERY_MS: i64 = 5_000;

/// A ticket that has waited so long is told that nobody is in its reach (E09). Whoever was would have met it by then.
pub const ALONE_AFTER_MS: i64 = WIDENING_UNTIL_MS + 5_000;

/// And again every so often.
const ALONE_FRAME_EVERY_MS: i64 = 30_000;

/// A ticket and those who follow it here.
#[derive(Debug)]
pub struct Follower {
    /// The ticket, as this instance knows it.
    pub ticket: Ticket,
    /// How long others have waited in its queue of late.
    pub estimated_wait_ms: Option<i64>,
    /// Whether the shared store believes that somebody here follows it.
    pub is_vouched_for: bool,
    streams: Vec<mpsc::Sender<Frame>>,
    unwatched_since_ms: Option<i64>,
    told_at_ms: i64,
    told_window: u32,
    told_match: Option<Uuid>,
    told_alone_at_ms: i64,
}

/// Whether a stream follows a ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Followed {
    /// It does.
    Yes,
    /// The ticket has as many streams as it may.
    TooManyStreams,
}

impl Follower {
    /// A ticket that nobody follows yet.
    #[must_use]
    pub fn new(ticket: Ticket) -> Self {
        Self {
            ticket,
            estimated_wait_ms: None,
            is_vouched_for: true,
            streams: Vec::new(),
            unwatched_since_ms: None,
            told_at_ms: 0,
            told_window: 0,
            told_match: None,
            told_alone_at_ms: 0,
        }
    }

    /// Follows the ticket with one more stream.
    pub fn follow(&mut self, stream: mpsc::Sender<Frame>) -> Followed {
        self.streams.retain(|stream| !stream.is_closed());
        if self.streams.len() >= STREAMS_PER_TICKET_MAX {
            return Followed::TooManyStreams;
        }
        self.unwatched_since_ms = None;
        self.told_match = None;
        self.streams.push(stream);
        Followed::Yes
    }

    /// Sends a frame to every stream, and lets those go that do not keep up.
    pub fn send(&mut self, frame: &Frame) {
        self.streams.retain(|stream| stream.try_send(frame.clone()).is_ok());
    }

    /// Says that an opponent was found: once a match, and again for a stream that came later.
    pub fn tell_securing(&mut self, match_id: Uuid, opponent: Opponent) {
        if self.told_match != Some(match_id) {
            self.told_match = Some(match_id);
            self.send(&Frame::SecuringStakes { match_id, opponent });
        }
    }

    /// Says where a searching ticket stands.
    pub fn tell_searching(&mut self, now_ms: i64) {
        let waited_ms = self.ticket.waited_ms(now_ms);
        let window = domain_pairing::window(waited_ms).unsigned_abs();
        self.told_at_ms = now_ms;
        self.told_window = window;
        let frame = Frame::Searching {
            ticket_id: self.ticket.ticket_id,
            window,
            waited_ms,
            rating: rounded(self.ticket.applicant.rating),
            estimated_wait_ms: self.estimated_wait_ms,
        };
        self.send(&frame);
    }

    /// Whether a stream reads of it.
    #[must_use]
    pub fn is_watched(&self) -> bool {
        self.streams.iter().any(|stream| !stream.is_closed())
    }

    fn tell_what_is_due(&mut self, now_ms: i64) {
        let waited_ms = self.ticket.waited_ms(now_ms);
        let window = domain_pairing::window(waited_ms).unsigned_abs();
        if window != self.told_window || now_ms - self.told_at_ms >= SEARCHING_FRAME_EVERY_MS {
            self.tell_searching(now_ms);
        }
        let is_settled = self.ticket.not_before_ms <= now_ms;
        if is_settled && waited_ms >= ALONE_AFTER_MS && now_ms - self.told_alone_at_ms >= ALONE_FRAME_EVERY_MS
        {
            self.told_alone_at_ms = now_ms;
            self.send(&Frame::NoOpponent { ticket_id: self.ticket.ticket_id, waited_ms, window });
        }
    }

    fn outlives(&mut self, now_ms: i64) -> bool {
        self.streams.retain(|stream| !stream.is_closed());
        if self.is_watched() {
            self.unwatched_since_ms = None;
            return true;
        }
        let since_ms = *self.unwatched_since_ms.get_or_insert(now_ms);
        now_ms - since_ms < TICKET_GRACE_MS
    }
}

/// All tickets that are followed at this instance, at most one a player.
#[derive(Debug, Default)]
pub struct Followers {
    by_player: HashMap<Uuid, Follower>,
}

impl Followers {
    /// The follower of the player's ticket.
    #[must_use]
    pub fn get(&self, player_id: Uuid) -> Option<&Follower> {
        self.by_player.get(&player_id)
    }

    /// The same, to be told something.
    #[must_use]
    pub fn get_mut(&mut self, player_id: Uuid) -> Option<&mut Follower> {
        self.by_player.get_mut(&player_id)
    }

    /// Adds a follower and gives it back; a former one of the same player is replaced.
    pub fn insert(&mut self, follower: Follower) -> &mut Follower {
        let player_id = follower.ticket.applicant.player_id;
        self.by_player.entry(player_id).insert_entry(follower).into_mut()
    }

    /// Lets the player's ticket go.
    pub fn remove(&mut self, player_id: Uuid) -> Option<Follower> {
        self.by_player.remove(&player_id)
    }

    /// Everybody whose ticket is followed here.
    #[must_use]
    pub fn players(&self) -> Vec<Uuid> {
        self.by_player.keys().copied().collect()
    }

    /// All of them.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Follower> {
        self.by_player.values_mut()
    }

    /// Forgets tickets that nobody has followed here for too long, tells the others where they stand when it is time, and
    /// answers whose last reader has just gone.
    pub fn sweep(&mut self, now_ms: i64) -> Vec<Uuid> {
        self.by_player.retain(|_, follower| follower.outlives(now_ms));
        for follower in self.by_player.values_mut() {
            if follower.ticket.state == State::Searching {
                follower.tell_what_is_due(now_ms);
            }
        }
        let abandoned =
            self.by_player.iter().filter(|(_, follower)| follower.is_vouched_for && !follower.is_watched());
        abandoned.map(|(player_id, _)| *player_id).collect()
    }
}

#[cfg(test)]
mod tests;
