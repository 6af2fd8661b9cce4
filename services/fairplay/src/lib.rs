//! Fair play: how often a pair may meet for a stake, and an engine's report of every finished staked game.
//!
//! The reader of a report is a player, and one day a person who has to decide about him. So a report is complete or it is
//! not there, its numbers follow from the moves, the engine and the nodes alone, and one game is never a verdict.
//!
//! # Map
//!
//! * [`app::pairs`]: a place in a pair's day is reserved, counted, released.
//! * [`app::screening`]: the first look at a game, without an engine.
//! * [`app::analysis`]: one game through an engine to a report; [`app::asking`]: its positions, each alone and once; [`app::worker`]: the jobs around it, claimed and finished;
//!   [`app::claim_keeper`]: a claim is kept while its job runs; [`app::engines`]: engines, as soon as there are any.
//! * [`app::scoring`]: an analysed game to the evidence of both sides; [`app::second_pass`]: more nodes on the moves that count.
//! * [`app::standing`]: what a player's games amount to, and what follows; [`app::explanation`]: every figure behind it;
//!   [`app::persons`]: accounts that are one person's; [`app::collusion`]: signs that two play for each other;
//!   [`app::holds`]: prize holds end by themselves; [`app::cases`]: what a person decides; [`app::recompute`]: a report again.
//! * [`app::settings`]: the limits of all that; [`app::measure`]: the depth of the queue.
//! * [`bus`]: the events of matches and games.
//! * [`store`]: the pair and analysis streams, the queue and the reports.
//! * [`grpc`]: the edge. [`metrics`]: the names of the figures.
//!
//! # Invariants
//!
//! FAIR-1 to FAIR-5, PAIR-1 and PAIR-2 are those of the pure core, `domain-fairplay`.
//!
//! * FAIR-11 Of any number of matches proposed for a pair on a UTC day, at the same time or not, six are reserved; the others
//!   are refused. A place is given back when its match or game comes to nothing.
//!   A pair is one of persons: accounts that a moderator has linked count as one, also for what they played before on that day.
//! * FAIR-12 Every match gets one answer, whatever comes twice. A match that was given up before its proposal came takes no place.
//! * FAIR-13 A finished staked game is queued for analysis once, in the transaction that counts it.
//! * FAIR-14 A report, its event and the end of its job are one transaction. Before it, nothing of the analysis can be seen.
//! * FAIR-15 A job is finished by the holder of its claim only. The claim of a worker that died runs out and is taken by
//!   another, and that of a worker that stops is handed back.
//! * FAIR-16 A job that fails is tried three times, then parked for a person, who sees it listed and can have it tried again. It never holds up another job for good.
//! * FAIR-17 Without an engine everything but the analysis works, and the analysis waits without losing a try.
//! * FAIR-18 The same moves, engine and nodes give the same numbers, whatever was analysed before and however often workers died:
//!   each position is searched alone, and what is kept of it is what a search would find.
//! * FAIR-20 Evidence is scored only with an engine and nodes that the calibration was made for.
//! * FAIR-21 A standing is computed again from all of a player's games that count, in their order, while his row is held: in
//!   whatever order they were analysed, the last one to be written sees the same numbers.
//! * FAIR-22 A prize hold lasts 72 hours at most and is placed once for each rise to hold. Stakes and refunds are not touched.
//! * FAIR-23 Only a person ends a bar; his decision and each later one is an event with who and why.
//! * FAIR-25 Games without a stake are analysed after the staked ones, and raise nothing by themselves: staked games are held against
//!   them.
//! * FAIR-26 A staked game of which something is noticed without an engine is analysed before the others, and nothing else follows from it.
//! * FAIR-24 Signs of collusion are looked for once a day, the same sign of the same persons is raised once in seven days, and nothing
//!   but an event follows.
//! * FAIR-19 A report is seen by the two players of its game, by moderators and by operators; for anybody else there is none.
//!
//! # Deliberately absent
//!
//! * Any money: whoever holds the prizes obeys the events of a hold. No settlement waits for an analysis.
//! * Searches by time: they would differ from machine to machine.
//! * A call to another service.

