//! Stops and crashes: no acknowledged move is lost, nobody pays for the time, no game ends for it.

use proto::game::v1 as pb;
use uuid::Uuid;

use crate::{
    harness::{Stand, reason},
    lines,
};

// B04
#[tokio::test]
async fn a_crash_right_after_an_acknowledgement_loses_no_move_and_charges_nobody() {
    let mut stand = Stand::start("crash").await;
    let table = stand.table().await;
    let moves: Vec<&str> = lines::L7_100.split_whitespace().take(56).collect();
    let last = stand.play(&table, &moves.join(" "), 700).await;
    let before = last.r#move.expect("a move");
    stand.crash();
    stand.clock.advance(900_000);
    stand.start_again().await;
    stand.begun(&table).await;
    assert_eq!(resumed(&stand, &table).await, 1);
    let game = stand.caller().game(table.game_id).await;
    let played: Vec<&str> = game.moves.iter().map(|played| played.uci.as_str()).collect();
    assert_eq!(played, moves);
    assert_eq!((game.status(), game.turn()), (pb::GameStatus::Live, proto::types::v1::Color::White));
    assert_eq!((game.white_clock_ms, game.black_clock_ms), (before.white_clock_ms, before.black_clock_ms));
    stand.clock.advance(3_000);
    let caller = stand.caller();
    let next =
        caller.play(&table.white, table.game_id, lines::L7_100.split_whitespace().nth(56).expect("more"), 56);
    assert_eq!(next.await.expect("the game goes on").r#move.expect("a move").charged_ms, 3_000);
}

async fn resumed(stand: &Stand, table: &crate::harness::Table) -> i64 {
    test_kit::eventually(crate::harness::PATIENCE, || async {
        Some(stand.logged(table, &["GameResumed"]).await).filter(|count| *count > 0)
    })
    .await
}

// B07
#[tokio::test]
async fn a_deadline_that_passes_while_the_service_is_away_ends_no_game() {
    let mut stand = Stand::start("away").await;
    let played = stand.table().await;
    let fresh = stand.table().await;
    stand.play(&played, "e2e4 e7e5 g1f3", 1_000).await;
    stand.stop().await.expect("a clean stop");
    // Black's flag and White's first move in the other game come due while nobody is there.
    stand.clock.advance(600_000);
    stand.start_again().await;
    for table in [&played, &fresh] {
        assert_eq!(resumed(&stand, table).await, 1);
        assert_eq!(stand.caller().game(table.game_id).await.status(), pb::GameStatus::Live);
    }
    // What ran before runs on: twenty seconds for a first move, and Black's whole clock.
    stand.clock.advance(19_999);
    assert_eq!(stand.caller().game(fresh.game_id).await.status(), pb::GameStatus::Live);
    stand.clock.advance(1);
    assert_eq!(stand.ended(&fresh).await.end_reason(), pb::EndReason::AbortedNoFirstMove);
    stand.clock.advance(162_000);
    let ended = stand.ended(&played).await;
    assert_eq!((ended.result(), ended.end_reason()), (pb::GameResult::WhiteWins, pb::EndReason::Time));
}

#[tokio::test]
async fn a_request_gets_its_first_answer_after_a_crash_and_after_the_end() {
    let mut stand = Stand::start("answers").await;
    let table = stand.table().await;
    let (move_id, resign_id) = (Uuid::new_v4(), Uuid::new_v4());
    let played =
        stand.caller().play_as(&table.white, move_id, table.game_id, "e2e4", 0).await.expect("played");
    stand.crash();
    stand.start_again().await;
    let caller = stand.caller();
    let again = caller.play_as(&table.white, move_id, table.game_id, "e2e4", 0).await.expect("answered");
    assert_eq!(again, played);
    let other =
        caller.play_as(&table.white, move_id, table.game_id, "d2d4", 0).await.expect_err("another body");
    assert_eq!(reason(&other), "REQUEST_ID_REUSED");
    let resigned = caller.resign_as(&table.black, resign_id, table.game_id).await.expect("resigned");
    stand.crash();
    stand.start_again().await;
    let caller = stand.caller();
    assert_eq!(caller.resign_as(&table.black, resign_id, table.game_id).await.expect("answered"), resigned);
    assert_eq!(
        caller.play_as(&table.white, move_id, table.game_id, "e2e4", 0).await.expect("answered"),
        played
    );
    assert_eq!(stand.logged(&table, &["MovePlayed", "GameEnded"]).await, 2);
}

#[tokio::test]
async fn many_games_are_taken_up_again_together() {
    let mut stand = Stand::start("many").await;
    let mut tables = Vec::new();
    for _ in 0..30 {
        let table = stand.table().await;
        stand.play(&table, "e2e4 e7e5", 0).await;
        tables.push(table);
    }
    stand.crash();
    stand.clock.advance(500_000);
    stand.start_again().await;
    for table in &tables {
        assert_eq!(resumed(&stand, table).await, 1);
    }
    // Every clock runs again: without a call of a client all of them end on time.
    stand.clock.advance(182_000);
    for table in &tables {
        assert_eq!(stand.ended(table).await.end_reason(), pb::EndReason::Time);
    }
}
