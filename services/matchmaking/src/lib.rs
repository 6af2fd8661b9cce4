//! Matchmaking: the queues of the cities, and each match from two tickets to a running game.
//!
//! # Map
//!
//! * [`app::queue`]: the task that owns the streams of this instance; [`app::followers`] is its state, [`app::tickets`] what a
//!   ticket is, both pure. [`app::notices`]: how instances wake each other.
//! * [`app::leader`]: pairing, of which each queue has one instance at a time.
//! * [`app::match_process`]: the process manager of a match, pure; [`app::advance`] takes a match one step further.
//! * [`app::propose`], [`app::timeouts`]: how a match begins, and how one that got stuck is given up.
//! * [`app::block`]: whom a player does not want to meet.
//! * [`app::cities`]: the stakes and clocks; [`app::save_city`] writes them.
//! * [`bus`]: the events of the other services, and the notices.
//! * [`store`]: the match and city streams and the projections in Postgres, the tickets in Redis.
//! * [`grpc`]: the edge.
//! * [`telemetry`]: the service's figures.
//!
//! # Invariants
//!
//! * MATCH-1 An input that comes twice takes effect once.
//! * MATCH-2 A match that is cancelled or closed stays so.
//! * MATCH-3 After `MatchConfirmed` only the game decides: nobody leaves, nothing times out.
//! * MATCH-4 A game is asked for only when both stakes are held.
//! * MATCH-5 A player sits in at most one match that is not over: the primary key of `players_in_match` holds it against
//!   every race, also between instances.
//! * MATCH-6 A player has at most one ticket, at all instances together, and a ticket that nobody follows is never paired.
//! * MATCH-7 A request that led to a game leads to no other: it is answered with that game, also after its end.
//! * MATCH-8 Whoever has left is not paired: the answer `left` is false only when a game of his has begun, or there was
//!   nothing to leave.
//! * MATCH-9 A player is paired by what was known of him when his ticket was given: rating, colours and last opponent. It is
//!   read after his last match is seen to be over, so the game that freed him is in it; its rating follows a moment later.
//! * MATCH-10 Every stored event can be read for ever; its bytes are pinned by tests.
//! * MATCH-11 Two tickets are claimed for a match by one script, both or none, and only by the instance that leads the queue.
//! * MATCH-12 A ticket that Redis has lost is put back by the instance that follows it, with its id and its wait; one that was
//!   left or has led to a game is not.
//! * MATCH-13 Nobody is paired under terms that he has not queued for.
//! * MATCH-14 Nobody is paired with whom he has blocked, or who has blocked him, nor while fair play bars him or he has excluded
//!   himself: it is asked at every pass, so it holds for tickets that are older.
//!
//! # Deliberately absent
//!
//! * Tickets on disk: a ticket is a wish, and a client that loses its stream joins again. What is on disk is every match.
//! * Pub/sub of Redis: it does not survive a restart of the server. Notices go by the broker, and none of them must arrive.
//! * A call to another service: their answers are events.

pub mod app;
pub mod bus;
pub mod grpc;
pub mod store;
pub mod telemetry;

use std::net::SocketAddr;

use event_bus::{Bus, ConsumerConfig, Handler, Relay};
use event_store::CommitSignal;
use proto::matchmaking::v1::matchmaking_service_server::MatchmakingServiceServer;
use proto::matchmaking::v1::queue_service_server::QueueServiceServer;
use serde::Deserialize;
use service_kit::config::{CommonConfig, Environment, ServiceConfig};
use service_kit::server::{Bound, Server};
use service_kit::tasks::Tasks;
use service_kit::{RunError, database};
use sqlx::PgPool;
use sqlx::migrate::Migrator;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use app::cities::{self, Cities};
use app::leader::{Leader, Nudges};
use app::notices::Notices;
use app::queue::{Parts, Queue};
use app::save_city;
use bus::notices::Ears;
use store::tickets::TicketStore;

/// The service's name.
pub const SERVICE: &str = "matchmaking";

/// Its migrations.
pub static MIGRATOR: Migrator = sqlx::migrate!("../../migrations/matchmaking");

/// Its settings.
#[derive(Debug, Clone, Deserialize)]
pub struct Config {
    /// What every service is told.
    #[serde(flatten)]
    pub common: CommonConfig,
    /// `STAKEMATE_REDIS_URL`: where the tickets of all instances are.
    pub redis_url: String,
}

