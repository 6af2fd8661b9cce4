//! Finished games through the real engine.

use std::sync::Arc;

use fairplay::bus::{GameEvents, MatchEvents};
use prost::Message as _;
use proto::fairplay::v1::evaluation::Score;
use proto::fairplay::v1::{EvidenceLevel, GameReport, ReportReady};
use sqlx::PgPool;
use tokio::sync::Notify;
use uuid::Uuid;

use crate::support::events::{BEFORE_MIDNIGHT_MS, FOOLS_MATE, Match, OPERA, SCHOLARS_MATE};
use crate::support::{Running, database, deliver, events_of, parked, report, settings, stockfish};

/// A finished game of two new players in the queue.
pub async fn queue(pool: &PgPool, moves: &str) -> Match {
    queue_from(pool, "", moves).await
}

async fn queue_from(pool: &PgPool, start_fen: &str, moves: &str) -> Match {
    let pairing = Match::of_strangers();
    deliver(pool, &MatchEvents, &pairing.proposed(BEFORE_MIDNIGHT_MS).message()).await.expect("handled");
    let games = GameEvents { wake: Arc::new(Notify::new()) };
    deliver(pool, &games, &pairing.ended_from(start_fen, moves).message()).await.expect("handled");
    pairing
}

fn without_identity(mut report: GameReport) -> GameReport {
    report.game_id.clear();
    report.engine_ms = 0;
    for side in report.white.iter_mut().chain(&mut report.black) {
        side.player_id.clear();
    }
    report
}

async fn event_report(pool: &PgPool, game_id: Uuid) -> GameReport {
    let data: Vec<u8> =
        sqlx::query_scalar("select data from events where stream_id = $1 and type = 'ReportReady'")
            .bind(game_id)
            .fetch_one(pool)
            .await
            .expect("one such event");
    ReportReady::decode(data.as_slice()).expect("readable").report.expect("a report")
}

#[tokio::test]
async fn the_opera_game_gives_a_complete_report_and_twice_the_same_numbers() {
    // FAIR-14, FAIR-18
    let database = database().await;
    let pool = &database.pool;
    let (first, second) = (queue(pool, OPERA).await, queue(pool, OPERA).await);
    let running = Running::start(pool, settings(stockfish()));
    let game_report = report(pool, first.game_id).await;
    assert_eq!(game_report.game_id, first.game_id.to_string());
    assert!(game_report.engine.starts_with("Stockfish"), "{}", game_report.engine);
    assert_eq!((game_report.nodes, game_report.multi_pv), (25_000, 4));
    assert!(game_report.engine_ms > 0);
    assert_eq!(game_report.plies.len(), 33);
    for (number, (ply, uci)) in (1..).zip(game_report.plies.iter().zip(OPERA.split_whitespace())) {
        assert_eq!((ply.ply, ply.uci.as_str()), (number, uci));
        assert!(ply.before.is_some() && ply.after.is_some() && !ply.best_uci.is_empty(), "{ply:?}");
        assert!((0.0..=100.0).contains(&ply.accuracy), "{ply:?}");
    }
    let last = game_report.plies.last().expect("33 plies");
    assert_eq!(last.after.and_then(|after| after.score), Some(Score::MateIn(0)));
    assert_eq!((last.best_uci.as_str(), last.accuracy), ("d1d8", 100.0));

    let (white, black) =
        (game_report.white.clone().expect("White"), game_report.black.clone().expect("Black"));
    assert_eq!((white.player_id, black.player_id), (first.white.to_string(), first.black.to_string()));
    assert!(white.accuracy > black.accuracy, "{} {}", white.accuracy, black.accuracy);
    assert!(white.mean_loss < black.mean_loss, "{} {}", white.mean_loss, black.mean_loss);
    for (side, plies) in [(&game_report.white, 17), (&game_report.black, 16)] {
        let side = side.as_ref().expect("a side");
        assert_eq!(side.eligible + side.excluded.values().sum::<u32>(), plies, "{side:?}");
        assert_eq!(side.excluded.get("opening"), Some(&6));
        assert!(side.best_move_matches <= side.eligible);
    }

    let again = report(pool, second.game_id).await;
    assert_eq!(without_identity(again.clone()), without_identity(game_report.clone()));
    assert_eq!(event_report(pool, first.game_id).await, game_report);
    assert_eq!(events_of(pool, first.game_id).await, ["AnalysisQueued", "ReportReady"]);
    running.stop().await;
}