pub mod app;
pub mod bus;
pub mod grpc;
pub mod metrics;
pub mod store;
#[cfg(test)]
mod tests;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use domain_fairplay::calibration::Calibration;
use event_bus::{Bus, ConsumerConfig, Handler, Relay};
use event_store::CommitSignal;
use proto::fairplay::v1::analysis_service_server::AnalysisServiceServer;
use proto::fairplay::v1::case_service_server::CaseServiceServer;
use proto::fairplay::v1::fairplay_service_server::FairplayServiceServer;
use serde::Deserialize;
use service_kit::config::{CommonConfig, Problem, ServiceConfig};
use service_kit::server::{Bound, Server};
use service_kit::tasks::Tasks;
use service_kit::{RunError, database};
use sqlx::PgPool;
use sqlx::migrate::Migrator;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use app::settings::{self, AnalysisSettings};
use app::worker::Workers;

/// The service's name.
pub const SERVICE: &str = "fairplay";

/// Its migrations.
pub static MIGRATOR: Migrator = sqlx::migrate!("../../migrations/fairplay");

/// Its settings.
#[derive(Debug, Clone, Deserialize)]
pub struct Config {
    /// What every service is told.
    #[serde(flatten)]
    pub common: CommonConfig,
    /// `STAKEMATE_STOCKFISH`: the engine. When it is unset or does not start, analyses wait.
    #[serde(default)]
    pub stockfish: Option<PathBuf>,
    /// `STAKEMATE_FAIRPLAY_NODES`: nodes searched a position; 25,000.
    #[serde(default = "settings::nodes")]
    pub nodes: u64,
    /// `STAKEMATE_FAIRPLAY_ENGINES`: engines at work at once, each on one thread; 1.
    #[serde(default = "settings::engines")]
    pub engines: usize,
    /// `STAKEMATE_FAIRPLAY_CLAIM_MS`: how long a claim of a job holds without a sign of its worker, in milliseconds; 60,000.
    #[serde(default = "settings::claim_ms")]
    pub claim_ms: u64,
    /// `STAKEMATE_FAIRPLAY_SECOND_PASS_STAKE`: the stake from which a game gets a second pass whoever played it, in minor units; 100,000.
    #[serde(default = "settings::second_pass_stake")]
    pub second_pass_stake: i64,
    /// `STAKEMATE_FAIRPLAY_CALIBRATION`: a file made by `stakemate fairplay calibrate`; the bundled one when it is unset.
    #[serde(default)]
    pub calibration: Option<PathBuf>,
}

impl ServiceConfig for Config {
    fn common(&self) -> &CommonConfig {
        &self.common
    }

    fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        if !(1..=settings::NODES_MAX).contains(&self.nodes) {
            problems
                .push(Problem::new("nodes", format!("must be a number from 1 to {}", settings::NODES_MAX)));
        }
        if !(1..=settings::ENGINES_MAX).contains(&self.engines) {
            let reason = format!("must be a number from 1 to {}", settings::ENGINES_MAX);
            problems.push(Problem::new("engines", reason));
        }
        if !settings::CLAIM_MS.contains(&self.claim_ms) {
            problems.push(Problem::new("claim_ms", "must be a number from 500 to 3600000"));
        }
        problems
    }
}

/// Runs the service until `shutdown`.
///
/// # Errors
/// When it cannot start, or a part of it ends too early.
pub async fn run(config: Config, shutdown: CancellationToken) -> Result<(), RunError> {
    start(config, shutdown).await?.serve().await
}

/// A service that has its ports and whose tasks run.
pub struct Started {
    server: Bound,
    tasks: Tasks,
    shutdown: CancellationToken,
}

