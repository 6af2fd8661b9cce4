//! Engines that fail, workers that die, and what is left of their jobs.

use std::time::Duration;

use fairplay::app::settings::{AnalysisSettings, SearchSettings};
use fairplay::store::analyses::{self, Finished, FirstPass, Progress};
use fairplay::store::{analysis_log, jobs};
use proto::fairplay::v1::GameReport;
use sqlx::PgPool;
use test_kit::eventually;
use time::OffsetDateTime;
use uci::EngineConfig;
use uuid::Uuid;

use crate::analysis::queue;
use crate::support::events::FOOLS_MATE;
use crate::support::fake_engine::FakeEngine;
use crate::support::{Job, PATIENCE, Running, database, events_of, job, parked, progress, report, settings};

/// The fake engine knows one line of play.
fn fake_settings(engine: EngineConfig) -> AnalysisSettings {
    AnalysisSettings { search: SearchSettings { nodes: 1_000, multi_pv: 1 }, ..settings(engine) }
}

/// An engine that answers the first plies and waits at the gate before ply `ply`, at its first start only.
fn gated_at(ply: u32) -> FakeEngine {
    let engine = FakeEngine::new(&format!(
        "if [ $start -eq 1 ] && [ $ply -eq {ply} ]; then read -r _ < gate; fi; answer"
    ));
    engine.make_gate();
    engine
}

async fn until_searched(engine: &FakeEngine, count: usize) {
    eventually(PATIENCE, || async { (engine.searches().len() >= count).then_some(()) }).await;
}

async fn reports(pool: &PgPool) -> i64 {
    sqlx::query_scalar("select count(*) from reports").fetch_one(pool).await.expect("readable")
}

#[tokio::test]
async fn a_job_whose_engine_hangs_or_dies_is_tried_thrice_and_parked_and_others_go_on() {
    // I01, I11, FAIR-16. The engine fails in games that have reached ply 2; one is over before.
    for (misbehaviour, cause) in [(":", "no best move"), ("exit 139", "the process ended")] {
        let database = database().await;
        let pool = &database.pool;
        let engine = FakeEngine::new(&format!("if [ $ply -eq 2 ]; then {misbehaviour}; else answer; fi"));
        let (bad, good) = (queue(pool, FOOLS_MATE).await, queue(pool, "f2f3").await);
        let config = EngineConfig { grace: Duration::from_millis(300), ..engine.config() };
        let running = Running::start(pool, fake_settings(config));
        let job = parked(pool, bad.game_id).await;
        assert_eq!((job.attempts, job.claims_lost), (3, 0));
        assert!(job.cause.as_deref().is_some_and(|text| text.contains(cause)), "{job:?}");
        assert_eq!(report(pool, good.game_id).await.plies.len(), 1);
        assert_eq!(engine.searches().iter().filter(|ply| *ply == "2").count(), 3);
        assert_eq!(events_of(pool, bad.game_id).await, ["AnalysisQueued", "AnalysisParked"]);
        assert_eq!(reports(pool).await, 1);
        running.stop().await;
    }
}

#[tokio::test]
async fn a_job_that_fails_once_is_complete_after_the_second_try() {
    // I11
    let database = database().await;
    let pool = &database.pool;
    let engine = FakeEngine::new("if [ $start -eq 1 ] && [ $ply -eq 3 ]; then exit 1; fi; answer");
    let pairing = queue(pool, FOOLS_MATE).await;
    let running = Running::start(pool, fake_settings(engine.config()));
    let game_report = report(pool, pairing.game_id).await;
    assert_eq!((game_report.engine.as_str(), game_report.plies.len()), ("Fake 7", 4));
    // The second try knows what the first one had found.
    assert_eq!(engine.searches(), ["0", "1", "2", "3", "3"]);
    assert_eq!(job(pool, pairing.game_id).await.attempts, 1);
    running.stop().await;
}

