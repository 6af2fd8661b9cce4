//! The log of games, as a port.

use std::{fmt, sync::Arc};

use domain_chess::{Color, Ended, Event, Game, Misfit, Started};
use futures::future::BoxFuture;
use uuid::Uuid;

use super::{
    facts::{Facts, GameId},
    holdings::Epoch,
    shards::ShardId,
};

/// The place of an event in its game's log: 1, 2, 3 …; also the sequence that clients see.
pub type Version = i64;

/// Who or what caused an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A request of one of the players.
    Request {
        /// The player's side.
        by: Color,
        /// The id that he gave it.
        request_id: Uuid,
    },
    /// The service itself: a deadline, a recovery, the beginning.
    Service,
}

/// An event in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its place.
    pub version: Version,
    /// The id that it was given. For the first event of a request this is the request's fingerprint (GAME-4), except that a move, which
    /// says all that was asked for, needs none.
    pub event_id: Option<Uuid>,
    /// What caused it.
    pub cause: Cause,
    /// What happened.
    pub event: Event,
}

/// The log of one game: never empty, and its first event is the game's start.
#[derive(Clone, Debug)]
pub struct Record {
    facts: Arc<Facts>,
    entries: Vec<Entry>,
}

impl Record {
    /// A log read from the store; `None` when it does not begin with a start.
    pub fn new(facts: Arc<Facts>, entries: Vec<Entry>) -> Option<Record> {
        matches!(entries.first(), Some(Entry { event: Event::Started(_), .. }))
            .then_some(Record { facts, entries })
    }

    /// What the game is besides chess.
    pub fn facts(&self) -> &Arc<Facts> {
        &self.facts
    }

    /// Every event in order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// How the game began.
    pub fn started(&self) -> &Started {
        match &self.entries[0].event {
            Event::Started(started) => started,
            _ => unreachable!("the constructor has looked at the first event"),
        }
    }

    /// The place of the last event.
    pub fn version(&self) -> Version {
        self.entries.last().map_or(0, |entry| entry.version)
    }

    /// How the game ended, once it has.
    pub fn end(&self) -> Option<&Ended> {
        match self.entries.last().map(|entry| &entry.event) {
            Some(Event::Ended(ended)) => Some(ended),
            _ => None,
        }
    }

    /// The game as the log leaves it.
    pub fn replay(&self) -> Result<Game, Misfit> {
        Game::replay(self.entries.iter().map(|entry| &entry.event))
    }

    /// The game as it stood after each event, together with the event.
    pub fn replay_each(&self, mut see: impl FnMut(&Entry, &Game)) -> Result<Game, Misfit> {
        let mut game = Game::new();
        for entry in &self.entries {
            game.apply(&entry.event)?;
            see(entry, &game);
        }
        Ok(game)
    }
}

/// Events that belong together, to be written directly after `expected`, all of them or none.
#[derive(Clone, Debug)]
pub struct Addition {
    /// The game.
    pub facts: Arc<Facts>,
    /// The place of the log's last event as the caller knows it.
    pub expected: Version,
    /// The epoch under which the caller owns the game's shard.
    pub epoch: Epoch,
    /// What caused them.
    pub cause: Cause,
    /// The id of the first, if it gets one. The others get none: what leaves the service without one is given one by the store.
    pub event_id: Option<Uuid>,
    /// What happened.
    pub events: Vec<Event>,
}

impl Addition {
    /// The events as they will stand in the log.
    pub fn entries(&self) -> impl Iterator<Item = Entry> + '_ {
        (self.expected + 1..).zip(&self.events).zip(0_usize..).map(|((version, event), index)| Entry {
            version,
            event_id: self.event_id.filter(|_| index == 0),
            cause: self.cause,
            event: event.clone(),
        })
    }
}

/// Why an addition was certainly not written.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// Somebody else has written to this game: the caller's state is old.
    #[error("the log stands at version {actual}")]
    Conflict {
        /// Where the log stands.
        actual: Version,
    },
    /// The game's shard belongs to another owner by now.
    #[error("the game has another owner")]
    NotOwner,
    /// Too much is waiting to be written.
    #[error("too much is waiting to be written")]
    Overloaded,
}

/// A failure of the store.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// An addition was refused.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The store could not be reached, or did not say whether it wrote: nothing may be concluded from it.
    #[error("the log cannot be reached")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The store refuses what we ask of it, and would again: an error in our code or set-up. Nothing was written.
    #[error("the log refuses a statement")]
    Faulty(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// What is stored, or was to be, makes no sense: an error in our code.
    #[error("the log of game {game_id} is damaged: {reason}")]
    Damaged {
        /// The game.
        game_id: GameId,
        /// What is wrong.
        reason: String,
    },
}

impl JournalError {
    /// The log of a game cannot be replayed.
    pub fn misfit(game_id: GameId, misfit: Misfit) -> JournalError {
        JournalError::Damaged { game_id, reason: misfit.to_string() }
    }
}

/// The log of games. What `add` has acknowledged is on disk (GAME-1).
pub trait Journal: fmt::Debug + Send + Sync + 'static {
    /// The whole log of a game; `None` when there is no such game.
    fn load(&self, game_id: GameId) -> BoxFuture<'_, Result<Option<Record>, JournalError>>;
    /// The logs of some of these games, read at once: quicker than one by one. One that is missing is loaded by itself.
    fn load_many(&self, _: Vec<GameId>) -> BoxFuture<'_, Result<Vec<Record>, JournalError>> {
        Box::pin(async { Ok(Vec::new()) })
    }
    /// Writes to the log, and to the list of games when the game ends. Goes on when its caller stops waiting.
    fn add(&self, addition: Addition) -> BoxFuture<'_, Result<Version, JournalError>>;
    /// The games that are being played.
    fn live(&self) -> BoxFuture<'_, Result<Vec<GameId>, JournalError>>;
    /// Those of them that belong to these shards.
    fn live_in(&self, shards: Vec<ShardId>) -> BoxFuture<'_, Result<Vec<GameId>, JournalError>> {
        Box::pin(async move {
            let mut live = self.live().await?;
            live.retain(|game_id| shards.contains(&ShardId::of(*game_id)));
            Ok(live)
        })
    }
    /// Where the logs of these games end; one that is missing is left out.
    fn heads(&self, _: Vec<GameId>) -> BoxFuture<'_, Result<Vec<(GameId, Version)>, JournalError>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}
