//! Matchmaking: the queues of the cities, and each match from two tickets to a running game.
//!
//! # Map
//!
//! * [`app::queue`]: the task that owns all tickets; [`app::tickets`] is its state, pure.
//! * [`app::match_process`]: the process manager of a match, pure; [`app::advance`] takes a match one step further.
//! * [`app::propose`], [`app::timeouts`]: how a match begins, and how one that got stuck is given up.
//! * [`app::cities`]: the stakes and clocks.
//! * [`bus`]: the events of the other services.
//! * [`store`]: the match streams and the projections.
//! * [`grpc`]: the edge.
//!
//! # Invariants
//!
//! * MATCH-1 An input that comes twice takes effect once.
//! * MATCH-2 A match that is cancelled or closed stays so.
//! * MATCH-3 After `MatchConfirmed` only the game decides: nobody leaves, nothing times out.
//! * MATCH-4 A game is asked for only when both stakes are held.
//! * MATCH-5 A player sits in at most one match that is not over: the primary key of `players_in_match` holds it against
//!   every race, also between instances.
//! * MATCH-6 A player has at most one ticket, and a ticket that nobody follows is never paired.
//!
//! # Deliberately absent
//!
//! * Tickets on disk: a ticket is a wish, and a client that loses its stream joins again. What is on disk is every match.
//! * A call to another service: their answers are events.

pub mod app;
pub mod bus;
pub mod grpc;
pub mod store;

use std::convert::Infallible;
use std::sync::Arc;

use event_bus::{Bus, ConsumerConfig, Handler, Relay};
use event_store::CommitSignal;
use proto::matchmaking::v1::matchmaking_service_server::MatchmakingServiceServer;
use serde::Deserialize;
use service_kit::config::{CommonConfig, Environment, ServiceConfig};
use service_kit::tasks::Tasks;
use service_kit::{RunError, database, server::Server};
use sqlx::PgPool;
use sqlx::migrate::Migrator;
use tokio_util::sync::CancellationToken;

use app::cities::Cities;
use app::queue::Queue;

/// The service's name.
pub const SERVICE: &str = "matchmaking";

/// Its migrations.
pub static MIGRATOR: Migrator = sqlx::migrate!("../../migrations/matchmaking");

/// Its settings: only what every service has.
#[derive(Debug, Clone, Deserialize)]
pub struct Config {
    /// What every service is told.
    #[serde(flatten)]
    pub common: CommonConfig,
}

impl ServiceConfig for Config {
    fn common(&self) -> &CommonConfig {
        &self.common
    }
}

/// Runs the service until `shutdown`: the only place where its parts are put together.
pub async fn run(config: Config, shutdown: CancellationToken) -> Result<(), RunError> {
    let common = &config.common;
    let pool = database::open(common, SERVICE, &MIGRATOR).await?;
    let bus = event_bus::connect(&common.nats_url, SERVICE).await?;
    event_bus::ensure_stream(&bus, SERVICE).await?;
    let cities = Arc::new(match common.environment {
        Environment::Production => Cities::production(),
        Environment::Development => Cities::development(),
    });
    let signal = CommitSignal::new();
    let queue = Queue::start(pool.clone(), cities.clone(), signal.clone(), shutdown.clone());

    let mut tasks = Tasks::new(shutdown.clone());
    let relay = Relay::run(pool.clone(), bus.clone(), SERVICE, signal.clone(), shutdown.clone());
    tasks.spawn("relay", endless(relay));
    let timeouts = app::timeouts::run(pool.clone(), queue.clone(), signal.clone(), shutdown.clone());
    tasks.spawn("timeouts", endless(timeouts));
    let consumers = Consumers { pool: pool.clone(), bus, signal: signal.clone(), shutdown: shutdown.clone() };
    consumers.start_all(&mut tasks, &queue);

    let service = grpc::Service { pool, queue, cities, signal, shutdown: shutdown.clone() };
    Server::new(common)?.add(MatchmakingServiceServer::new(service)).run(shutdown).await?;
    tasks.join().await?;
    Ok(())
}

struct Consumers {
    pool: PgPool,
    bus: Bus,
    signal: CommitSignal,
    shutdown: CancellationToken,
}

impl Consumers {
    fn start_all(&self, tasks: &mut Tasks, queue: &Queue) {
        let queue = || queue.clone();
        self.start(
            tasks,
            ConsumerConfig::new("matchmaking_pairs", "fairplay", "pair"),
            bus::FairplayEvents { queue: queue() },
        );
        // One lane: what a player can stake is what the latest event says, across the streams of all his matches.
        let in_order =
            ConsumerConfig { lanes: 1, ..ConsumerConfig::new("matchmaking_stakes", "wallet", "match") };
        self.start(tasks, in_order, bus::WalletEvents { queue: queue() });
        self.start(
            tasks,
            ConsumerConfig::new("matchmaking_accounts", "wallet", "account"),
            bus::AccountEvents,
        );
        self.start(
            tasks,
            ConsumerConfig::new("matchmaking_games", "game", "game"),
            bus::GameEvents { queue: queue() },
        );
        // One lane, for the same reason: the latest rating counts, whichever game it came from.
        let in_order =
            ConsumerConfig { lanes: 1, ..ConsumerConfig::new("matchmaking_ratings", "rating", "game") };
        self.start(tasks, in_order, bus::RatingEvents);
    }

    fn start(&self, tasks: &mut Tasks, config: ConsumerConfig, handler: impl Handler) {
        let name = config.name;
        let consumer = event_bus::run_consumer(
            self.pool.clone(),
            self.bus.clone(),
            config,
            handler,
            self.signal.clone(),
            self.shutdown.clone(),
        );
        tasks.spawn(name, endless(consumer));
    }
}

/// A task that returns only when it is told to stop.
async fn endless(task: impl Future<Output = ()>) -> Result<(), Infallible> {
    task.await;
    Ok(())
}
