//! Keeps the leases of this instance: lives on, takes the shards that are its part, hands over those that are another's, and notices
//! when it has lost some.
//!
//! It looks at the roll about five times in the length of a lease, and at once when another instance comes or goes, when the lease of
//! another one runs out, and when the database refuses a write. What it may believe is decided by the database's clock and the
//! machine's monotonic one, never by comparing two machines.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::sync::{Notify, mpsc, watch};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    games::Games,
    holdings::{Holding, Holdings},
    leases::{Held, Instance, LeaseError, Leases, Roll},
    peers::Company,
    shards::{InstanceName, ShardId, keeper_of},
};
use crate::metrics;

/// How often a lease is renewed in its length.
const RENEWALS_PER_LEASE: u32 = 5;
/// When it is tried again to take a shard that somebody was just writing to, and to recover games.
const AGAIN_AFTER: Duration = Duration::from_millis(50);
/// How much later than an expiry it is looked again: the database's clock is asked, so nothing depends on it.
const AFTER_EXPIRY: Duration = Duration::from_millis(20);
/// How long a hand-over waits for owners to write what they have in hand.
const FLUSH_MAX: Duration = Duration::from_secs(2);

/// What instances say to each other about themselves. May get lost: everybody looks from time to time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Somebody came, went, or gave shards up.
    Roll,
    /// A table was written.
    Tables,
}

/// Whether this instance owns anything whose games it has taken up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It owns nothing.
    Idle,
    /// It owns shards.
    Owning,
}

/// What an instance says and hears.
#[derive(Clone, Debug)]
pub struct Talk {
    /// Its own notices.
    pub say: mpsc::Sender<Notice>,
    /// Set when another one said [`Notice::Roll`].
    pub roll_changed: Arc<Notify>,
}

/// Keeps the leases of this instance.
#[derive(Debug)]
pub struct Keeper {
    leases: Arc<dyn Leases>,
    games: Games,
    holdings: Arc<Holdings>,
    me: Instance,
    lease: Duration,
    talk: Talk,
    standing: watch::Sender<Standing>,
    recoveries: TaskTracker,
}

impl Keeper {
    /// Nothing is owned before [`Keeper::keep`].
    pub fn new(leases: Arc<dyn Leases>, games: Games, me: Instance, lease: Duration, talk: Talk) -> Keeper {
        let holdings = games.holdings().clone();
        let (standing, _) = watch::channel(Standing::Idle);
        Keeper { leases, games, holdings, me, lease, talk, standing, recoveries: TaskTracker::new() }
    }

    /// Whether this instance owns anything.
    pub fn standing(&self) -> watch::Receiver<Standing> {
        self.standing.subscribe()
    }

    /// Keeps the leases until `stop` is cancelled, and then hands everything over.
    ///
    /// # Errors
    /// When another process has this instance's name.
    pub async fn keep(mut self, stop: CancellationToken) -> Result<(), LeaseError> {
        let kept = tokio::select! {
            kept = self.look_again_and_again() => kept,
            () = stop.cancelled() => Ok(()),
        };
        self.leave().await;
        kept
    }