impl ServiceConfig for Config {
    fn common(&self) -> &CommonConfig {
        &self.common
    }
}

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
/// When it cannot start, or a part of it fails for good.
pub async fn run(config: Config, shutdown: CancellationToken) -> Result<(), RunError> {
    start(config, shutdown).await?.serve().await
}

/// Opens everything and starts the background tasks: the only place where the parts are put together.
///
/// # Errors
/// When the database, the broker, the key or a port cannot be had.
pub async fn start(config: Config, shutdown: CancellationToken) -> Result<Started, RunError> {
    let common = &config.common;
    telemetry::describe();
    let pool = database::open(common, SERVICE, &MIGRATOR).await?;
    let bus = event_bus::connect(&common.nats_url, SERVICE).await?;
    event_bus::ensure_stream(&bus, SERVICE).await?;
    let instance = Uuid::now_v7();
    let store = TicketStore::new(&config.redis_url, instance)?;
    let seeds = match common.environment {
        Environment::Production => cities::production(),
        Environment::Development => cities::development(),
    };
    save_city::seed(&pool, seeds).await?;
    let cities = Cities::read(&pool).await?;
    let signal = CommitSignal::new();
    let (nudges, nudged) = Nudges::new();
    let (notices, outbox) = Notices::new();
    let (queue, queue_task) = Queue::new(Parts {
        pool: pool.clone(),
        cities: cities.clone(),
        store: store.clone(),
        nudges: nudges.clone(),
        notices: notices.clone(),
    });
    let service = grpc::Service {
        pool: pool.clone(),
        queue: queue.clone(),
        cities: cities.clone(),
        notices: notices.clone(),
        signal: signal.clone(),
        shutdown: shutdown.clone(),
    };
    let server = Server::new(common)?;
    let desk = operator::Desk::new(SERVICE, common, &pool, &bus, server.readiness());
    let queues = QueueServiceServer::new(service.clone());
    let server = server.add(MatchmakingServiceServer::new(service)).add(queues).add(desk.server());
    let bound = server.bind().await?;

    // From here on nothing can fail any more: no task is left behind by a start that came to nothing.
    let mut tasks = Tasks::new(shutdown.clone());
    tasks.spawn("queue", queue_task.run(shutdown.clone()));
    let leader = Leader {
        pool: pool.clone(),
        cities: cities.clone(),
        store,
        signal: signal.clone(),
        queue: queue.clone(),
        notices,
    };
    tasks.spawn("leader", leader.run(nudged, shutdown.clone()));
    tasks.spawn("cities", cities.clone().keep_fresh(pool.clone(), shutdown.clone()));
    let ears = Ears { queue: queue.clone(), nudges, cities };
    tasks.spawn("notices", bus::notices::run(bus.clone(), instance, outbox, ears, shutdown.clone()));
    let relay = Relay::run(pool.clone(), bus.clone(), SERVICE, signal.clone(), shutdown.clone());
    tasks.spawn("relay", relay);
    let timeouts = app::timeouts::run(pool.clone(), queue.clone(), signal.clone(), shutdown.clone());
    tasks.spawn("timeouts", timeouts);
    let consumers = Consumers { pool: pool.clone(), bus, signal, shutdown: shutdown.clone() };
    consumers.start_all(&mut tasks, &queue);
    Ok(Started { bound, tasks, pool, shutdown })
}

impl Started {
    /// Where gRPC is served.
    #[must_use]
    pub fn grpc_address(&self) -> SocketAddr {
        self.bound.grpc_address()
    }

    /// Serves until the shutdown, then waits for the background tasks.
    ///
    /// # Errors
    /// When the server fails or a task ended too early.
    pub async fn serve(self) -> Result<(), RunError> {
        let served = self.bound.run(self.shutdown.clone()).await;
        // Also when the server ended by itself.
        self.shutdown.cancel();
        let joined = self.tasks.join().await;
        self.pool.close().await;
        served?;
        joined?;
        Ok(())
    }
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
        self.start(
            tasks,
            ConsumerConfig::new("matchmaking_stakes", "wallet", "match"),
            bus::WalletEvents { queue: queue() },
        );
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
        self.start(tasks, ConsumerConfig::new("matchmaking_bars", "fairplay", "player"), bus::BarEvents);
        self.start(
            tasks,
            ConsumerConfig::new("matchmaking_exclusions", "wallet", "standing"),
            bus::ExclusionEvents,
        );
        self.start(tasks, ConsumerConfig::new("matchmaking_ratings", "rating", "game"), bus::RatingEvents);
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
        tasks.spawn(name, consumer);
    }
}