#[tokio::test]
async fn an_engine_that_lies_about_its_moves_is_never_believed() {
    // I02
    let database = database().await;
    let pool = &database.pool;
    let engine = FakeEngine::new(
        r#"echo "info depth 1 multipv 1 score cp 20 nodes 20 pv e7e5"; echo "bestmove e7e5""#,
    );
    let pairing = queue(pool, FOOLS_MATE).await;
    let running = Running::start(pool, fake_settings(engine.config()));
    assert_eq!(parked(pool, pairing.game_id).await.attempts, 3);
    assert_eq!(reports(pool).await, 0);
    running.stop().await;
}

#[tokio::test]
async fn nothing_of_an_analysis_under_way_can_be_seen_and_its_claim_is_kept() {
    // FAIR-14, FAIR-15
    let database = database().await;
    let pool = &database.pool;
    let engine = gated_at(3);
    let pairing = queue(pool, FOOLS_MATE).await;
    let claim_time = Duration::from_secs(3);
    let running = Running::start(pool, AnalysisSettings { claim_time, ..fake_settings(engine.config()) });
    until_searched(&engine, 4).await;
    let ends: (OffsetDateTime,) =
        sqlx::query_as("select claimed_until from analysis_jobs").fetch_one(pool).await.expect("claimed");
    // Longer than the claim that was taken: without a sign of life it would have run out.
    eventually(PATIENCE, || async {
        let is_past: bool = sqlx::query_scalar("select clock_timestamp() > $1")
            .bind(ends.0)
            .fetch_one(pool)
            .await
            .expect("readable");
        is_past.then_some(())
    })
    .await;
    assert_eq!(jobs::claim(pool, claim_time).await.expect("readable"), None);
    assert_eq!(progress(pool, pairing.game_id).await, Progress::Running);
    assert_eq!(reports(pool).await, 0);
    assert_eq!(events_of(pool, pairing.game_id).await, ["AnalysisQueued"]);
    engine.open_gate().await;
    assert_eq!(report(pool, pairing.game_id).await.plies.len(), 4);
    assert_eq!(job(pool, pairing.game_id).await, Job::untouched("ready"));
    running.stop().await;
}

#[tokio::test]
async fn a_worker_that_stops_hands_its_job_back() {
    // FAIR-15
    let database = database().await;
    let pool = &database.pool;
    let engine = gated_at(2);
    let pairing = queue(pool, FOOLS_MATE).await;
    let running = Running::start(pool, fake_settings(engine.config()));
    until_searched(&engine, 3).await;
    running.stop().await;
    assert_eq!(job(pool, pairing.game_id).await, Job::untouched("queued"));
    let running = Running::start(pool, fake_settings(engine.config()));
    assert_eq!(report(pool, pairing.game_id).await.plies.len(), 4);
    running.stop().await;
}

#[tokio::test]
async fn the_claim_of_a_worker_that_died_runs_out_and_the_late_worker_writes_nothing() {
    // FAIR-15
    let database = database().await;
    let pool = &database.pool;
    let pairing = queue(pool, FOOLS_MATE).await;
    let hour = Duration::from_secs(3_600);
    let late = jobs::claim(pool, Duration::ZERO).await.expect("readable").expect("a job");
    let next = jobs::claim(pool, hour).await.expect("readable").expect("the claim has run out");
    assert_eq!((next.game_id, next.claims_lost, next.attempts), (late.game_id, 1, 0));
    assert_eq!(jobs::claim(pool, hour).await.expect("readable"), None);

    assert!(!jobs::extend(pool, &late, hour).await.expect("readable"));
    jobs::hand_back(pool, &late).await.expect("nothing happens");
    jobs::retry_later(pool, &late, Duration::ZERO, "late").await.expect("nothing happens");
    let log = analysis_log::read(pool, pairing.game_id).await.expect("readable");
    let (game, calibration) = (log.game().expect("readable"), calibration::file::bundled());
    let first_pass = || FirstPass {
        game: &game,
        report: GameReport::default(),
        calibration: &calibration,
        second_pass_stake: i64::MAX,
    };
    let finished = analyses::complete(pool, &late, &log, first_pass()).await.expect("refused");
    assert_eq!(finished, Finished::ClaimLost);
    assert_eq!(analyses::park(pool, &late, &log, "late").await.expect("refused"), Finished::ClaimLost);
    assert_eq!(job(pool, pairing.game_id).await, Job { claims_lost: 1, ..Job::untouched("running") });
    assert_eq!((reports(pool).await, events_of(pool, pairing.game_id).await.len()), (0, 1));

    let written = analyses::complete(pool, &next, &log, first_pass()).await.expect("written");
    assert_eq!(written, Finished::Written);
    assert_eq!(jobs::claim(pool, Duration::ZERO).await.expect("readable"), None);
}

