//! Engines handed out in order of asking.
//!
//! A slot is a place for one engine; it is taken out of the pool with a permit and always comes back, with the
//! engine when that was left idle and in step, else empty. While a search runs, its future owns the engine: dropping
//! the future kills the process and nothing dirty can return. An empty slot starts an engine when it is next used,
//! after a delay that doubles with every failure in a row.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until};

use crate::config::EngineConfig;
use crate::error::{Error, Fault};
use crate::process::{Continuity, Engine};
use crate::protocol::Identity;
use crate::search::{Analysis, Prepared, Search};

/// The most engines a pool may hold.
pub const ENGINES_MAX: usize = 256;
/// The most callers that may wait for an engine.
pub const WAITING_MAX: usize = 1_024;

/// A pool of engines; clones share it. The engines die with the last clone.
#[derive(Clone, Debug)]
pub struct Pool {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    config: EngineConfig,
    identity: Arc<Identity>,
    /// Callers that have an engine or wait for one.
    admission: Arc<Semaphore>,
    /// Engines that nobody has. First come, first served.
    free: Arc<Semaphore>,
    slots: Mutex<VecDeque<Slot>>,
}

#[derive(Debug, Default)]
struct Slot {
    engine: Option<Engine>,
    failures: u32,
    starts_at: Option<Instant>,
}

impl Pool {
    /// Makes a pool of `size` engines. The first is started at once, to find out whether it works and who it is;
    /// the others when they are first needed.
    ///
    /// # Errors
    ///
    /// [`Error::Engine`] when the first engine does not start, [`Error::OutOfLimits`] when the size is not between 1
    /// and [`ENGINES_MAX`].
    pub async fn start(config: EngineConfig, size: usize) -> Result<Self, Error> {
        if !(1..=ENGINES_MAX).contains(&size) {
            let (asked, max) = (size as u64, ENGINES_MAX as u64);
            return Err(Error::OutOfLimits { quantity: "size", asked, max });
        }
        let engine = Engine::start(&config).await?;
        let identity = Arc::clone(engine.identity());
        tracing::info!(engine = %identity.name, size, "engine pool started");
        let mut slots = VecDeque::with_capacity(size);
        slots.push_back(Slot { engine: Some(engine), ..Slot::default() });
        slots.resize_with(size, Slot::default);
        let shared = Shared {
            config,
            identity,
            admission: Arc::new(Semaphore::new(size + WAITING_MAX)),
            free: Arc::new(Semaphore::new(size)),
            slots: Mutex::new(slots),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Who the engines say they are. Each [`Analysis`] names the one that made it, too.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.shared.identity
    }

    /// Analyses one position as a game of its own: the answer depends on nothing that was asked before.
    ///
    /// Cancellation safe: when the future is dropped its engine is killed and its place in the pool is free.
    ///
    /// # Errors
    ///
    /// [`Error::IllegalPosition`], [`Error::GameOver`] and [`Error::OutOfLimits`] without asking an engine;
    /// otherwise see [`Error`].
    pub async fn analyse(&self, search: &Search) -> Result<Analysis, Error> {
        let prepared = Prepared::new(search, &self.shared.config)?;
        self.open_game().await?.run(&prepared).await
    }

    /// Takes an engine for the positions of one game, which may then use what they find for one another. The
    /// answers depend on the positions of this game asked before, and on nothing else.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`] or [`Error::Closed`].
    pub async fn open_game(&self) -> Result<GameSession, Error> {
        let shared = Arc::clone(&self.shared);
        let admitted = Arc::clone(&shared.admission)
            .try_acquire_owned()
            .map_err(|_| if shared.admission.is_closed() { Error::Closed } else { Error::Busy })?;
        let permit = Arc::clone(&shared.free).acquire_owned().await.map_err(|_| Error::Closed)?;
        let slot = shared.take_slot();
        Ok(GameSession {
            lease: Lease { shared, slot, _permit: permit, _admitted: admitted },
            stage: Stage::New,
        })
    }

    /// Refuses further searches and ends the idle engines; those at work end with their search.
    pub fn close(&self) {
        self.shared.admission.close();
        self.shared.free.close();
        self.shared.slots().clear();
    }
}

impl Shared {
    fn slots(&self) -> MutexGuard<'_, VecDeque<Slot>> {
        // Nothing that can panic runs under the lock, and the slots are valid at every step.
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A slot with an engine if there is one, else the one that may start soonest.
    fn take_slot(&self) -> Slot {
        let mut slots = self.slots();
        let running = slots.iter().position(|slot| slot.engine.is_some());
        let index = running.or_else(|| {
            (0..slots.len()).min_by_key(|&index| slots.get(index).and_then(|slot| slot.starts_at))
        });
        // A pool that is closed in this moment has no slots; an empty one does no harm then.
        index.and_then(|index| slots.remove(index)).unwrap_or_default()
    }
}

/// An engine taken for one game. Dropping it gives the engine back.
#[derive(Debug)]
pub struct GameSession {
    lease: Lease,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    New,
    Playing,
    Ended,
}

impl GameSession {
    /// Analyses the next position of the game.
    ///
    /// # Errors
    ///
    /// As [`Pool::analyse`]. After an engine's fault, or when an earlier future was dropped, the engine and what it
    /// remembered of the game are gone: [`Error::SessionEnded`].
    pub async fn analyse(&mut self, search: &Search) -> Result<Analysis, Error> {
        let prepared = Prepared::new(search, &self.lease.shared.config)?;
        self.run(&prepared).await
    }