    async fn look_again_and_again(&mut self) -> Result<(), LeaseError> {
        while let Err(error) = self.leases.enrol(&self.me, self.lease).await {
            tracing::warn!(%error, "this instance cannot be entered among the others, trying again");
            tokio::time::sleep(self.pause()).await;
        }
        self.say_so();
        loop {
            let pause = match self.look().await {
                Err(error @ LeaseError::Superseded(_)) => return Err(error),
                Err(error) => {
                    tracing::warn!(%error, "the leases could not be renewed, trying again");
                    self.pause()
                }
                Ok(pause) => pause,
            };
            tokio::select! {
                () = self.talk.roll_changed.notified() => {}
                () = self.holdings.doubted() => {}
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    fn pause(&self) -> Duration {
        self.lease / RENEWALS_PER_LEASE
    }

    /// Renews, does what follows from the roll, and answers when to look again.
    async fn look(&mut self) -> Result<Duration, LeaseError> {
        // What ran out is over, even if nobody else was there to take it: the clocks of its games have to stand still.
        if !self.holdings.are_certain() {
            let ended = self.holdings.held();
            self.holdings.end(&ended, FLUSH_MAX).await;
        }
        let asked_at = Instant::now();
        let renewal = self.leases.renew(&self.me, self.lease);
        let roll = tokio::time::timeout(self.lease, renewal).await;
        let roll = roll.map_err(|late| LeaseError::Unavailable(late.into()))??;
        self.holdings.are_certain_until(asked_at + self.lease);
        self.lose_what_is_anothers(&roll).await;
        let parts = Parts::of(&roll, &self.me, &self.holdings.held());
        self.games.peers().have_company(if roll.live.len() > 1 { Company::Some } else { Company::None });
        if !parts.surplus.is_empty() {
            self.hand_over(&parts.surplus).await?;
        }
        let taken = if parts.free.is_empty() { 0 } else { self.take(&parts.free).await? };
        if self.holdings.held().is_empty() {
            self.standing.send_replace(Standing::Idle);
        }
        Ok(match () {
            () if taken < parts.free.len() => AGAIN_AFTER,
            () => parts.next_expiry.map_or(self.pause(), |left| (left + AFTER_EXPIRY).min(self.pause())),
        })
    }

    async fn lose_what_is_anothers(&self, roll: &Roll) {
        let mine: HashSet<_> = roll
            .held
            .iter()
            .filter(|held| held.holder == Some(self.me.instance_id))
            .map(|held| (held.shard, held.epoch))
            .collect();
        let held = self.holdings.held();
        let lost: Vec<Arc<Holding>> =
            held.into_iter().filter(|holding| !mine.contains(&(holding.shard, holding.epoch))).collect();
        if !lost.is_empty() {
            tracing::warn!(shards = lost.len(), "another instance has taken shards over");
            self.holdings.end(&lost, FLUSH_MAX).await;
        }
    }

    async fn hand_over(&self, surplus: &[Arc<Holding>]) -> Result<(), LeaseError> {
        self.holdings.end(surplus, FLUSH_MAX).await;
        let shards: Vec<ShardId> = surplus.iter().map(|holding| holding.shard).collect();
        self.leases.release(&self.me, &shards).await?;
        tracing::info!(shards = shards.len(), "shards are given up for another instance");
        self.say_so();
        Ok(())
    }

    /// Takes shards and the games in them, and answers how many.
    async fn take(&self, shards: &[ShardId]) -> Result<usize, LeaseError> {
        let taken = self.leases.take(&self.me, shards).await?;
        if taken.is_empty() {
            return Ok(0);
        }
        let since_ms = self.games.now_ms();
        let holdings: Vec<Arc<Holding>> = taken
            .iter()
            .map(|(shard, epoch)| {
                let holding = self.holdings.gain(*shard, *epoch, since_ms);
                self.games.peers().serve(&self.games, holding.clone());
                holding
            })
            .collect();
        metrics::taken_over(holdings.len());
        tracing::info!(shards = holdings.len(), "shards are taken over");
        self.recoveries.spawn(recover(self.games.clone(), holdings, self.standing.clone()));
        Ok(taken.len())
    }

    /// Hands everything over. Others are told at once, so that they need not wait for the lease to run out.
    async fn leave(&self) {
        let held = self.holdings.held();
        self.holdings.end(&held, FLUSH_MAX).await;
        match tokio::time::timeout(self.lease, self.leases.leave(&self.me)).await {
            Ok(Ok(())) => tracing::info!(shards = held.len(), "all shards are handed over"),
            Ok(Err(error)) => tracing::warn!(%error, "the leases could not be given up, they run out"),
            Err(_) => tracing::warn!("the leases could not be given up in time, they run out"),
        }
        self.say_so();
        self.recoveries.close();
        self.recoveries.wait().await;
    }

    fn say_so(&self) {
        // A full queue holds the same notice already.
        let _ = self.talk.say.try_send(Notice::Roll);
    }
}

/// What of the roll is this instance's to do.
struct Parts {
    /// Owned here, and another's part.
    surplus: Vec<Arc<Holding>>,
    /// This instance's part, and owned by nobody.
    free: Vec<ShardId>,
    /// When the next other one expires unless it renews.
    next_expiry: Option<Duration>,
}

impl Parts {
    fn of(roll: &Roll, me: &Instance, held: &[Arc<Holding>]) -> Parts {
        let names: Vec<InstanceName> = roll.live.iter().map(|live| live.instance.name.clone()).collect();
        let is_my_part = |shard| keeper_of(shard, &names) == Some(&me.name);
        let alive: HashSet<_> = roll.live.iter().map(|live| live.instance.instance_id).collect();
        let rows: HashMap<ShardId, &Held> = roll.held.iter().map(|held| (held.shard, held)).collect();
        let owned: HashSet<ShardId> = held.iter().map(|holding| holding.shard).collect();
        let is_free = |shard: &ShardId| {
            let holder = rows.get(shard).and_then(|row| row.holder);
            holder.is_none_or(|holder| holder == me.instance_id || !alive.contains(&holder))
        };
        let others = roll.live.iter().filter(|live| live.instance.instance_id != me.instance_id);
        Parts {
            surplus: held.iter().filter(|holding| !is_my_part(holding.shard)).cloned().collect(),
            free: ShardId::all()
                .filter(|shard| is_my_part(*shard) && !owned.contains(shard))
                .filter(is_free)
                .collect(),
            next_expiry: others.map(|live| live.left).min(),
        }
    }
}

/// Takes up the games of shards that were just taken, until it succeeds or they are lost again.
async fn recover(games: Games, mut taken: Vec<Arc<Holding>>, standing: watch::Sender<Standing>) {
    loop {
        taken.retain(|holding| !holding.stop.is_cancelled());
        let shards: Vec<ShardId> = taken.iter().map(|holding| holding.shard).collect();
        if shards.is_empty() {
            return;
        }
        match games.take_up_shards(&shards).await {
            Ok(live) => {
                tracing::debug!(live, "live games have owners");
                standing.send_replace(Standing::Owning);
                return;
            }
            Err(error) => tracing::warn!(%error, "live games could not be looked for, trying again"),
        }
        tokio::time::sleep(AGAIN_AFTER).await;
    }
}