impl Started {
    /// Where gRPC is served.
    #[must_use]
    pub fn grpc_address(&self) -> SocketAddr {
        self.server.grpc_address()
    }

    /// Serves until the shutdown.
    ///
    /// # Errors
    /// When the server fails or a task ends too early.
    pub async fn serve(self) -> Result<(), RunError> {
        self.server.run(self.shutdown).await?;
        self.tasks.join().await?;
        Ok(())
    }
}

/// Puts the parts together, and starts them.
///
/// # Errors
/// When the database, the broker, a port or the key cannot be used.
pub async fn start(config: Config, shutdown: CancellationToken) -> Result<Started, RunError> {
    metrics::describe();
    let common = &config.common;
    let pool = database::open(common, SERVICE, &MIGRATOR).await?;
    let bus = event_bus::connect(&common.nats_url, SERVICE).await?;
    event_bus::ensure_stream(&bus, SERVICE).await?;
    let calibration = Arc::new(read_calibration(&config)?);
    let signal = CommitSignal::new();
    let service =
        grpc::Service { pool: pool.clone(), calibration: calibration.clone(), signal: signal.clone() };
    let server = Server::new(common)?;
    let desk = operator::Desk::new(SERVICE, common, &pool, &bus, server.readiness());
    let cases = CaseServiceServer::new(service.clone());
    let analyses = AnalysisServiceServer::new(service.clone());
    let server = server.add(FairplayServiceServer::new(service)).add(cases).add(analyses);
    let server = server.add(desk.server()).bind().await?;

    let wake = Arc::new(Notify::new());
    let mut tasks = Tasks::new(shutdown.clone());
    let relay = Relay::run(pool.clone(), bus.clone(), SERVICE, signal.clone(), shutdown.clone());
    tasks.spawn("relay", endless(relay));
    let workers = Workers {
        pool: pool.clone(),
        settings: AnalysisSettings::of(&config, calibration),
        signal: signal.clone(),
        wake: wake.clone(),
        shutdown: shutdown.clone(),
    };
    tasks.spawn("analysis", endless(workers.run()));
    tasks.spawn("holds", endless(app::holds::run(pool.clone(), signal.clone(), shutdown.clone())));
    tasks.spawn("collusion", endless(app::collusion::run(pool.clone(), signal.clone(), shutdown.clone())));
    tasks.spawn("measure", endless(app::measure::run(pool.clone(), shutdown.clone())));
    let consumers = Consumers { pool, bus, signal, shutdown: shutdown.clone() };
    let matches = ConsumerConfig::new("fairplay_matches", "matchmaking", "match");
    consumers.start(&mut tasks, matches, bus::MatchEvents);
    let games = ConsumerConfig::new("fairplay_games", "game", "game");
    consumers.start(&mut tasks, games, bus::GameEvents { wake });
    let ratings = ConsumerConfig::new("fairplay_ratings", "rating", "game");
    consumers.start(&mut tasks, ratings, bus::RatingEvents);
    let accounts = ConsumerConfig::new("fairplay_accounts", "gateway", "player");
    consumers.start(&mut tasks, accounts, bus::AccountEvents);
    Ok(Started { server, tasks, shutdown })
}

/// The calibration that the service scores with. One that cannot be used stops the start: to score with another than the
/// one that was asked for would be worse than not to score.
fn read_calibration(config: &Config) -> Result<Calibration, RunError> {
    let Some(path) = &config.calibration else { return Ok(calibration::file::bundled()) };
    let unusable = |cause: String| -> RunError { format!("calibration {}: {cause}", path.display()).into() };
    let text = std::fs::read_to_string(path).map_err(|error| unusable(error.to_string()))?;
    calibration::file::read(&text).map_err(|error| unusable(error.to_string()))
}

struct Consumers {
    pool: PgPool,
    bus: Bus,
    signal: CommitSignal,
    shutdown: CancellationToken,
}

impl Consumers {
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
