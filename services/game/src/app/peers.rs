//! The other instances of the service, as a port.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
};

use futures::future::BoxFuture;
use tokio::sync::broadcast;

use super::{
    act::{Act, ActError},
    attendance::Sign,
    facts::GameId,
    games::Games,
    holdings::Holding,
    journal::Version,
    receipt::Receipt,
    shards::ShardId,
    watch::{Frame, Told},
};

/// A game whose owner is at another instance, as it is heard of here.
#[derive(Debug)]
pub struct Followed {
    /// What is heard.
    pub told: broadcast::Sender<Told>,
    /// The place of the last event that is known here. Whoever has read the log says so; what is missing beyond it is asked for.
    pub known: AtomicI64,
    over: AtomicBool,
}

/// How many events a watcher may be behind before he reads the log again. Kept small: every live game pays for it.
pub(super) const FRAMES_KEPT: usize = 16;

impl Followed {
    /// Nothing is known yet.
    pub fn new() -> Followed {
        Followed {
            told: broadcast::Sender::new(FRAMES_KEPT),
            known: AtomicI64::new(0),
            over: AtomicBool::new(false),
        }
    }

    /// Somebody has read the log up to this place. What he found there and nobody was told, others miss as well.
    pub(super) fn read_up_to(&self, version: Version) {
        let known = self.known.fetch_max(version, Ordering::AcqRel);
        if (1..version).contains(&known) {
            let _ = self.told.send(Told::Look);
        }
    }

    /// Nothing more is heard here: whoever follows looks anew.
    pub fn end(&self) {
        // In this order: who begins to listen now sees the one or hears the other.
        self.over.store(true, Ordering::SeqCst);
        // Nobody may be listening.
        let _ = self.told.send(Told::Look);
    }

    /// Whether nothing more is heard here. To be asked after one has begun to listen.
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }
}

impl Default for Followed {
    fn default() -> Followed {
        Followed::new()
    }
}

/// The other instances. Clocks of two machines never agree, so what goes from one to the other says how long ago it happened, not when.
pub trait Peers: fmt::Debug + Send + Sync + 'static {
    /// Asks the owner of a game, wherever he is, once. `age_ms` is how long ago the request arrived here.
    fn ask(&self, act: Act, age_ms: i64) -> BoxFuture<'_, Result<Receipt, ActError>>;
    /// Tells the owner of a game what a stream here has to say. May get lost: streams say again and again that they are open.
    fn tell(&self, sign: Sign, age_ms: i64);
    /// Tells the owner of a shard that a game has begun there. May get lost: owners look for games from time to time.
    fn begun(&self, game_id: GameId);
    /// Tells those who follow a game elsewhere what happened in it. May get lost: they compare with the log.
    fn announce(&self, game_id: GameId, frame: &Arc<Frame>);
    /// Follows a game whose owner is elsewhere. Resolves when nothing that happens from now on is missed; `None` when nothing can be
    /// heard at the moment.
    fn follow(&self, game_id: GameId) -> BoxFuture<'_, Option<Arc<Followed>>>;
    /// Takes requests for a shard that this instance owns now, until its holding stops.
    fn serve(&self, games: &Games, holding: Arc<Holding>);
    /// Games of these shards have their owner here now: whoever followed them elsewhere looks again.
    fn are_ours(&self, shards: &[ShardId]);
    /// Whether there is anybody else to talk to.
    fn have_company(&self, company: Company);
}

/// Whether other instances are alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Company {
    /// They are.
    Some,
    /// This is the only one.
    None,
}

/// Nobody else: for a process that owns everything.
#[derive(Clone, Copy, Debug)]
pub struct NoPeers;

impl Peers for NoPeers {
    fn ask(&self, _: Act, _: i64) -> BoxFuture<'_, Result<Receipt, ActError>> {
        Box::pin(async { Err(ActError::Unreachable) })
    }

    fn tell(&self, _: Sign, _: i64) {}

    fn begun(&self, _: GameId) {}

    fn announce(&self, _: GameId, _: &Arc<Frame>) {}

    fn follow(&self, _: GameId) -> BoxFuture<'_, Option<Arc<Followed>>> {
        Box::pin(async { None })
    }

    fn serve(&self, _: &Games, _: Arc<Holding>) {}

    fn are_ours(&self, _: &[ShardId]) {}

    fn have_company(&self, _: Company) {}
}
