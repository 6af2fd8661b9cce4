//! Workers as processes, killed at random moments: what comes out is what comes out of a quiet run.
//!
//! `STAKEMATE_KILLED_WORKERS_GAMES=500 cargo test -p fairplay --test integration killed_at_random` is the long run.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use domain_fairplay::calibration::Calibration;
use event_store::Metadata;
use fairplay::app::analysis::{Circumstances, FinishedGame};
use fairplay::app::settings::{AnalysisSettings, SearchSettings};
use fairplay::store::analyses;
use prost::Message as _;
use proto::fairplay::v1::{Assessment, GameReport};
use service_kit::auth::KeyPair;
use shakmaty::{CastlingMode, Chess, Position as _};
use sqlx::PgPool;
use tempfile::TempDir;
use test_kit::{TestDatabase, eventually};
use uuid::Uuid;

use crate::support::{PATIENCE, Running, database, settings, stockfish};

const GAMES_VARIABLE: &str = "STAKEMATE_KILLED_WORKERS_GAMES";
const GAMES: usize = 18;
const PLIES: usize = 40;
const PLAYERS: usize = 12;
const NODES: u64 = 2_000;
const INSTANCES: usize = 3;

/// SplitMix64, so that a run can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % bound as u64).expect("below a usize")
    }
}

fn player(number: usize) -> Uuid {
    Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0000 + number as u128)
}

/// Legal games of a dozen players who take whatever they can, each game another one.
fn game(number: usize) -> FinishedGame {
    let mut random = Random(number as u64);
    let mut position = Chess::default();
    let mut moves = Vec::new();
    while moves.len() < PLIES {
        let legal = position.legal_moves();
        let captures: Vec<_> = legal.iter().filter(|played| played.is_capture()).collect();
        let played = match (captures.is_empty(), legal.is_empty()) {
            (_, true) => break,
            (false, _) if random.below(2) == 0 => *captures[random.below(captures.len())],
            _ => legal[random.below(legal.len())],
        };
        moves.push(played.to_uci(CastlingMode::Standard).to_string());
        position.play_unchecked(played);
    }
    let white = number % PLAYERS;
    let charged_ms = moves.iter().map(|_| 300 + random.below(9_000) as i64).collect();
    FinishedGame {
        game_id: Uuid::from_u128(0x0190_0000_0001_7000_8000_0000_0000_0000 + number as u128),
        white_id: player(white),
        black_id: player((white + 1 + number / PLAYERS % (PLAYERS - 1)) % PLAYERS),
        moves,
        start_fen: String::new(),
        is_staked: true,
        circumstances: Some(Circumstances {
            white_rating: 1500.0 + random.below(400) as f64,
            black_rating: 1500.0 + random.below(400) as f64,
            base_ms: 300_000,
            increment_ms: 3_000,
            white_score: [0.0, 0.5, 1.0][random.below(3)],
            ended_at_ms: 1_767_225_540_000 + number as i64,
            charged_ms,
        }),
    }
}

/// The bundled one, taken to hold for few nodes, so that the evidence is part of what is compared.
fn calibration() -> Calibration {
    let mut calibration = calibration::file::bundled();
    calibration.basis.accepted_nodes.push(NODES);
    let text = calibration::file::write(&mut calibration);
    calibration::file::read(&text).expect("it was just written")
}

async fn queued(games: usize) -> TestDatabase {
    let database = database().await;
    for number in 0..games {
        let mut tx = database.pool.begin().await.expect("a transaction");
        let metadata = Metadata::for_request("tester", Uuid::from_u128(number as u128));
        analyses::queue_in(&mut tx, &game(number), &[], metadata).await.expect("queued");
        tx.commit().await.expect("committed");
    }
    database
}

async fn ready(pool: &PgPool) -> usize {
    let ready: i64 =
        sqlx::query_scalar("select count(*) from reports").fetch_one(pool).await.expect("readable");
    usize::try_from(ready).expect("a count")
}

/// A process with one engine.
struct Instance(Child);

