//! The tickets of all queues: who waits where, and who is to meet whom. Pure: time comes in as an argument.

use std::collections::{BTreeMap, HashMap, HashSet};

use proto::matchmaking::v1::CancelReason;
use tokio::sync::mpsc;
use uuid::Uuid;

use crate::app::cities::TimeControl;

/// Frames that may wait for a slow reader; one that does not keep up is let go and may join again.
pub const FRAMES_PER_STREAM_MAX: usize = 32;

/// Streams that may follow one ticket.
pub const STREAMS_PER_TICKET_MAX: usize = 8;

/// How long a ticket outlives its last stream. Without a stream it is kept but never paired: nobody would see the game.
pub const TICKET_GRACE_MS: i64 = 30_000;

/// A searching ticket is told where it stands at least this often.
const SEARCHING_FRAME_EVERY_MS: i64 = 5_000;

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

/// Who queues, and what pairing needs to know of him.
#[derive(Debug, Clone)]
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
    /// Whom he may not meet again today.
    pub exhausted: HashSet<Uuid>,
}

/// A player's place in a queue.
#[derive(Debug)]
pub struct Ticket {
    /// Its id.
    pub ticket_id: Uuid,
    /// Who waits.
    pub applicant: Applicant,
    /// Where.
    pub queue: QueueKey,
    /// Since when, in milliseconds since the Unix epoch.
    pub queued_at_ms: i64,
    /// What it is doing.
    pub state: State,
    exhausted_on_day: i64,
    not_before_ms: i64,
    streams: Vec<mpsc::Sender<Frame>>,
    unwatched_since_ms: Option<i64>,
    told_at_ms: i64,
    told_window: u32,
    told_match: Option<Uuid>,
}

impl Ticket {
    /// A ticket that begins to search.
    #[must_use]
    pub fn new(applicant: Applicant, queue: QueueKey, queued_at_ms: i64, now_ms: i64) -> Self {
        Self {
            ticket_id: Uuid::now_v7(),
            applicant,
            queue,
            queued_at_ms,
            state: State::Searching,
            exhausted_on_day: day(now_ms),
            not_before_ms: 0,
            streams: Vec::new(),
            unwatched_since_ms: None,
            told_at_ms: 0,
            told_window: 0,
            told_match: None,
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
        let waited_ms = (now_ms - self.queued_at_ms).max(0);
        let window = domain_pairing::window(waited_ms).unsigned_abs();
        self.told_at_ms = now_ms;
        self.told_window = window;
        let frame = Frame::Searching {
            ticket_id: self.ticket_id,
            window,
            waited_ms,
            rating: rounded(self.applicant.rating),
        };
        self.send(&frame);
    }

    /// Goes back to searching after a match failed, with the wait already served.
    pub fn search_again(&mut self, reason: CancelReason, opponent_id: Uuid, now_ms: i64) {
        self.state = State::Searching;
        match reason {
            CancelReason::PairLimitReached => {
                self.forget_old_days(now_ms);
                self.applicant.exhausted.insert(opponent_id);
            }
            CancelReason::TimedOut | CancelReason::StakesRefused => self.not_before_ms = now_ms + COOL_OFF_MS,
            _ => {}
        }
        self.tell_searching(now_ms);
    }

    fn is_watched(&self) -> bool {
        self.streams.iter().any(|stream| !stream.is_closed())
    }

    fn can_be_paired(&self, now_ms: i64) -> bool {
        self.state == State::Searching && self.not_before_ms <= now_ms && self.is_watched()
    }

    fn forget_old_days(&mut self, now_ms: i64) {
        if self.exhausted_on_day != day(now_ms) {
            self.exhausted_on_day = day(now_ms);
            self.applicant.exhausted.clear();
        }
    }
}

/// Whether a stream follows a ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Followed {
    /// It does.
    Yes,
    /// The ticket has as many streams as it may.
    TooManyStreams,
}

/// All tickets, at most one a player.
#[derive(Debug, Default)]
pub struct Tickets {
    by_player: HashMap<Uuid, Ticket>,
}

