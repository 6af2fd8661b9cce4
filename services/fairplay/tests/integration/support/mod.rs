//! What the tests share: a database of the service's own, messages as they come off the bus, and engines.

pub mod events;
pub mod fake_engine;
pub mod world;

use std::sync::Arc;
use std::time::Duration;

use event_bus::{HandleError, Handler, Message};
use event_store::CommitSignal;
use fairplay::app::settings::{AnalysisSettings, SearchSettings};
use fairplay::app::worker::Workers;
use fairplay::store::analyses::{self, Progress};
use sqlx::PgPool;
use test_kit::{TestDatabase, eventually};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};
use uci::EngineConfig;
use uuid::Uuid;

/// How long a test waits for what must happen; long, because the machine may be busy.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// An empty database of the service.
pub async fn database() -> TestDatabase {
    let database = test_kit::postgres().await.database("fairplay").await;
    service_kit::database::migrate(&database.url.as_str().into(), fairplay::SERVICE, &fairplay::MIGRATOR)
        .await
        .expect("the migrations go through");
    database
}

/// Hands a message to a handler as a consumer does: in a transaction that is committed only when it succeeds.
pub async fn deliver(pool: &PgPool, handler: &impl Handler, message: &Message) -> Result<(), HandleError> {
    let mut tx = pool.begin().await?;
    match handler.handle(&mut tx, message).await {
        Ok(()) => {
            tx.commit().await?;
            Ok(())
        }
        Err(error) => {
            tx.rollback().await?;
            Err(error)
        }
    }
}

/// How often each event stands in the log, by name.
pub async fn event_counts(pool: &PgPool) -> Vec<(String, i64)> {
    sqlx::query_as("select type, count(*) from events group by type order by type")
        .fetch_all(pool)
        .await
        .expect("readable")
}

/// The events of a stream, in order.
pub async fn events_of(pool: &PgPool, stream_id: Uuid) -> Vec<String> {
    sqlx::query_scalar("select type from events where stream_id = $1 order by version")
        .bind(stream_id)
        .fetch_all(pool)
        .await
        .expect("readable")
}

/// The real engine.
pub fn stockfish() -> EngineConfig {
    let program = uci::find_program("stockfish").expect("stockfish is installed by the bootstrap script");
    EngineConfig::new(program)
}

/// Settings with short waits.
pub fn settings(engine: EngineConfig) -> AnalysisSettings {
    AnalysisSettings {
        engine: Some(engine),
        engines: 1,
        search: SearchSettings { nodes: 25_000, multi_pv: 4 },
        second_search: SearchSettings { nodes: 100_000, multi_pv: 4 },
        calibration: Arc::new(calibration::file::bundled()),
        second_pass_stake: i64::MAX,
        claim_time: Duration::from_secs(60),
        attempts_max: 3,
        claims_lost_max: 10,
        retry_delay: Duration::from_millis(1),
        poll_interval: Duration::from_millis(20),
        engine_delay: Duration::from_millis(20),
    }
}

/// Workers that run until they are stopped or dropped.
pub struct Running {
    shutdown: CancellationToken,
    ended: JoinHandle<()>,
    _stop: DropGuard,
}

impl Running {
    pub fn start(pool: &PgPool, settings: AnalysisSettings) -> Self {
        let shutdown = CancellationToken::new();
        let workers = Workers {
            pool: pool.clone(),
            settings,
            signal: CommitSignal::new(),
            wake: Arc::new(Notify::new()),
            shutdown: shutdown.clone(),
        };
        Self { ended: tokio::spawn(workers.run()), _stop: shutdown.clone().drop_guard(), shutdown }
    }

    pub async fn stop(self) {
        self.shutdown.cancel();
        let ended = tokio::time::timeout(PATIENCE, self.ended).await;
        ended.expect("workers stop when they are asked to").expect("workers do not panic");
    }
}

/// How far a game's analysis is.
pub async fn progress(pool: &PgPool, game_id: Uuid) -> Progress {
    analyses::find(pool, game_id).await.expect("readable").expect("queued").progress
}

/// Waits for a game's report.
pub async fn report(pool: &PgPool, game_id: Uuid) -> proto::fairplay::v1::GameReport {
    eventually(PATIENCE, || async {
        match progress(pool, game_id).await {
            Progress::Ready(report) => Some(*report),
            Progress::Parked => panic!("the analysis was parked: {:?}", job(pool, game_id).await),
            Progress::Queued | Progress::Running => None,
        }
    })
    .await
}

/// Waits until a game's analysis is given up.
pub async fn parked(pool: &PgPool, game_id: Uuid) -> Job {
    eventually(PATIENCE, || async {
        match progress(pool, game_id).await {
            Progress::Parked => Some(job(pool, game_id).await),
            Progress::Ready(_) => panic!("the analysis was completed"),
            Progress::Queued | Progress::Running => None,
        }
    })
    .await
}

/// A job's row.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Job {
    pub status: String,
    pub attempts: i32,
    pub claims_lost: i32,
    pub cause: Option<String>,
}

impl Job {
    /// A job nobody has failed at.
    pub fn untouched(status: &str) -> Self {
        Self { status: status.to_owned(), attempts: 0, claims_lost: 0, cause: None }
    }
}

pub async fn job(pool: &PgPool, game_id: Uuid) -> Job {
    sqlx::query_as("select status, attempts, claims_lost, cause from analysis_jobs where game_id = $1")
        .bind(game_id)
        .fetch_one(pool)
        .await
        .expect("queued")
}
