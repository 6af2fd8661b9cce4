//! The queue: one task owns all tickets that are followed at this instance, so that no two decisions about one can cross.
//!
//! The tickets themselves are shared by all instances ([`crate::store::tickets`]); here are the streams. The task is told of
//! joins, leaves, of matches that changed and of what other instances say; what that means it reads from the store and
//! the projection, so a notice that comes twice, or a look of its own, does no harm.

mod joining;
mod reconcile;
mod task;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use sqlx::PgPool;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::app::cities::Cities;
use crate::app::leader::Nudges;
use crate::app::notices::{Notice, Notices};
use crate::app::tickets::{Frame, QueueKey};
use crate::store::tickets::{QueueLook, TicketError, TicketStore};
use task::Task;

/// Commands that may wait for the task.
const COMMANDS_MAX: usize = 4_096;

/// A handle on the queue's task.
#[derive(Clone)]
pub struct Queue {
    commands: mpsc::Sender<Command>,
    changes: watch::Receiver<u64>,
    store: TicketStore,
    cities: Cities,
    /// What was counted last, for the time in which the store does not answer.
    counted: Arc<Mutex<HashMap<String, u32>>>,
}

/// What the task works with.
pub struct Parts {
    /// The projections.
    pub pool: PgPool,
    /// The cities.
    pub cities: Cities,
    /// The tickets of all instances.
    pub store: TicketStore,
    /// Told when somebody has joined.
    pub nudges: Nudges,
    /// The way to the other instances.
    pub notices: Notices,
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
    /// The ticket to come back to, if the player wants no other.
    pub ticket_id: Option<Uuid>,
    /// Where.
    pub queue: QueueKey,
}

/// Why a ticket was not given.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// There is no such city.
    #[error("there is no such city")]
    CityUnknown {
        /// Which.
        city_id: String,
    },
    /// Nobody can queue in the city now.
    #[error("the city is closed")]
    CityClosed {
        /// Which.
        city_id: String,
    },
    /// The city does not play this clock.
    #[error("the city does not play this clock")]
    TimeControlNotPlayed {
        /// Which.
        city_id: String,
    },
    /// The ticket to come back to is there no more.
    #[error("the ticket was left or has run out")]
    TicketGone {
        /// Which.
        ticket_id: Uuid,
    },
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
        currency: String,
    },
    /// Too many streams follow the ticket, or too much waits.
    #[error("too many streams or requests")]
    Overloaded,
    /// The process stops.
    #[error("this instance is about to stop")]
    Stopping,
    /// Redis did not answer.
    #[error(transparent)]
    Tickets(#[from] TicketError),
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
    /// Whether there is one cannot be said.
    Unavailable,
}

enum Command {
    Join { join: Join, reply: oneshot::Sender<Result<mpsc::Receiver<Frame>, JoinError>> },
    Leave { player_id: Uuid, reply: oneshot::Sender<Leaving> },
    MatchChanged { match_id: Uuid },
    Heard(Notice),
}

/// The task behind the handle.
pub struct QueueTask {
    task: Task,
    commands: mpsc::Receiver<Command>,
}

impl QueueTask {
    /// Owns all tickets that are followed here until `shutdown`.
    pub async fn run(self, shutdown: CancellationToken) {
        self.task.run(self.commands, shutdown).await;
    }
}

impl Queue {
    /// The handle and the task, which is to be run.
    #[must_use]
    pub fn new(parts: Parts) -> (Self, QueueTask) {
        let (sender, commands) = mpsc::channel(COMMANDS_MAX);
        let (changed, changes) = watch::channel(0);
        let (store, cities) = (parts.store.clone(), parts.cities.clone());
        let task = Task::new(parts, changed);
        let queue = Self { commands: sender, changes, store, cities, counted: Arc::default() };
        (queue, QueueTask { task, commands })
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
            return Leaving::Unavailable;
        }
        answer.await.unwrap_or(Leaving::Unavailable)
    }

    /// Says that a match took a step; the other instances hear of it as well.
    pub async fn match_changed(&self, match_id: Uuid) {
        // A closed channel means that the process stops; the next one reads the projection.
        let _ = self.commands.send(Command::MatchChanged { match_id }).await;
    }

    /// The same from where nobody can wait. A full channel is no loss: all tickets are looked at every other second.
    pub fn match_changed_soon(&self, match_id: Uuid) {
        let _ = self.commands.try_send(Command::MatchChanged { match_id });
    }

    /// Says that something happened to a player's ticket.
    pub fn look_at(&self, player_id: Uuid) {
        self.heard(Notice::Ticket { player_id });
    }

    /// Passes on what another instance says.
    pub fn heard(&self, notice: Notice) {
        let _ = self.commands.try_send(Command::Heard(notice));
    }

    /// Tickets searching in each city, at all instances; while the store does not answer, as many as there were last.
    pub async fn waiting(&self) -> HashMap<String, u32> {
        let counted = self.store.waiting(&queues(&self.cities)).await;
        let mut last = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(counted) = counted {
            *last = counted;
        }
        last.clone()
    }

    /// How every queue stands, at all instances.
    pub async fn look(&self, now_ms: i64) -> Result<Vec<QueueLook>, TicketError> {
        self.store.look(queues(&self.cities), now_ms).await
    }

    /// Changes whenever a match took a step.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.clone()
    }
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Queue").finish_non_exhaustive()
    }
}

/// The queues of all cities.
#[must_use]
pub fn queues(cities: &Cities) -> Vec<QueueKey> {
    let all = cities.all();
    let of_city = all.iter().flat_map(|city| {
        let clocks = city.settings.time_controls.iter();
        clocks.map(|clock| QueueKey { city_id: city.id.clone(), time_control: *clock })
    });
    of_city.collect()
}

/// Now, in milliseconds since the Unix epoch.
#[must_use]
pub fn now_ms() -> i64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX)
}
