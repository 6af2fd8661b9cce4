//! The queue: one task owns all tickets, so that no two decisions about a ticket can cross.
//!
//! The task is told of joins, leaves and of matches that changed; what a match's change means it reads from the
//! projection, so a notice that comes twice, or from a look of its own, does no harm.

mod task;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use event_store::CommitSignal;
use sqlx::PgPool;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::app::cities::Cities;
use crate::app::tickets::{Frame, QueueKey};
use task::Task;

/// Commands that may wait for the task.
const COMMANDS_MAX: usize = 4_096;

/// A handle on the queue's task.
#[derive(Debug, Clone)]
pub struct Queue {
    commands: mpsc::Sender<Command>,
    changes: watch::Receiver<u64>,
}

/// A request for a ticket.
#[derive(Debug, Clone)]
pub struct Join {
    /// Who queues.
    pub player_id: Uuid,
    /// His name.
    pub name: String,
    /// The request: joining again with it follows what it has led to.
    pub request_id: Uuid,
    /// Where.
    pub queue: QueueKey,
}

/// Why a ticket was not given.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// The player has a ticket elsewhere.
    #[error("the player waits in another queue")]
    AlreadyQueued {
        /// In which city.
        city_id: String,
    },
    /// A game of the player is running.
    #[error("a game of the player is running")]
    InAGame {
        /// Which.
        game_id: Uuid,
    },
    /// The balance does not cover the stake.
    #[error("the balance does not cover the stake")]
    InsufficientFunds {
        /// What the player has available.
        available: i64,
        /// What he would have to stake.
        stake: i64,
        /// The currency of both.
        currency: &'static str,
    },
    /// Too many streams follow the ticket, or too much waits.
    #[error("too many streams or requests")]
    Overloaded,
    /// The process stops.
    #[error("this instance is about to stop")]
    Stopping,
    /// Postgres did not answer.
    #[error("the match store is unavailable")]
    Unavailable(#[from] sqlx::Error),
}

/// What leaving found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaving {
    /// The ticket is out.
    Left,
    /// The ticket is in a match; the match is to be asked.
    InMatch(Uuid),
    /// There was no ticket.
    NoTicket,
}

#[derive(Debug)]
enum Command {
    Join { join: Join, reply: oneshot::Sender<Result<mpsc::Receiver<Frame>, JoinError>> },
    Leave { player_id: Uuid, reply: oneshot::Sender<Leaving> },
    MatchChanged { match_id: Uuid },
    Waiting { reply: oneshot::Sender<HashMap<String, u32>> },
}

/// The task behind the handle.
pub struct QueueTask {
    task: Task,
    commands: mpsc::Receiver<Command>,
}

impl QueueTask {
    /// Owns all tickets until `shutdown`.
    pub async fn run(self, shutdown: CancellationToken) {
        self.task.run(self.commands, shutdown).await;
    }
}

impl Queue {
    /// The handle and the task, which is to be run.
    #[must_use]
    pub fn new(pool: PgPool, cities: Arc<Cities>, signal: CommitSignal) -> (Self, QueueTask) {
        let (sender, commands) = mpsc::channel(COMMANDS_MAX);
        let (changed, changes) = watch::channel(0);
        let task = Task::new(pool, cities, signal, changed);
        (Self { commands: sender, changes }, QueueTask { task, commands })
    }

    /// Queues a player, or follows the ticket or the match he has.
    pub async fn join(&self, join: Join) -> Result<mpsc::Receiver<Frame>, JoinError> {
        let (reply, answer) = oneshot::channel();
        self.commands.try_send(Command::Join { join, reply }).map_err(|error| match error {
            TrySendError::Full(_) => JoinError::Overloaded,
            TrySendError::Closed(_) => JoinError::Stopping,
        })?;
        answer.await.map_err(|_| JoinError::Stopping)?
    }

    /// Takes a player's ticket out unless it is in a match.
    pub async fn leave(&self, player_id: Uuid) -> Leaving {
        let (reply, answer) = oneshot::channel();
        if self.commands.send(Command::Leave { player_id, reply }).await.is_err() {
            return Leaving::NoTicket;
        }
        answer.await.unwrap_or(Leaving::NoTicket)
    }

    /// Says that a match took a step.
    pub async fn match_changed(&self, match_id: Uuid) {
        // A closed channel means that the process stops; the next one reads the projection.
        let _ = self.commands.send(Command::MatchChanged { match_id }).await;
    }

    /// The same from where nobody can wait. A full channel is no loss: all matches are read again every other second.
    pub fn match_changed_soon(&self, match_id: Uuid) {
        let _ = self.commands.try_send(Command::MatchChanged { match_id });
    }

    /// Tickets searching in each city.
    pub async fn waiting(&self) -> HashMap<String, u32> {
        let (reply, answer) = oneshot::channel();
        if self.commands.send(Command::Waiting { reply }).await.is_err() {
            return HashMap::new();
        }
        answer.await.unwrap_or_default()
    }

    /// Changes whenever a match took a step.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.clone()
    }
}

/// Now, in milliseconds since the Unix epoch.
#[must_use]
pub fn now_ms() -> i64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX)
}
