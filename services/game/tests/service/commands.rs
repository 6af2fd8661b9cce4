//! Players' commands: what is right is stored once, what is wrong has the right code and changes nothing.

use proto::game::v1 as pb;
use tonic::Code;
use uuid::Uuid;

use crate::harness::{Stand, bad_fields, reason, reason_metadata};

#[tokio::test]
async fn wrong_moves_have_their_codes_and_change_nothing() {
    let stand = Stand::start("wrong_moves").await;
    let table = stand.table().await;
    let caller = stand.caller();
    stand.play(&table, "e2e4 e7e5", 1_000).await;
    let before = caller.try_game(table.game_id).await.expect("the game");

    let illegal = caller.play(&table.white, table.game_id, "e4e6", 2).await.expect_err("an illegal move");
    assert_eq!((illegal.code(), reason(&illegal).as_str()), (Code::FailedPrecondition, "ILLEGAL_MOVE"));
    assert_eq!(reason_metadata(&illegal, "uci").as_deref(), Some("e4e6"));
    assert_eq!(reason_metadata(&illegal, "fen"), before.game.as_ref().map(|game| game.fen.clone()));

    let turn = caller.play(&table.black, table.game_id, "g8f6", 2).await.expect_err("not his turn");
    assert_eq!((turn.code(), reason(&turn).as_str()), (Code::FailedPrecondition, "NOT_YOUR_TURN"));

    let stale = caller.play(&table.white, table.game_id, "g1f3", 0).await.expect_err("a stale ply");
    assert_eq!((stale.code(), reason(&stale).as_str()), (Code::Aborted, "PLY_STALE"));
    assert_eq!(reason_metadata(&stale, "current_ply").as_deref(), Some("2"));
    assert_eq!(reason_metadata(&stale, "last_uci").as_deref(), Some("e7e5"));
    assert_eq!(reason_metadata(&stale, "fen"), before.game.as_ref().map(|game| game.fen.clone()));

    let stranger = stand.player("Eve");
    let denied = caller.play(&stranger, table.game_id, "g1f3", 2).await.expect_err("a stranger");
    assert_eq!((denied.code(), reason(&denied).as_str()), (Code::PermissionDenied, "NOT_A_PLAYER"));

    let unknown = caller.play(&table.white, Uuid::now_v7(), "g1f3", 2).await.expect_err("no such game");
    assert_eq!((unknown.code(), reason(&unknown).as_str()), (Code::NotFound, "GAME_UNKNOWN"));

    assert_eq!(caller.try_game(table.game_id).await.expect("the game"), before);
}

#[tokio::test]
async fn who_calls_is_looked_at_before_what_he_says() {
    let stand = Stand::start("who_calls").await;
    let table = stand.table().await;
    let caller = stand.caller();
    let garbage =
        pb::PlayMoveRequest { request_id: "1".into(), game_id: "2".into(), uci: "3".into(), expected_ply: 0 };

    let missing = caller.client.clone().play_move(garbage.clone()).await.expect_err("no token");
    assert_eq!((missing.code(), reason(&missing).as_str()), (Code::Unauthenticated, "TOKEN_MISSING"));

    let expired = stand.expired(&table.white);
    let ended =
        caller.client.clone().play_move(expired.sign(garbage.clone())).await.expect_err("an old token");
    assert_eq!((ended.code(), reason(&ended).as_str()), (Code::Unauthenticated, "TOKEN_EXPIRED"));

    let mut forged = table.white.clone();
    forged.token.replace_range(..4, "AAAA");
    let invalid =
        caller.client.clone().play_move(forged.sign(garbage.clone())).await.expect_err("a forged token");
    assert_eq!((invalid.code(), reason(&invalid).as_str()), (Code::Unauthenticated, "TOKEN_INVALID"));

    let bad = caller.client.clone().play_move(table.white.sign(garbage)).await.expect_err("malformed");
    assert_eq!(bad.code(), Code::InvalidArgument);
    assert_eq!(bad_fields(&bad), ["request_id", "game_id", "uci"]);
    let resign = pb::ResignRequest { request_id: String::new(), game_id: "x".into() };
    let bad = caller.client.clone().resign(table.white.sign(resign)).await.expect_err("malformed");
    assert_eq!(bad_fields(&bad), ["request_id", "game_id"]);
}

// C12, B02
#[tokio::test]
async fn a_move_sent_three_times_over_two_connections_is_one_event_and_one_answer() {
    let stand = Stand::start("three_times").await;
    let table = stand.table().await;
    stand.play(&table, "e2e4", 1_000).await;
    let request_id = Uuid::new_v4();
    let (one, two) = (stand.caller(), stand.caller());
    stand.clock.advance(4_000);
    let first = one.play_as(&table.black, request_id, table.game_id, "e7e5", 1).await.expect("played");
    for caller in [&one, &two] {
        stand.clock.advance(500);
        let again =
            caller.play_as(&table.black, request_id, table.game_id, "e7e5", 1).await.expect("answered");
        assert_eq!(again, first);
    }
    let game = one.game(table.game_id).await;
    assert_eq!(game.moves.len(), 2);
    assert_eq!(game.black_clock_ms, 182_000, "the free first move is charged once, with nothing");
    // White is on move and loses on time, not Black.
    stand.clock.advance(183_000);
    let ended = stand.ended(&table).await;
    assert_eq!((ended.result(), ended.end_reason()), (pb::GameResult::BlackWins, pb::EndReason::Time));
    assert_eq!(ended.moves.len(), 2);
}