#[tokio::test]
async fn a_job_that_workers_keep_dying_over_is_parked() {
    // FAIR-16
    let database = database().await;
    let pool = &database.pool;
    let pairing = queue(pool, FOOLS_MATE).await;
    for claims_lost in 0..=10 {
        let claim = jobs::claim(pool, Duration::ZERO).await.expect("readable").expect("a job");
        assert_eq!(claim.claims_lost, claims_lost);
    }
    let engine = FakeEngine::new("answer");
    let running = Running::start(pool, fake_settings(engine.config()));
    let job = parked(pool, pairing.game_id).await;
    assert_eq!(job.cause.as_deref(), Some("11 workers died over it"));
    assert_eq!(engine.searches(), [""; 0]);
    running.stop().await;
}

#[tokio::test]
async fn two_workers_share_the_queue_and_do_nothing_twice() {
    // FAIR-14, FAIR-15
    let database = database().await;
    let pool = &database.pool;
    let engine = FakeEngine::new("answer");
    let mut games = Vec::new();
    for _ in 0..20 {
        games.push(queue(pool, FOOLS_MATE).await.game_id);
    }
    let workers = [1, 2]
        .map(|engines| Running::start(pool, AnalysisSettings { engines, ..fake_settings(engine.config()) }));
    for game_id in games {
        assert_eq!(report(pool, game_id).await.plies.len(), 4);
        assert_eq!(events_of(pool, game_id).await, ["AnalysisQueued", "ReportReady"]);
        assert_eq!(job(pool, game_id).await, Job::untouched("ready"));
    }
    // Each position once, or once an engine where all asked before it was written down.
    assert!((4..=12).contains(&engine.searches().len()), "{:?}", engine.searches());
    for running in workers {
        running.stop().await;
    }
}

#[tokio::test]
async fn without_an_engine_the_analysis_waits_until_there_is_one() {
    // FAIR-17
    let database = database().await;
    let pool = &database.pool;
    let pairing = queue(pool, FOOLS_MATE).await;
    let engine = FakeEngine::missing();
    let none = AnalysisSettings { engine: None, ..fake_settings(engine.config()) };
    Running::start(pool, none).stop().await;
    let missing = EngineConfig { program: "/nowhere/stockfish".into(), ..engine.config() };
    let waiting = Running::start(pool, fake_settings(missing));
    let running = Running::start(pool, fake_settings(engine.config()));
    assert_eq!(job(pool, pairing.game_id).await, Job::untouched("queued"));
    engine.appear("answer");
    assert_eq!(report(pool, pairing.game_id).await.plies.len(), 4);
    assert_eq!(job(pool, pairing.game_id).await, Job::untouched("ready"));
    running.stop().await;
    waiting.stop().await;
}

#[tokio::test]
async fn a_game_without_a_queue_entry_has_no_standing() {
    let database = database().await;
    assert_eq!(analyses::find(&database.pool, Uuid::now_v7()).await.expect("readable"), None);
}
