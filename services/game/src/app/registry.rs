//! Which owner runs which game in this process.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast, mpsc};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    clock::Clock,
    facts::GameId,
    holdings::{Holding, Holdings},
    journal::{Journal, Record},
    owner::{self, Desk, Letter},
    peers::{FRAMES_KEPT, Peers},
    watch::Told,
};
use crate::metrics;

/// How many requests may wait for one game. Two players have no use for more.
const MAILBOX_MAX: usize = 64;
/// How many games are loaded at once when a process takes many up, well below the size of the connection pool.
const LOADS_AT_ONCE_MAX: usize = 8;

/// What every owner needs.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) journal: Arc<dyn Journal>,
    pub(super) clock: Arc<dyn Clock>,
    /// The shards that this process owns, and so the games.
    pub(super) holdings: Arc<Holdings>,
    pub(super) peers: Arc<dyn Peers>,
    /// Owners are to stop.
    pub(super) stop: CancellationToken,
    pub(super) loads: Semaphore,
    /// Places for those who only read: see [`readers_max`].
    pub(super) readers: Arc<Semaphore>,
}

/// How many logs are read and replayed at once for those who only look on. Half of the processors: a long game takes a while to
/// replay, and however many strangers ask for it, the other half is left for the players' moves and flags.
fn readers_max() -> usize {
    std::thread::available_parallelism().map_or(1, |processors| (processors.get() / 2).max(1))
}

impl Context {
    pub(super) fn new(
        journal: Arc<dyn Journal>,
        clock: Arc<dyn Clock>,
        holdings: Arc<Holdings>,
        peers: Arc<dyn Peers>,
        stop: CancellationToken,
    ) -> Context {
        Context {
            journal,
            clock,
            holdings,
            peers,
            stop,
            loads: Semaphore::new(LOADS_AT_ONCE_MAX),
            readers: Arc::new(Semaphore::new(readers_max())),
        }
    }

    /// Waits for a reader's place.
    pub(super) async fn reader(&self) -> OwnedSemaphorePermit {
        self.readers.clone().acquire_owned().await.expect("the readers' places are never closed")
    }
}

/// Whether the game began under this holding and nothing has happened in it yet: then it never stood still.
pub(super) fn began_under(holding: &Holding, record: &Record) -> bool {
    record.version() == 1 && record.started().at_ms >= holding.since_ms
}

/// Which owner runs which game in this process. There is never more than one for a game (GAME-2).
pub(super) struct Registry {
    context: Arc<Context>,
    owners: Mutex<HashMap<GameId, Handle>>,
    tasks: TaskTracker,
}

#[derive(Clone)]
struct Handle {
    mailbox: mpsc::Sender<Letter>,
    frames: broadcast::Sender<Told>,
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("owners", &self.lock().len()).finish_non_exhaustive()
    }
}

impl Registry {
    pub(super) fn new(context: Arc<Context>) -> Arc<Registry> {
        Arc::new(Registry { context, owners: Mutex::new(HashMap::new()), tasks: TaskTracker::new() })
    }

    /// Where requests for a game go, if it has an owner here.
    pub(super) fn mailbox(&self, game_id: GameId) -> Option<mpsc::Sender<Letter>> {
        self.lock().get(&game_id).map(|handle| handle.mailbox.clone())
    }

    /// Where a game's events come from, if it has an owner here.
    pub(super) fn frames(&self, game_id: GameId) -> Option<broadcast::Sender<Told>> {
        self.lock().get(&game_id).map(|handle| handle.frames.clone())
    }

    /// Gives a game an owner unless it has one, or belongs to a shard that is not owned here.
    pub(super) fn take_up(self: &Arc<Self>, game_id: GameId) {
        self.give_owner(game_id, None);
    }

    /// The same for a game whose log has just been read.
    pub(super) fn take_up_from(self: &Arc<Self>, record: Record) {
        self.give_owner(record.facts().game_id, Some(record));
    }

    fn give_owner(self: &Arc<Self>, game_id: GameId, record: Option<Record>) {
        if self.context.stop.is_cancelled() {
            return;
        }
        let Some(holding) = self.context.holdings.of(game_id) else { return };
        let mut owners = self.lock();
        if owners.contains_key(&game_id) {
            return;
        }
        let (sender, mailbox) = mpsc::channel(MAILBOX_MAX);
        let frames = broadcast::Sender::new(FRAMES_KEPT);
        owners.insert(game_id, Handle { mailbox: sender, frames: frames.clone() });
        metrics::live_games(owners.len());
        drop(owners);
        let departure = Departure { registry: self.clone(), game_id };
        let under = holding.clone();
        let desk = Desk { game_id, context: self.context.clone(), holding, mailbox, frames };
        // Counted twice: a shard is handed over when its owners have ended, the process stops when all have.
        self.tasks.spawn(under.tasks.track_future(async move {
            let _departure = departure;
            owner::run(desk, record).await;
        }));
    }

    /// Resolves once every owner has stopped.
    pub(super) async fn stopped(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<GameId, Handle>> {
        // Nothing that can panic happens under the lock, and a map is whole after every call.
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Strikes an owner off the registry however its task ends, a panic included, so that the game can be taken up again.
struct Departure {
    registry: Arc<Registry>,
    game_id: GameId,
}

impl Drop for Departure {
    fn drop(&mut self) {
        let mut owners = self.registry.lock();
        owners.remove(&self.game_id);
        metrics::live_games(owners.len());
    }
}