    /// Forgets the game so far: the next position is searched as the first of another game, and its answer depends on nothing
    /// that was asked before. A session that has ended stays so.
    pub fn forget(&mut self) {
        if self.stage == Stage::Playing {
            self.stage = Stage::New;
        }
    }

    /// The CPU time the engine has used since it was started, also for earlier games; `None` before this session's
    /// engine runs, after its failure, and where the system does not tell.
    #[must_use]
    pub fn engine_cpu_time(&self) -> Option<Duration> {
        self.lease.slot.engine.as_ref()?.cpu_time()
    }

    async fn run(&mut self, prepared: &Prepared) -> Result<Analysis, Error> {
        let continuity = match self.stage {
            Stage::New => Continuity::NewGame,
            Stage::Playing => Continuity::SameGame,
            Stage::Ended => return Err(Error::SessionEnded),
        };
        // Until the answer is there the session counts as ended: that is what it is if this future is dropped.
        self.stage = Stage::Ended;
        let analysis = self.lease.search(prepared, continuity).await?;
        self.stage = Stage::Playing;
        Ok(analysis)
    }
}

/// A slot outside the pool. It goes back when the lease is dropped, before the permit is free.
#[derive(Debug)]
struct Lease {
    shared: Arc<Shared>,
    slot: Slot,
    _permit: OwnedSemaphorePermit,
    _admitted: OwnedSemaphorePermit,
}

impl Lease {
    async fn search(&mut self, prepared: &Prepared, continuity: Continuity) -> Result<Analysis, Fault> {
        match self.search_owning(prepared, continuity).await {
            Ok((analysis, engine)) => {
                self.slot = Slot { engine: Some(engine), ..Slot::default() };
                Ok(analysis)
            }
            Err(fault) => {
                self.note_failure(&fault);
                Err(fault)
            }
        }
    }

    /// The engine is a local of this future while it works, so that it dies with it.
    async fn search_owning(
        &mut self,
        prepared: &Prepared,
        continuity: Continuity,
    ) -> Result<(Analysis, Engine), Fault> {
        let config = &self.shared.config;
        let mut engine = match self.slot.engine.take() {
            Some(engine) => engine,
            None => {
                if let Some(instant) = self.slot.starts_at {
                    sleep_until(instant).await;
                }
                Engine::start(config).await?
            }
        };
        let analysis = engine.search(prepared, continuity, config).await?;
        Ok((analysis, engine))
    }

    fn note_failure(&mut self, fault: &Fault) {
        let failures = self.slot.failures.saturating_add(1);
        let delay = self.shared.config.restart_delay_after(failures);
        self.slot = Slot { engine: None, failures, starts_at: Some(Instant::now() + delay) };
        let engine = &self.shared.identity.name;
        tracing::warn!(%engine, %fault, failures, "engine killed");
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let slot = std::mem::take(&mut self.slot);
        // Asked under the lock, so that a closing pool either sees the slot or is seen here.
        let mut slots = self.shared.slots();
        if !self.shared.free.is_closed() {
            slots.push_back(slot);
        }
    }
}