impl Tickets {
    /// The player's ticket.
    #[must_use]
    pub fn get_mut(&mut self, player_id: Uuid) -> Option<&mut Ticket> {
        self.by_player.get_mut(&player_id)
    }

    /// Adds a ticket and gives it back; a former one of the same player is replaced.
    pub fn insert(&mut self, ticket: Ticket) -> &mut Ticket {
        let player_id = ticket.applicant.player_id;
        self.by_player.entry(player_id).insert_entry(ticket).into_mut()
    }

    /// Takes the player's ticket out.
    pub fn remove(&mut self, player_id: Uuid) -> Option<Ticket> {
        self.by_player.remove(&player_id)
    }

    /// Tickets searching in each city: those that somebody follows, for nobody else can be met.
    #[must_use]
    pub fn waiting(&self) -> HashMap<String, u32> {
        let mut waiting = HashMap::new();
        let is_waiting = |ticket: &&Ticket| ticket.state == State::Searching && ticket.is_watched();
        for ticket in self.by_player.values().filter(is_waiting) {
            *waiting.entry(ticket.queue.city_id.clone()).or_insert(0) += 1;
        }
        waiting
    }

    /// The matches in which tickets are.
    #[must_use]
    pub fn matches(&self) -> HashSet<Uuid> {
        let matches = self.by_player.values().filter_map(|ticket| match ticket.state {
            State::InMatch(match_id) => Some(match_id),
            State::Searching => None,
        });
        matches.collect()
    }

    /// Sends the tickets of a match that never came to be back to searching.
    pub fn release(&mut self, match_id: Uuid, now_ms: i64) {
        for ticket in self.by_player.values_mut() {
            if ticket.state == State::InMatch(match_id) {
                ticket.state = State::Searching;
                ticket.tell_searching(now_ms);
            }
        }
    }

    /// Lets go of tickets that nobody follows any more, and tells the others where they stand when it is time.
    pub fn sweep(&mut self, now_ms: i64) {
        self.by_player.retain(|_, ticket| {
            ticket.streams.retain(|stream| !stream.is_closed());
            if ticket.is_watched() {
                ticket.unwatched_since_ms = None;
                return true;
            }
            let since_ms = *ticket.unwatched_since_ms.get_or_insert(now_ms);
            now_ms - since_ms < TICKET_GRACE_MS
        });
        for ticket in self.by_player.values_mut().filter(|ticket| ticket.state == State::Searching) {
            let window = domain_pairing::window((now_ms - ticket.queued_at_ms).max(0)).unsigned_abs();
            if window != ticket.told_window || now_ms - ticket.told_at_ms >= SEARCHING_FRAME_EVERY_MS {
                ticket.tell_searching(now_ms);
            }
        }
    }

    /// Who is to meet whom now, White first. `coin` settles what nothing else does.
    #[must_use]
    pub fn pairs(&mut self, now_ms: i64, coin: u64) -> Vec<(Uuid, Uuid)> {
        let mut queues: BTreeMap<QueueKey, Vec<domain_pairing::Ticket>> = BTreeMap::new();
        for ticket in self.by_player.values_mut().filter(|ticket| ticket.can_be_paired(now_ms)) {
            ticket.forget_old_days(now_ms);
            queues.entry(ticket.queue.clone()).or_default().push(pairing_ticket(ticket));
        }
        let round = domain_pairing::Round { now_ms, coin, ..Default::default() };
        let mut pairs = Vec::new();
        for waiting in queues.into_values().filter(|waiting| waiting.len() > 1) {
            for pairing in domain_pairing::pair(&waiting, &round) {
                pairs.push((uuid(pairing.white), uuid(pairing.black)));
            }
        }
        pairs
    }
}

fn pairing_ticket(ticket: &Ticket) -> domain_pairing::Ticket {
    let applicant = &ticket.applicant;
    domain_pairing::Ticket {
        color_balance: applicant.color_balance,
        last_encounter: applicant.last_game.map(|(opponent_id, ended_at_ms)| domain_pairing::Encounter {
            opponent: pairing_id(opponent_id),
            ended_at_ms,
        }),
        exhausted: applicant.exhausted.iter().map(|id| pairing_id(*id)).collect(),
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
