//! Reports made again: from the log, and by somebody who has the record, the engine and the calibration only.

use std::sync::Arc;

use fairplay::app::recompute::{recompute, record, reproduce};
use fairplay::app::settings::{AnalysisSettings, SearchSettings};
use fairplay::bus::{GameEvents, MatchEvents};
use proto::fairplay::v1::GameReport;
use proto::game::v1::{EndReason, GameResult};
use sqlx::PgPool;
use test_kit::eventually;
use tokio::sync::Notify;

use crate::support::events::{BEFORE_MIDNIGHT_MS, End, Match, OPERA};
use crate::support::{PATIENCE, Running, database, deliver, events_of, report, settings, stockfish};

/// A game of people that leaves the book and stays open.
const OPEN_GAME: &str = "e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6 a2a4 g7g6 f1e2 f8g7 e1g1 e8g8 c1e3 b8c6 f2f4 c8d7 \
    e2f3 a8c8 d4b3 d7e6 b3d2 c6a5 d1e2 a5c4 d2c4 e6c4 e2f2 d8a5 a1d1 f8e8 e3d4 e7e5 f4e5 d6e5 d4e3 c4e6";

async fn played(pool: &PgPool, moves: &str) -> Match {
    let pairing = Match::of_strangers();
    deliver(pool, &MatchEvents, &pairing.proposed(BEFORE_MIDNIGHT_MS).message()).await.expect("handled");
    let games = GameEvents { wake: Arc::new(Notify::new()) };
    deliver(pool, &games, &pairing.won(moves, BEFORE_MIDNIGHT_MS).message()).await.expect("handled");
    pairing
}

#[tokio::test]
async fn a_report_is_made_again_to_the_last_digit_from_the_log_and_by_a_third_party() {
    // FAIR-18
    let database = database().await;
    let pool = &database.pool;
    let running = Running::start(pool, settings(stockfish()));
    let calibration = calibration::file::bundled();
    for moves in [OPEN_GAME, OPERA] {
        let pairing = played(pool, moves).await;
        let stored = report(pool, pairing.game_id).await;
        assert_eq!(stored.calibration_id, calibration.id);
        let from_log = recompute(pool, &calibration, pairing.game_id).await.expect("made again");
        assert!(from_log.is_same());
        assert_eq!(from_log.again, stored);
        // What a third party has: the record, and the calibration as a file.
        let text = record(pool, pairing.game_id).await.expect("a record");
        let mut named = calibration.clone();
        let file = calibration::file::read(&calibration::file::write(&mut named)).expect("readable");
        let game = fairplay::app::record::read(&text).expect("readable");
        let search = SearchSettings { nodes: 25_000, multi_pv: 4 };
        let made = reproduce(stockfish(), search, &file, &game).await.expect("made");
        let stored = GameReport { engine_ms: 0, ..stored };
        assert_eq!(GameReport { engine_ms: 0, ..made }, stored, "{text}");
    }
    let scored = report(pool, played(pool, OPEN_GAME).await.game_id).await;
    let evidence = scored.white.and_then(|white| white.evidence).expect("it was scored");
    assert!(evidence.matches.is_some_and(|matches| matches.moves > 3));
    running.stop().await;
}

#[tokio::test]
async fn a_game_for_much_money_gets_a_second_pass_for_both_sides() {
    let database = database().await;
    let pool = &database.pool;
    // The stake of these games is 500.
    let much = AnalysisSettings { second_pass_stake: 500, ..settings(stockfish()) };
    let running = Running::start(pool, much);
    let pairing = played(pool, OPEN_GAME).await;
    eventually(PATIENCE, || async {
        let passes: Vec<i16> = sqlx::query_scalar("select pass from side_evidence where game_id = $1")
            .bind(pairing.game_id)
            .fetch_all(pool)
            .await
            .expect("readable");
        (passes == [2, 2]).then_some(())
    })
    .await;
    let events = events_of(pool, pairing.game_id).await;
    assert_eq!(events, ["AnalysisQueued", "ReportReady", "SecondPassReady", "SecondPassReady"]);
    assert_eq!(report(pool, pairing.game_id).await.nodes, 25_000, "the report stays that of the first pass");
    running.stop().await;
}

#[tokio::test]
async fn a_game_without_a_stake_is_analysed_when_its_player_has_staked_ones() {
    // FAIR-25
    let database = database().await;
    let pool = &database.pool;
    let running = Running::start(pool, settings(stockfish()));
    let staked = played(pool, OPEN_GAME).await;
    let games = GameEvents { wake: Arc::new(Notify::new()) };
    let unstaked = |pairing: Match| {
        let (result, reason) = (GameResult::Draw, EndReason::Agreement);
        pairing.ended_with(OPEN_GAME, End { match_id: None, result, reason, at_ms: BEFORE_MIDNIGHT_MS + 1 })
    };
    report(pool, staked.game_id).await;
    let (known, strangers) = (Match::new(staked.black, staked.white), Match::of_strangers());
    for pairing in [known, strangers] {
        deliver(pool, &games, &unstaked(pairing).message()).await.expect("handled");
    }
    report(pool, known.game_id).await;
    assert_eq!(events_of(pool, strangers.game_id).await, [""; 0]);
    let sides: Vec<bool> =
        sqlx::query_scalar("select is_staked from side_evidence where player_id = $1 order by ended_at_ms")
            .bind(staked.white)
            .fetch_all(pool)
            .await
            .expect("readable");
    assert_eq!(sides, [true, false]);
    running.stop().await;
}