#[tokio::test]
async fn a_request_id_with_another_move_is_refused() {
    let stand = Stand::start("another_move").await;
    let table = stand.table().await;
    let caller = stand.caller();
    let request_id = Uuid::new_v4();
    caller.play_as(&table.white, request_id, table.game_id, "e2e4", 0).await.expect("played");
    let refused =
        caller.play_as(&table.white, request_id, table.game_id, "d2d4", 0).await.expect_err("reused");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::InvalidArgument, "REQUEST_ID_REUSED"));
    assert_eq!(bad_fields(&refused), ["request_id"]);
    assert_eq!(caller.game(table.game_id).await.moves.len(), 1);
}

// C11
#[tokio::test]
async fn of_two_moves_for_one_ply_the_first_stored_wins() {
    let stand = Stand::start("two_moves").await;
    let table = stand.table().await;
    let caller = stand.caller();
    stand.play(&table, "e2e4 e7e5", 1_000).await;
    caller.play(&table.white, table.game_id, "g1f3", 2).await.expect("the first");
    let second = caller.play(&table.white, table.game_id, "f1c4", 2).await.expect_err("the second");
    assert_eq!((second.code(), reason(&second).as_str()), (Code::Aborted, "PLY_STALE"));
    assert_eq!(reason_metadata(&second, "last_uci").as_deref(), Some("g1f3"));
    let wrong_side = caller.play(&table.white, table.game_id, "f1c4", 3).await.expect_err("Black is on move");
    assert_eq!(reason(&wrong_side), "NOT_YOUR_TURN");
}

// B16
#[tokio::test]
async fn a_move_for_another_ply_is_refused_and_not_kept_for_later() {
    let stand = Stand::start("another_ply").await;
    let table = stand.table().await;
    let caller = stand.caller();
    stand.play(&table, "e2e4 e7e5 g1f3 b8c6", 500).await;
    for plies_seen in [2, 6, u32::MAX] {
        let refused =
            caller.play(&table.white, table.game_id, "f1c4", plies_seen).await.expect_err("another ply");
        assert_eq!(reason(&refused), "PLY_STALE", "{plies_seen}");
    }
    stand.play(&table, "f1b5 a7a6", 500).await;
    assert_eq!(caller.game(table.game_id).await.moves.len(), 6);
}

// A39
#[tokio::test]
async fn a_promotion_names_its_piece() {
    let stand = Stand::start("promotion").await;
    let table = stand.table().await;
    let caller = stand.caller();
    stand.play(&table, crate::lines::L11_8, 1_000).await;
    let before = caller.game(table.game_id).await;
    let missing = caller.play(&table.white, table.game_id, "b7a8", 8).await.expect_err("no piece");
    assert_eq!((missing.code(), reason(&missing).as_str()), (Code::FailedPrecondition, "PROMOTION_MISSING"));
    for malformed in ["b7a8k", "b7a8p", "b7a8Q", "", "0000", "e2", "P@e4", "♙"] {
        let refused = caller.play(&table.white, table.game_id, malformed, 8).await.expect_err("malformed");
        assert_eq!((refused.code(), bad_fields(&refused)), (Code::InvalidArgument, vec!["uci".to_owned()]));
    }
    assert_eq!(caller.game(table.game_id).await, before, "neither position nor clock was touched");
    let played = caller.play(&table.white, table.game_id, "b7a8n", 8).await.expect("a knight");
    assert_eq!(played.r#move.expect("a move").san, "bxa8=N");
}

// A16
#[tokio::test]
async fn a_captured_rook_takes_the_castling_right_along() {
    let stand = Stand::start("castling_right").await;
    let table = stand.table().await;
    let caller = stand.caller();
    stand.play(&table, crate::lines::L8, 100).await;
    assert_eq!(caller.game(table.game_id).await.fen.split(' ').nth(2), Some("KQq"));
    stand.play(&table, "f8g7 h8g7 g8f6 g7f6 e7f6 g1f3", 100).await;
    let fen = "rnbqk3/pppp1p2/5ppp/8/8/1P3N2/P1PPPPPP/RN1QKB1R b KQq - 1 6";
    assert_eq!(caller.game(table.game_id).await.fen, fen);
    let refused = caller.play(&table.black, table.game_id, "e8g8", 11).await.expect_err("no rook");
    assert_eq!(reason(&refused), "ILLEGAL_MOVE");
    assert_eq!(caller.game(table.game_id).await.fen, fen);
}

// A36
#[tokio::test]
async fn a_rook_move_that_looks_like_castling_is_none() {
    let stand = Stand::start("rook_move").await;
    let table = stand.table().await;
    let last = stand.play(&table, crate::lines::L15B, 100).await;
    assert_eq!(last.r#move.expect("a move").san, "Rg1");
    let fen = stand.caller().game(table.game_id).await.fen;
    assert_eq!(fen.split(' ').next().and_then(|board| board.rsplit('/').next()), Some("RNBQ2RK"));
}

// H06: a request too large is refused, and the connection still works.
#[tokio::test]
async fn a_huge_request_is_refused_and_the_connection_goes_on() {
    let stand = Stand::start("huge_request").await;
    let table = stand.table().await;
    let caller = stand.caller();
    let huge = "e".repeat(5 * 1024 * 1024);
    let refused = caller.play(&table.white, table.game_id, &huge, 0).await.expect_err("too large");
    assert!(matches!(refused.code(), Code::ResourceExhausted | Code::OutOfRange), "{refused:?}");
    caller.play(&table.white, table.game_id, "e2e4", 0).await.expect("the connection works");
}