impl Instance {
    fn start(database_url: &str, nats_url: &str, folder: &Path) -> Self {
        let keys = KeyPair::development(folder).expect("keys");
        let child = Command::new(env!("CARGO_BIN_EXE_stakemate-fairplay"))
            .env("STAKEMATE_ENVIRONMENT", "development")
            .env("STAKEMATE_GRPC_ADDRESS", "127.0.0.1:0")
            .env("STAKEMATE_ADMIN_ADDRESS", "127.0.0.1:0")
            .env("STAKEMATE_DATABASE_URL", database_url)
            .env("STAKEMATE_DATABASE_CONNECTIONS", "6")
            .env("STAKEMATE_NATS_URL", nats_url)
            .env("STAKEMATE_TOKEN_PUBLIC_KEY_FILE", keys.public)
            .env("STAKEMATE_LOG", "error")
            .env("STAKEMATE_STOCKFISH", stockfish().program)
            .env("STAKEMATE_FAIRPLAY_NODES", NODES.to_string())
            .env("STAKEMATE_FAIRPLAY_CLAIM_MS", "2000")
            .env("STAKEMATE_FAIRPLAY_CALIBRATION", folder.join("calibration.json"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the service's program");
        Self(child)
    }

    /// `SIGKILL`: it can hand nothing back.
    fn kill(&mut self) {
        self.0.kill().expect("our own child");
        self.0.wait().expect("our own child");
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // It may have been killed before.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Everything that was written, but for how long it took and when it was computed.
async fn outcome(pool: &PgPool) -> (BTreeMap<Uuid, GameReport>, Vec<Assessment>) {
    let rows: Vec<(Uuid, Vec<u8>)> =
        sqlx::query_as("select game_id, report from reports").fetch_all(pool).await.expect("readable");
    let reports = rows.into_iter().map(|(game_id, report)| {
        let report = GameReport::decode(report.as_slice()).expect("readable");
        (game_id, GameReport { engine_ms: 0, ..report })
    });
    let rows: Vec<Vec<u8>> =
        sqlx::query_scalar("select assessment from standings order by player_id, time_class")
            .fetch_all(pool)
            .await
            .expect("readable");
    let assessments = rows.iter().map(|bytes| {
        let assessment = Assessment::decode(bytes.as_slice()).expect("readable");
        Assessment { assessed_at_ms: 0, ..assessment }
    });
    (reports.collect(), assessments.collect())
}

async fn quiet_run(games: usize) -> (BTreeMap<Uuid, GameReport>, Vec<Assessment>) {
    let database = queued(games).await;
    let quiet = AnalysisSettings {
        search: SearchSettings { nodes: NODES, multi_pv: 4 },
        calibration: Arc::new(calibration()),
        ..settings(stockfish())
    };
    let running = Running::start(&database.pool, quiet);
    let mut done = 0;
    while done < games {
        done = eventually(PATIENCE, || async {
            Some(ready(&database.pool).await).filter(|ready| *ready > done)
        })
        .await;
    }
    running.stop().await;
    outcome(&database.pool).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_killed_at_random_give_every_report_once_and_the_numbers_of_a_quiet_run() {
    // FAIR-14, FAIR-15, FAIR-18, FAIR-21
    let games = std::env::var(GAMES_VARIABLE).map_or(GAMES, |text| text.parse().expect("a number of games"));
    let (nats, folder) = (test_kit::own_nats().await, TempDir::new().expect("a folder"));
    let text = calibration::file::write(&mut calibration());
    std::fs::write(folder.path().join("calibration.json"), text).expect("written");
    let database = queued(games).await;
    let start = || Instance::start(&database.url, &nats.url(), folder.path());
    let mut instances: Vec<Instance> = (0..INSTANCES).map(|_| start()).collect();
    let mut random = Random(500);
    let (mut done, mut kills) = (0, 0);
    while done < games {
        let next = (done + 1 + random.below(8)).min(games);
        done = eventually(PATIENCE, || async {
            Some(ready(&database.pool).await).filter(|ready| *ready >= next)
        })
        .await;
        if done < games {
            let victim = random.below(INSTANCES);
            instances[victim].kill();
            instances[victim] = start();
            kills += 1;
        }
    }
    drop(instances);
    let lost: i64 = sqlx::query_scalar("select sum(claims_lost)::bigint from analysis_jobs")
        .fetch_one(&database.pool)
        .await
        .expect("readable");
    println!("{games} games, {kills} workers killed, {lost} claims lost");
    let endings: Vec<i64> = sqlx::query_scalar(
        "select count(*) from events where type in ('ReportReady', 'AnalysisParked') group by stream_id",
    )
    .fetch_all(&database.pool)
    .await
    .expect("readable");
    assert_eq!(endings, vec![1; games], "each report once");
    let (reports, assessments) = outcome(&database.pool).await;
    let scored = reports.values().filter(|report| !report.calibration_id.is_empty()).count();
    assert_eq!((reports.len(), scored), (games, games));
    let (quiet_reports, quiet_assessments) = quiet_run(games).await;
    assert!(reports == quiet_reports, "the reports are others than those of the quiet run");
    assert!(assessments == quiet_assessments, "the standings are others than those of the quiet run");
}
