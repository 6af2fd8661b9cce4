//! The rating service: Glicko-2 ratings, one for each player and staked time control.
//!
//! It follows the games' events and nothing else; nobody changes a rating by a call. The arithmetic is `domain-glicko`'s, here
//! is the order in which games are rated and where the numbers are kept.
//!
//! # Map
//! * [`app`]: a game as far as ratings are concerned, rating it, and all of it once more in memory.
//! * [`bus`]: the consumer of the games' events.
//! * [`store`]: the log, the ratings and their history on Postgres.
//! * [`grpc`]: the calls, for reading.
//! * [`rebuild`](rebuild::rebuild): all ratings from the log, compared to the last bit.
//! * [`config`], [`telemetry`]: settings and metrics.
//!
//! # Invariants
//! * `RATING-1` A game changes ratings at most once: its stream has one event, and the history one row for each player.
//! * `RATING-2` Both players change in one transaction, each from what both had when the game is rated, not when it began.
//! * `RATING-3` An aborted game changes nothing.
//! * `RATING-4` The games of a pool are numbered 1, 2, 3 … in the order in which they were rated; played through once more in
//!   this order they give the same bits.
//! * `RATING-5` The deviation grows by the days since the player's last game in the pool, when the next one is rated and when
//!   it is read. Reading stores nothing.
//!
//! # Deliberately absent
//! * Rounding: who shows a rating rounds it.
//! * A sweep that grows deviations: time is added when it is asked for.
//! * The house tables' pool and leaderboards, which come with the tables.

pub mod app;
pub mod bus;
pub mod config;
pub mod grpc;
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
pub use rebuild::{RebuildError, RebuildReport, rebuild};

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
    let bound = Server::new(&config.common)?.add(grpc::Service::server(pool.clone())).bind().await?;
    let signal = CommitSignal::new();
    let mut tasks = Tasks::new(shutdown.clone());
    let relay = Relay::run(pool.clone(), bus.clone(), SERVICE, signal.clone(), shutdown.clone());
    tasks.spawn("relay", returning(relay));
    let games = event_bus::run_consumer(
        pool.clone(),
        bus,
        bus::games::consumer_config(),
        bus::games::GameHandler,
        signal,
        shutdown.clone(),
    );
    tasks.spawn(bus::games::CONSUMER, returning(games));
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
