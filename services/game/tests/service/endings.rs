//! How games end, and that they end once.

use proto::game::v1 as pb;
use tonic::Code;

use crate::{
    harness::{Stand, reason, reason_metadata},
    lines,
};

// A14
#[tokio::test]
async fn every_kind_of_draw_on_the_board_has_its_own_reason() {
    let stand = Stand::start("draw_reasons").await;
    let games = [
        (lines::L5, pb::EndReason::Threefold),
        (lines::L7_100, pb::EndReason::FiftyMoves),
        (lines::L9, pb::EndReason::InsufficientMaterial),
        (lines::L10, pb::EndReason::Stalemate),
    ];
    for (moves, expected) in games {
        let table = stand.table().await;
        let last = stand.play(&table, moves, 500).await;
        assert_eq!((last.status(), last.result()), (pb::GameStatus::Ended, pb::GameResult::Draw));
        assert_eq!(last.end_reason(), expected);
        assert_eq!(stand.caller().game(table.game_id).await.end_reason(), expected);
    }
}

#[tokio::test]
async fn mate_ends_the_game_with_its_move_and_everything_after_is_refused() {
    let stand = Stand::start("mate").await;
    let table = stand.table().await;
    let caller = stand.caller();
    let last = stand.play(&table, lines::FOOLS_MATE, 1_000).await;
    assert_eq!((last.result(), last.end_reason()), (pb::GameResult::BlackWins, pb::EndReason::Checkmate));
    assert_eq!((last.sequence, last.r#move.expect("the move").san.as_str()), (5, "Qh4#"));
    let refused = caller.play(&table.white, table.game_id, "e1f2", 4).await.expect_err("it is over");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::FailedPrecondition, "GAME_OVER"));
    assert_eq!(reason_metadata(&refused, "result").as_deref(), Some("BLACK_WINS"));
    assert_eq!(reason_metadata(&refused, "end_reason").as_deref(), Some("CHECKMATE"));
    for refused in [
        caller.resign(&table.white, table.game_id).await.map(|_| ()),
        caller.offer(&table.black, table.game_id).await.map(|_| ()),
    ] {
        assert_eq!(reason(&refused.expect_err("it is over")), "GAME_OVER");
    }
}

// C09
#[tokio::test]
async fn nobody_moves_after_a_resignation() {
    let stand = Stand::start("resignation").await;
    let table = stand.table().await;
    let caller = stand.caller();
    stand.play(&table, "e2e4 e7e5", 1_000).await;
    let resigned = caller.resign(&table.white, table.game_id).await.expect("resigned");
    assert_eq!(
        (resigned.result(), resigned.end_reason()),
        (pb::GameResult::BlackWins, pb::EndReason::Resignation)
    );
    stand.clock.advance(1);
    for player in [&table.black, &table.white] {
        let refused = caller.play(player, table.game_id, "g1f3", 2).await.expect_err("it is over");
        assert_eq!(reason(&refused), "GAME_OVER");
    }
    assert_eq!(stand.logged(&table, &["GameEnded"]).await, 1);
}

// A26
#[tokio::test]
async fn a_flag_against_a_bare_king_is_a_draw() {
    let stand = Stand::start("bare_king").await;
    let table = stand.table().await;
    stand.play(&table, lines::L13, 100).await;
    stand.clock.advance(400_000);
    let ended = stand.ended(&table).await;
    assert_eq!(ended.result(), pb::GameResult::Draw);
    assert_eq!(ended.end_reason(), pb::EndReason::TimeVsInsufficientMaterial);
    assert_eq!(ended.black_clock_ms, 0);
}

// B06
#[tokio::test]
async fn a_flag_falls_without_any_call_of_a_client() {
    let stand = Stand::start("flag").await;
    let table = stand.table().await;
    stand.play(&table, "e2e4 e7e5", 0).await;
    stand.clock.advance(180_000);
    let row = || async { game_row(&stand, table.game_id).await.filter(|(status, ..)| *status == 2) };
    let (_, result, end_reason, ended_at_ms) = test_kit::eventually(crate::harness::PATIENCE, row).await;
    assert_eq!((result, end_reason), (pb::GameResult::BlackWins as i16, pb::EndReason::Time as i16));
    assert_eq!(ended_at_ms, crate::harness::NOON_MS + 182_000, "at its own instant");
}

async fn game_row(stand: &Stand, game_id: uuid::Uuid) -> Option<(i16, i16, i16, i64)> {
    // Time goes on until the flag has fallen.
    stand.clock.advance(100);
    sqlx::query_as("select status, result, end_reason, ended_at_ms from games where game_id = $1")
        .bind(game_id)
        .fetch_optional(stand.pool())
        .await
        .expect("the list can be read")
}

