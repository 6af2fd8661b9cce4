//! The rating service: one rating for each player and pool, Glicko-2 for the staked time controls, Elo for the house tables.
//!
//! It follows the games' events; besides, a moderator or an operator may correct what a game did, and so does his decision in a
//! case of fair play. The arithmetic is
//! `domain-glicko`'s, here is the order in which games are rated and where the numbers are kept.
//!
//! # Map
//! * [`app`]: a game as far as ratings are concerned, rating and correcting it, the book of a pool in memory, all of it once more
//!   from the log, and what would be without a game.
//! * [`bus`]: the consumers of the games' events and of fair play's decisions.
//! * [`store`]: the log, the ratings, their history and the leaderboards on Postgres.
//! * [`grpc`]: the calls.
//! * [`corrections`]: correcting ratings because of a game.
//! * [`preview`]: what ratings would be without one.
//! * [`rebuild`](rebuild::rebuild): all ratings from the log, compared to the last bit.
//! * [`bench`]: a full log for a benchmark.
//! * [`config`], [`telemetry`]: settings and metrics.
//!
//! # Invariants
//! * `RATING-1` A game changes ratings at most once: its stream begins with one event, and the history has one row of it for each
//!   player. It is taken back at most once, too.
//! * `RATING-2` Both players change in one transaction, each from what both had when the game is rated, not when it began.
//! * `RATING-3` An aborted game changes nothing, nor does one that counts in no pool.
//! * `RATING-4` The changes of a pool are numbered 1, 2, 3 … in the order in which they were made; made once more in this order they
//!   give the same bits.
//! * `RATING-5` The deviation grows by the days since the player's last game in the pool, when the next one is rated and when
//!   it is read. Reading stores nothing.
//! * `RATING-6` Only a moderator or an operator corrects, with a reason; the event names both. Initial rating and all differences of
//!   the history add up to the rating.
//! * `RATING-7` A request to correct takes effect once; the same request again is answered like the first time.
//! * `RATING-8` A preview changes nothing.
//! * `RATING-9` While a case of fair play stands confirmed, the games in which the player took points have moved nobody's rating; while
//!   it does not, they have moved it as they were played. Whatever order decisions come in, the last one counts.
//!
//! # Deliberately absent
//! * Rounding: who shows a rating rounds it.
//! * A sweep that grows deviations: time is added when it is asked for, and a leaderboard knows until when each player is listed.
//! * Computing anew what was played after a voided game: players would find games of last week to have given other points. The
//!   preview shows what it would come to.

pub mod app;
pub mod bench;
pub mod bus;
pub mod config;
pub mod corrections;
pub mod grpc;
pub mod preview;
pub mod rebuild;
pub mod store;
pub mod telemetry;

use std::net::SocketAddr;

use event_bus::{CommitSignal, Relay};
use service_kit::server::{Bound, Server};
use service_kit::tasks::Tasks;
use service_kit::{RunError, database};
use sqlx::PgPool;
use sqlx::migrate::Migrator;
use tokio_util::sync::CancellationToken;

pub use config::Config;
pub use rebuild::{RebuildConfig, RebuildError, RebuildReport, rebuild};

/// The service's name.
pub const SERVICE: &str = "rating";

/// The service's own tables.
pub static MIGRATOR: Migrator = sqlx::migrate!("../../migrations/rating");

/// A service that has its database, its broker and its ports.
pub struct Started {
    bound: Bound,
    tasks: Tasks,
    pool: PgPool,
    shutdown: CancellationToken,
}

/// Runs the service until `shutdown`.
///
/// # Errors
/// When it cannot start or not go on.
pub async fn run(config: Config, shutdown: CancellationToken) -> Result<(), RunError> {
    start(config, shutdown).await?.serve().await
}

/// Opens everything and starts the background tasks.
///
/// # Errors
/// When the database, the broker, the key or a port cannot be had.
pub async fn start(config: Config, shutdown: CancellationToken) -> Result<Started, RunError> {
    telemetry::describe();
    let pool = database::open(&config.common, SERVICE, &MIGRATOR).await?;
    let bus = event_bus::connect(&config.common.nats_url, SERVICE).await?;
    let signal = CommitSignal::new();
    let service = grpc::Service::server(pool.clone(), signal.clone());
    let bound = Server::new(&config.common)?.add(service).bind().await?;
    let mut tasks = Tasks::new(shutdown.clone());
    let relay = Relay::run(pool.clone(), bus.clone(), SERVICE, signal.clone(), shutdown.clone());
    tasks.spawn("relay", returning(relay));
    let games = event_bus::run_consumer(
        pool.clone(),
        bus.clone(),
        bus::games::consumer_config(),
        bus::games::GameHandler,
        signal.clone(),
        shutdown.clone(),
    );
    tasks.spawn(bus::games::CONSUMER, returning(games));
    let decisions = event_bus::run_consumer(
        pool.clone(),
        bus,
        bus::decisions::consumer_config(),
        bus::decisions::DecisionHandler,
        signal,
        shutdown.clone(),
    );
    tasks.spawn(bus::decisions::CONSUMER, returning(decisions));
    Ok(Started { bound, tasks, pool, shutdown })
}

impl Started {
    /// Where gRPC is served.
    #[must_use]
    pub fn grpc_address(&self) -> SocketAddr {
        self.bound.grpc_address()
    }

    /// The service's database.
    #[must_use]
    pub fn pool(&self) -> PgPool {
        self.pool.clone()
    }

    /// Serves until the shutdown, then waits for the background tasks.
    ///
    /// # Errors
    /// When the server fails or a task ended too early.
    pub async fn serve(self) -> Result<(), RunError> {
        let served = self.bound.run(self.shutdown.clone()).await;
        self.shutdown.cancel();
        let joined = self.tasks.join().await;
        self.pool.close().await;
        served?;
        joined?;
        Ok(())
    }
}

async fn returning(task: impl Future<Output = ()>) -> Result<(), std::convert::Infallible> {
    task.await;
    Ok(())
}
