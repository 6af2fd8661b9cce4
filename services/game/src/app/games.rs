//! The front of the use cases: everything the edge asks of games goes through here.

use std::{ops::Deref, sync::Arc};

use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tracing::Span;

use super::{
    act::{Act, ActError},
    attendance::Sign,
    clock::Clock,
    facts::{GameId, PlayerId},
    journal::{Journal, JournalError, Record},
    owner::{Answer, Ask, Letter},
    presence::{self, Presence},
    receipt::{self, Receipt},
    refused::Refused,
    registry::{Context, Registry},
    watch::{Start, Watch, WatchError, WatchLimits},
};

/// How often a request is handed to an owner. The second time is for an owner that ended, or did not exist, at the first.
const ASKS_MAX: usize = 3;

/// All games of this process.
#[derive(Clone, Debug)]
pub struct Games {
    context: Arc<Context>,
    registry: Arc<Registry>,
    limits: WatchLimits,
}

/// Why a game cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// There is no such game.
    #[error("there is no such game")]
    Unknown,
    /// The log failed.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// A log that is being read. Readers take turns, so that they leave time for the players.
#[derive(Debug)]
pub struct Reading {
    record: Record,
    _place: OwnedSemaphorePermit,
}

impl Deref for Reading {
    type Target = Record;

    fn deref(&self) -> &Record {
        &self.record
    }
}

impl Games {
    /// No game has an owner yet. `stop` ends the owners.
    pub fn new(
        journal: Arc<dyn Journal>,
        clock: Arc<dyn Clock>,
        limits: WatchLimits,
        stop: CancellationToken,
    ) -> Games {
        let context = Arc::new(Context::new(journal, clock, stop));
        Games { registry: Registry::new(context.clone()), context, limits }
    }

    /// The service's time.
    pub fn now_ms(&self) -> i64 {
        self.context.clock.now_ms()
    }

    /// Gives a game an owner unless it has one.
    pub fn take_up(&self, game_id: GameId) {
        self.registry.take_up(game_id);
    }

    /// Gives every live game an owner, and answers how many are live.
    pub async fn take_up_all(&self) -> Result<usize, JournalError> {
        let live = self.context.journal.live().await?;
        for game_id in &live {
            self.registry.take_up(*game_id);
        }
        Ok(live.len())
    }

    /// Resolves once every owner has stopped.
    pub async fn stopped(&self) {
        self.registry.stopped().await;
    }

    /// The log of a game, with a reader's place that is kept until the log is done with.
    pub async fn read(&self, game_id: GameId) -> Result<Reading, ReadError> {
        let place = self.context.reader().await;
        let record = self.context.journal.load(game_id).await?.ok_or(ReadError::Unknown)?;
        Ok(Reading { record, _place: place })
    }

    /// Follows a game.
    pub async fn watch(&self, game_id: GameId, start: Start) -> Result<Watch, WatchError> {
        Watch::open(game_id, start, self.context.clone(), self.registry.clone(), self.limits).await
    }

    /// A player follows his own game: he is present until what this answers is dropped. `leaving` is cancelled when this
    /// process sends its clients elsewhere.
    pub fn attend(&self, game_id: GameId, player_id: PlayerId, leaving: CancellationToken) -> Presence {
        Presence::open(self.clone(), game_id, player_id, leaving)
    }

    /// Tells the owner of a game what a stream of a player has to say. Without an owner there is nobody to tell.
    pub fn tell(&self, sign: Sign) {
        if let Some(mailbox) = self.registry.mailbox(sign.game_id) {
            presence::deliver(&mailbox, Letter::Sign(Box::new(sign)), sign.news);
        }
    }

    /// Does what a player asks for, once, however often he asks.
    pub async fn act(&self, act: Act) -> Result<Receipt, ActError> {
        for _ in 0..ASKS_MAX {
            if let Some(answer) = self.ask_owner(act).await? {
                return match answer {
                    Answer::Done(receipt) => Ok(receipt),
                    Answer::Repeated => self.answer_from_log(act).await,
                };
            }
            let record = self.context.journal.load(act.game_id).await?.ok_or(Refused::GameUnknown)?;
            if record.end().is_some() {
                return answer_of_ended(&record, &act);
            }
            if self.context.stop.is_cancelled() {
                break;
            }
            self.registry.take_up(act.game_id);
        }
        Err(ActError::Unreachable)
    }

    /// `None` when the game has no owner, or had none any more when it would have been the request's turn.
    async fn ask_owner(&self, act: Act) -> Result<Option<Answer>, ActError> {
        let Some(mailbox) = self.registry.mailbox(act.game_id) else { return Ok(None) };
        let (reply, answer) = oneshot::channel();
        match mailbox.try_send(Letter::Ask(Box::new(Ask { act, span: Span::current(), reply }))) {
            Ok(()) => answer.await.ok().transpose(),
            Err(mpsc::error::TrySendError::Closed(_)) => Ok(None),
            Err(mpsc::error::TrySendError::Full(_)) => Err(ActError::Overloaded),
        }
    }

    async fn answer_from_log(&self, act: Act) -> Result<Receipt, ActError> {
        let _place = self.context.reader().await;
        let record = self.context.journal.load(act.game_id).await?.ok_or(Refused::GameUnknown)?;
        let by = record.facts().color_of(act.player_id).ok_or(Refused::NotAPlayer)?;
        match receipt::earlier_answer(&record, &act, by)? {
            Some(answer) => Ok(answer?),
            None => Err(ActError::Unreachable),
        }
    }
}

/// An ended game answers what it has answered before, and refuses everything else.
fn answer_of_ended(record: &Record, act: &Act) -> Result<Receipt, ActError> {
    let by = record.facts().color_of(act.player_id).ok_or(Refused::NotAPlayer)?;
    match (receipt::earlier_answer(record, act, by)?, record.end()) {
        (Some(answer), _) => Ok(answer?),
        (None, Some(ended)) => Err(Refused::GameOver { ended: *ended }.into()),
        (None, None) => Err(ActError::Unreachable),
    }
}
