//! Logs with their outboxes, inboxes, and what is under way between services.

use std::collections::BTreeMap;

use proto::matchmaking::v1::CancelReason;

use crate::simulator::random::Random;

/// A service that takes part in a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Service {
    /// The process manager.
    Matchmaking,
    /// The pair limit.
    Fairplay,
    /// The stakes.
    Wallet,
    /// The games.
    Game,
}

impl Service {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Matchmaking, Self::Fairplay, Self::Wallet, Self::Game];

    /// Who listens to it.
    #[must_use]
    pub fn listeners(self) -> &'static [Self] {
        match self {
            Self::Matchmaking => &[Self::Fairplay, Self::Wallet, Self::Game],
            Self::Fairplay | Self::Wallet => &[Self::Matchmaking],
            Self::Game => &[Self::Matchmaking, Self::Wallet, Self::Fairplay],
        }
    }
}

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GameResult {
    /// White won.
    White,
    /// Black won.
    Black,
    /// A draw.
    Draw,
    /// No first move.
    Aborted,
}

/// What a public event says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News {
    /// Matchmaking: two tickets were paired.
    Proposed,
    /// Matchmaking: both stakes are to be held.
    StakesRequested,
    /// Matchmaking: the game is to start.
    Confirmed,
    /// Matchmaking: the match came to nothing.
    Cancelled(CancelReason),
    /// Matchmaking: the game runs.
    Started,
    /// Matchmaking: the game is over.
    Closed,
    /// Fair-play: the pair has a place.
    PairingReserved,
    /// Fair-play: it has none.
    PairingRefused,
    /// Fair-play: the place is used, or free again. Matchmaking has no use for it.
    PairingSettled,
    /// Wallet: both stakes are held.
    StakesHeld,
    /// Wallet: neither is; whose money was short, if it was that.
    StakesRefused(Option<usize>),
    /// Wallet: the stakes were paid or went back. Matchmaking has no use for it.
    Settled,
    /// Game: it began.
    GameStarted,
    /// Game: it ended.
    GameOver(GameResult),
}

/// The log that an event stands in: the service, and the stream within it.
///
/// Most streams are a match's. Fair-play's are a pair's day, which many matches share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stream {
    /// Whose log.
    pub service: Service,
    /// Which stream of it.
    pub number: usize,
}

/// A public event under way.
#[derive(Debug, Clone, Copy)]
pub struct Message {
    /// Where it stands.
    pub stream: Stream,
    /// Its number there, from 1.
    pub version: u32,
    /// The match it is about.
    pub match_number: usize,
    /// What it says.
    pub news: News,
}

/// What a listener has to do with a message, by its inbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// It is the next of its stream.
    Now,
    /// It was handled before.
    Before,
    /// An earlier one is missing.
    Later,
}

/// All logs, inboxes and messages.
#[derive(Debug, Default)]
pub struct Bus {
    versions: BTreeMap<Stream, u32>,
    inboxes: BTreeMap<(Service, Stream), u32>,
    outbox: Vec<Message>,
    under_way: Vec<(Service, Message)>,
}

impl Bus {
    /// Appends an event and its outbox row: one commit.
    pub fn append(&mut self, stream: Stream, match_number: usize, news: News) {
        let version = self.versions.entry(stream).or_insert(0);
        *version += 1;
        self.outbox.push(Message { stream, version: *version, match_number, news });
    }

    /// How many outbox rows wait for the relay.
    #[must_use]
    pub fn unpublished(&self) -> usize {
        self.outbox.len()
    }

    /// How many messages wait for a listener.
    #[must_use]
    pub fn under_way(&self) -> usize {
        self.under_way.len()
    }

    /// Publishes some outbox row. Sometimes the relay dies before it marks the row, and publishes it again.
    pub fn publish(&mut self, random: &mut Random) {
        let index = random.below(self.outbox.len());
        let message = self.outbox[index];
        for listener in message.stream.service.listeners() {
            self.under_way.push((*listener, message));
        }
        if !random.once_in(8) {
            self.outbox.swap_remove(index);
        }
    }

    /// Takes some message from the bus.
    pub fn take(&mut self, random: &mut Random) -> (Service, Message) {
        let index = random.below(self.under_way.len());
        self.under_way.swap_remove(index)
    }

    /// Puts a message back: it was not acknowledged.
    pub fn put_back(&mut self, listener: Service, message: Message) {
        self.under_way.push((listener, message));
    }

    /// Whether it is a message's turn.
    #[must_use]
    pub fn turn(&self, listener: Service, message: &Message) -> Turn {
        let handled = self.inboxes.get(&(listener, message.stream)).copied().unwrap_or(0);
        match message.version {
            version if version <= handled => Turn::Before,
            version if version == handled + 1 => Turn::Now,
            _ => Turn::Later,
        }
    }

    /// Notes that a message was handled: in the same commit as what it did.
    pub fn note_handled(&mut self, listener: Service, message: &Message) {
        self.inboxes.insert((listener, message.stream), message.version);
    }
}
