//! The shards that this process owns, each under an epoch, for as long as its lease is certain.

use std::{
    fmt,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::sync::Notify;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    facts::GameId,
    shards::{SHARDS, ShardId},
};
use crate::metrics;

/// Rises each time a shard changes hands.
pub type Epoch = i64;

/// A shard while this process owns it.
#[derive(Debug)]
pub struct Holding {
    /// The shard.
    pub shard: ShardId,
    /// The epoch under which everything is written.
    pub epoch: Epoch,
    /// Since when, on the service's clock.
    pub since_ms: i64,
    /// Cancelled once the shard is no longer owned.
    pub stop: CancellationToken,
    /// Everything that may still write under the epoch.
    pub(super) tasks: TaskTracker,
    lease: Arc<Lease>,
}

impl Holding {
    /// Whether the lease is certain at this moment. A process that was stopped for longer than that finds out here, before it
    /// does anything with what it remembers.
    pub fn is_certain(&self) -> bool {
        self.lease.is_certain()
    }
}

/// How long the lease of all holdings is certain.
#[derive(Debug)]
struct Lease {
    started: Instant,
    /// In milliseconds since `started`.
    until_ms: AtomicU64,
}

impl Lease {
    fn until(until_ms: u64) -> Arc<Lease> {
        Arc::new(Lease { started: Instant::now(), until_ms: AtomicU64::new(until_ms) })
    }

    fn is_certain(&self) -> bool {
        let elapsed_ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        elapsed_ms < self.until_ms.load(Ordering::Acquire)
    }
}

/// The shards that this process owns.
pub struct Holdings {
    slots: RwLock<Vec<Option<Arc<Holding>>>>,
    lease: Arc<Lease>,
    /// Ends all holdings.
    stop: CancellationToken,
    doubt: Notify,
}

impl fmt::Debug for Holdings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Holdings").field("held", &self.held().len()).finish_non_exhaustive()
    }
}

impl Holdings {
    /// Nothing is owned yet. `stop` ends whatever will be.
    pub fn none(stop: CancellationToken) -> Arc<Holdings> {
        Holdings::under(Lease::until(0), stop)
    }

    /// Every shard, for ever: a process that shares its games with nobody.
    pub fn everything(since_ms: i64, stop: CancellationToken) -> Arc<Holdings> {
        let holdings = Holdings::under(Lease::until(u64::MAX), stop);
        for shard in ShardId::all() {
            holdings.gain(shard, 0, since_ms);
        }
        holdings
    }

    fn under(lease: Arc<Lease>, stop: CancellationToken) -> Arc<Holdings> {
        let slots = RwLock::new(vec![None; SHARDS]);
        Arc::new(Holdings { slots, lease, stop, doubt: Notify::new() })
    }

    /// The holding that a game belongs to; `None` when its owner is elsewhere, or nobody.
    pub fn of(&self, game_id: GameId) -> Option<Arc<Holding>> {
        let slots = self.slots.read().unwrap_or_else(PoisonError::into_inner);
        slots[usize::from(ShardId::of(game_id).0)].clone()
    }

    /// What is owned, in the order of the shards.
    pub fn held(&self) -> Vec<Arc<Holding>> {
        self.slots.read().unwrap_or_else(PoisonError::into_inner).iter().flatten().cloned().collect()
    }

    /// A shard was given to this process.
    pub fn gain(&self, shard: ShardId, epoch: Epoch, since_ms: i64) -> Arc<Holding> {
        let holding = Arc::new(Holding {
            shard,
            epoch,
            since_ms,
            stop: self.stop.child_token(),
            tasks: TaskTracker::new(),
            lease: self.lease.clone(),
        });
        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        slots[usize::from(shard.0)] = Some(holding.clone());
        metrics::owned_shards(slots.iter().flatten().count());
        holding
    }

    /// This very holding is over: its owners stop, and nothing new begins under it.
    pub fn lose(&self, lost: &Holding) {
        lost.stop.cancel();
        lost.tasks.close();
        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        let slot = &mut slots[usize::from(lost.shard.0)];
        if slot.as_ref().is_some_and(|held| held.epoch == lost.epoch) {
            *slot = None;
        }
        metrics::owned_shards(slots.iter().flatten().count());
    }

    /// The database, or the clock, says that a holding is over: it is lost, and whoever keeps the leases looks at once.
    pub fn doubt(&self, doubted: &Holding) {
        self.lose(doubted);
        self.doubt.notify_one();
    }

    /// Resolves at the next doubt, at once if there was one since the last wait.
    pub async fn doubted(&self) {
        self.doubt.notified().await;
    }

    /// The leases are certain until then.
    pub fn are_certain_until(&self, until: Instant) {
        let until = until.saturating_duration_since(self.lease.started);
        let until_ms = u64::try_from(until.as_millis()).unwrap_or(u64::MAX);
        self.lease.until_ms.store(until_ms, Ordering::Release);
    }

    /// Whether the leases are certain at this moment.
    pub fn are_certain(&self) -> bool {
        self.lease.is_certain()
    }

    /// Loses these holdings and waits until nothing can be written under them any more, at most `patience`: the database refuses what
    /// comes later.
    pub async fn end(&self, ending: &[Arc<Holding>], patience: Duration) {
        for holding in ending {
            self.lose(holding);
        }
        let ended = futures::future::join_all(ending.iter().map(|holding| holding.tasks.wait()));
        if tokio::time::timeout(patience, ended).await.is_err() {
            tracing::warn!(
                shards = ending.len(),
                "owners of games that were handed over have not stopped yet"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn game_in(shard: ShardId) -> GameId {
        let mut bytes = *Uuid::now_v7().as_bytes();
        bytes[15] = shard.0;
        GameId(Uuid::from_bytes(bytes))
    }

    #[test]
    fn a_game_belongs_to_the_holding_of_its_shard_while_there_is_one() {
        let holdings = Holdings::none(CancellationToken::new());
        let game_id = game_in(ShardId(9));
        assert!(holdings.of(game_id).is_none());
        let first = holdings.gain(ShardId(9), 1, 0);
        assert_eq!(holdings.of(game_id).map(|held| held.epoch), Some(1));
        let second = holdings.gain(ShardId(9), 3, 0);
        // Who lost the first does not take the second with it.
        holdings.lose(&first);
        assert!(first.stop.is_cancelled() && !second.stop.is_cancelled());
        assert_eq!(holdings.of(game_id).map(|held| held.epoch), Some(3));
        holdings.lose(&second);
        assert!(holdings.of(game_id).is_none() && holdings.held().is_empty());
    }

    #[test]
    fn a_lease_is_certain_until_its_instant_and_not_before_it_was_given() {
        let holdings = Holdings::none(CancellationToken::new());
        assert!(!holdings.are_certain());
        let holding = holdings.gain(ShardId(0), 1, 0);
        holdings.are_certain_until(Instant::now() + Duration::from_secs(60));
        assert!(holdings.are_certain() && holding.is_certain());
        holdings.are_certain_until(Instant::now());
        assert!(!holdings.are_certain() && !holding.is_certain());
    }

    #[tokio::test]
    async fn a_doubt_ends_the_holding_and_wakes_whoever_keeps_the_leases() {
        let holdings = Holdings::none(CancellationToken::new());
        let holding = holdings.gain(ShardId(0), 1, 0);
        holdings.doubt(&holding);
        holdings.doubted().await;
        assert!(holdings.held().is_empty() && holding.stop.is_cancelled());
    }
}