#[tokio::test]
async fn mates_in_a_few_plies_are_not_enough_data() {
    // I12, I06
    let database = database().await;
    let pool = &database.pool;
    let running = Running::start(pool, settings(stockfish()));
    for (moves, winning_move) in [(FOOLS_MATE, "d8h4"), (SCHOLARS_MATE, "h5f7")] {
        let game_report = report(pool, queue(pool, moves).await.game_id).await;
        for side in [&game_report.white, &game_report.black] {
            let side = side.as_ref().expect("a side");
            assert_eq!(side.level(), EvidenceLevel::NotEnoughData);
            assert_eq!(side.eligible, 0);
        }
        let last = game_report.plies.last().expect("plies");
        assert_eq!((last.uci.as_str(), last.best_uci.as_str()), (winning_move, winning_move));
        assert_eq!(last.accuracy, 100.0);
        let mate = if winning_move == "d8h4" { -1 } else { 1 };
        assert_eq!(last.before.and_then(|before| before.score), Some(Score::MateIn(mate)));
    }
    running.stop().await;
}

#[tokio::test]
async fn a_game_that_ends_by_resignation_has_its_last_position_evaluated_too() {
    let database = database().await;
    let pool = &database.pool;
    let running = Running::start(pool, settings(stockfish()));
    let game_report = report(pool, queue(pool, "e2e4 e7e5 d1h5 g7g6 h5e5").await.game_id).await;
    // I07: ply 4 is Black's blunder.
    let black = game_report.black.expect("Black");
    assert_eq!((black.blunders, black.mistakes, black.inaccuracies), (1, 0, 0));
    assert!(black.accuracy < 100.0);
    assert!(game_report.plies[4].after.is_some());

    // Resigned before a move was made: complete, and empty.
    let game_report = report(pool, queue(pool, "").await.game_id).await;
    assert!(game_report.plies.is_empty());
    assert_eq!(game_report.white.expect("White").level(), EvidenceLevel::NotEnoughData);
    running.stop().await;
}

#[tokio::test]
async fn a_game_from_another_start_position_is_analysed_from_there() {
    let database = database().await;
    let pool = &database.pool;
    let running = Running::start(pool, settings(stockfish()));
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2";
    let game_report = report(pool, queue_from(pool, fen, "d8h4").await.game_id).await;
    assert_eq!(game_report.plies[0].best_uci, "d8h4");
    assert_eq!(game_report.black.expect("Black").accuracy, 100.0);
    assert_eq!(game_report.white.expect("White").accuracy, 0.0);
    running.stop().await;
}

#[tokio::test]
async fn records_that_are_no_games_are_parked_at_once_and_the_engine_lives_on() {
    // I01, I02
    let database = database().await;
    let pool = &database.pool;
    let crash = "2b1k1nB/1p3p1p/n4b2/1NPp4/P7/8/2r1PPPP/R3KBNR b KQk - 0 14";
    let endless = "g1f3 g8f6 f3g1 f6g8 ".repeat(501);
    let hopeless = [
        queue_from(pool, crash, "c8d7").await,
        queue_from(pool, "no position", "e2e4").await,
        queue(pool, "e2e4 e2e4").await,
        queue(pool, &endless).await,
    ];
    let good = queue(pool, FOOLS_MATE).await;
    let running = Running::start(pool, settings(stockfish()));
    for pairing in hopeless {
        let job = parked(pool, pairing.game_id).await;
        assert_eq!(job.attempts, 1, "{job:?}");
        assert_eq!(events_of(pool, pairing.game_id).await, ["AnalysisQueued", "AnalysisParked"]);
    }
    report(pool, good.game_id).await;
    running.stop().await;
}