// B01
#[tokio::test]
async fn fifty_games_at_the_edge_of_the_flag_each_end_once_and_never_for_the_mover() {
    let stand = Stand::start("edge").await;
    let caller = stand.caller();
    let mut tables = Vec::new();
    for _ in 0..50 {
        tables.push(stand.table().await);
    }
    for table in &tables {
        stand.play(table, "e2e4 e7e5", 0).await;
    }
    stand.clock.advance(181_995);
    // The calls race with the clock as it passes the flag.
    let calls = tables.iter().map(|table| caller.play(&table.white, table.game_id, "g1f3", 2));
    let turning = async {
        for _ in 0..10 {
            stand.clock.advance(1);
            tokio::task::yield_now().await;
        }
    };
    let (outcomes, ()) = tokio::join!(futures::future::join_all(calls), turning);
    for (table, outcome) in tables.iter().zip(outcomes) {
        match outcome {
            Ok(played) => {
                let played = played.r#move.expect("a move");
                assert!((2_000..=2_005).contains(&played.white_clock_ms), "{played:?}");
                assert_eq!(caller.game(table.game_id).await.status(), pb::GameStatus::Live);
            }
            Err(refused) => {
                assert_eq!(reason(&refused), "GAME_OVER");
                let ended = stand.ended(table).await;
                assert_eq!(
                    (ended.result(), ended.end_reason()),
                    (pb::GameResult::BlackWins, pb::EndReason::Time)
                );
                assert_eq!(stand.logged(table, &["GameEnded"]).await, 1);
            }
        }
    }
}

// C07
#[tokio::test]
async fn twenty_calls_at_the_flag_end_the_game_once() {
    let stand = Stand::start("twenty_calls").await;
    let table = stand.table().await;
    let caller = stand.caller();
    stand.play(&table, "e2e4 e7e5", 0).await;
    stand.clock.advance(182_000);
    let moves = (0..10).map(|_| caller.play(&table.white, table.game_id, "g1f3", 2));
    let looks = (0..10).map(|_| caller.try_game(table.game_id));
    let (moves, looks) = tokio::join!(futures::future::join_all(moves), futures::future::join_all(looks));
    assert!(looks.iter().all(Result::is_ok));
    for refused in moves {
        assert_eq!(reason(&refused.expect_err("the flag has fallen")), "GAME_OVER");
    }
    stand.ended(&table).await;
    assert_eq!(stand.logged(&table, &["GameEnded"]).await, 1);
}

// B09, B12
#[tokio::test]
async fn the_clock_is_previous_less_used_plus_increment() {
    let stand = Stand::start("clock_grows").await;
    let table = stand.table().await;
    let tour = "g1f3 g8f6 b1c3 b8c6 a2a3 a7a6 h2h3 h7h6 e2e3 e7e6 d2d3 d7d6 b2b3 b7b6 g2g3 g7g6 f1g2 f8g7 e1g1 e8g8 c1b2";
    stand.play(&table, tour, 500).await;
    let game = stand.caller().game(table.game_id).await;
    // Eleven moves of White: the first is free, ten cost half a second; each adds two.
    assert_eq!(game.white_clock_ms, 180_000 + 2_000 + 10 * 1_500);
    let mut before = [180_000, 180_000];
    for (played, side) in game.moves.iter().zip([0, 1].into_iter().cycle()) {
        let after = [played.white_clock_ms, played.black_clock_ms][side];
        assert!(played.lag_credit_ms >= 0 && after <= before[side] + 2_000, "{played:?}");
        assert_eq!(after, before[side] - played.charged_ms + 2_000);
        before[side] = after;
    }
}

// B17
#[tokio::test]
async fn a_missing_first_move_aborts_but_a_late_one_in_time_does_not() {
    let stand = Stand::start("first_moves").await;
    let caller = stand.caller();
    let played = stand.table().await;
    let missing = stand.table().await;
    stand.clock.advance(1_000);
    caller.play(&played.white, played.game_id, "e2e4", 0).await.expect("in time");
    stand.clock.advance(19_000);
    let aborted = stand.ended(&missing).await;
    assert_eq!((aborted.status(), aborted.result()), (pb::GameStatus::Aborted, pb::GameResult::Unspecified));
    assert_eq!(aborted.end_reason(), pb::EndReason::AbortedNoFirstMove);
    stand.clock.advance(900);
    caller.play(&played.black, played.game_id, "e7e5", 1).await.expect("19.9 s after White's");
    stand.clock.advance(30_000);
    let game = caller.game(played.game_id).await;
    assert_eq!((game.status(), game.white_clock_ms), (pb::GameStatus::Live, 152_000));
    assert_eq!(stand.logged(&missing, &["GameAborted"]).await, 1);
}
