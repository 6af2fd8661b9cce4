//! Cases of the public reports that no other file here has, played through the service.

use proto::game::v1 as pb;
use tonic::Code;

use crate::{
    harness::{Stand, reason},
    lines,
};

const SLOW: Option<proto::types::v1::TimeControl> =
    Some(proto::types::v1::TimeControl { base_ms: 1_800_000, increment_ms: 0 });

// A02, A04: what makes a position the same one.
#[tokio::test]
async fn a_position_is_the_same_with_the_same_captures_and_rights_only() {
    let stand = Stand::start("same_position").await;
    let caller = stand.caller();
    for (moves, third_at_ply) in [(lines::L2, 10), (lines::L3, 12)] {
        let moves: Vec<&str> = moves.split(' ').collect();
        let table = stand.table_of("fide", SLOW).await;
        stand.play(&table, &moves[..third_at_ply - 1].join(" "), 100).await;
        for player in [&table.white, &table.black] {
            let refused = caller.claim(player, table.game_id).await.expect_err("not yet");
            assert_eq!(reason(&refused), "NOTHING_TO_CLAIM");
        }
        stand.play(&table, moves[third_at_ply - 1], 100).await;
        let draw = caller.claim(&table.white, table.game_id).await.expect("three times");
        assert_eq!(draw.end_reason(), pb::EndReason::ClaimThreefold);
    }
}

// A09: pawn moves and captures reset the count.
#[tokio::test]
async fn a_capture_resets_the_half_move_count() {
    let stand = Stand::start("half_moves").await;
    let table = stand.table().await;
    stand.play(&table, "d2d4 d7d5 c1f4 d8d6 f4d6", 100).await;
    let fen = stand.caller().game(table.game_id).await.fen;
    assert_eq!(fen, "rnb1kbnr/ppp1pppp/3B4/3p4/3P4/8/PPP1PPPP/RN1QKBNR b KQkq - 0 3");
}

// A16, A17, A21: moves that other programs have let through.
#[tokio::test]
async fn moves_that_leave_the_king_in_check_or_castle_without_the_right_are_refused() {
    let stand = Stand::start("let_through").await;
    let caller = stand.caller();
    let cases = [
        (lines::L12, "f5e6"),
        ("e2e4 b7b6 g1f3 c8a6 f1a6 b8a6 d2d3 a6b4 c1f4 b4d3", "e1g1"),
        ("e2e4 b7b6 g1f3 c8a6 f1c4 a6c4 d2d3 c4d3", "e1g1"),
        ("e2e4 a7a6 e4e5 d7d5 h2h3 h7h6", "e5d6"),
        ("b2b3 g7g6 c1b2 h7h6 b2h8 f8g7 h8g7 g8f6 g7f6 e7f6 g1f3", "e8g8"),
    ];
    for (moves, refused) in cases {
        let table = stand.table().await;
        stand.play(&table, moves, 100).await;
        let before = caller.game(table.game_id).await;
        let plies = u32::try_from(before.moves.len()).expect("few");
        let mover = if plies % 2 == 0 { &table.white } else { &table.black };
        let status = caller.play(mover, table.game_id, refused, plies).await.expect_err("illegal");
        assert_eq!((status.code(), reason(&status).as_str()), (Code::FailedPrecondition, "ILLEGAL_MOVE"));
        assert_eq!(caller.game(table.game_id).await, before, "after {moves} {refused}");
    }
    let table = stand.table().await;
    stand.play(&table, &format!("{} b7a8q", lines::L11_8), 100).await;
    let fen = caller.game(table.game_id).await.fen;
    assert_eq!(fen, "Qnbqkb1r/p4ppp/4pn2/8/8/8/PPPP1PPP/RNBQKBNR b KQk - 0 5");
}

// A27: a knight can mate with the help of pawns, so the flag loses.
#[tokio::test]
async fn a_flag_against_king_and_knight_loses_while_the_other_has_pawns() {
    let stand = Stand::start("knight_flag").await;
    let table = stand.table().await;
    stand.play(&table, lines::L14, 100).await;
    stand.clock.advance(400_000);
    let ended = stand.ended(&table).await;
    assert_eq!((ended.result(), ended.end_reason()), (pb::GameResult::WhiteWins, pb::EndReason::Time));
}

// A31: staked, resigning loses whatever the material; at a table it draws against a bare king.
#[tokio::test]
async fn resigning_to_a_bare_king_loses_a_staked_game_and_draws_at_a_table() {
    let stand = Stand::start("resign_bare").await;
    let blitz = Some(proto::types::v1::TimeControl { base_ms: 180_000, increment_ms: 2_000 });
    let cases = [
        ("city", pb::GameResult::WhiteWins, pb::EndReason::Resignation),
        ("table", pb::GameResult::Draw, pb::EndReason::ResignationVsInsufficientMaterial),
    ];
    for (rule_set, result, end_reason) in cases {
        let table = stand.table_of(rule_set, blitz).await;
        stand.play(&table, lines::L13, 100).await;
        let resigned = stand.caller().resign(&table.black, table.game_id).await.expect("resigned");
        assert_eq!((resigned.result(), resigned.end_reason()), (result, end_reason), "{rule_set}");
    }
}

// A32
#[tokio::test]
async fn san_names_no_file_for_a_piece_whose_twin_is_pinned() {
    let stand = Stand::start("pinned_twin").await;
    let table = stand.table().await;
    let last = stand.play(&table, lines::L15A, 100).await;
    assert_eq!(last.r#move.expect("a move").san, "Ne2");
}

// B19: there is no abort; after the first moves only resigning ends a game early.
#[tokio::test]
async fn who_does_not_want_to_play_on_resigns() {
    let stand = Stand::start("no_abort").await;
    let table = stand.table().await;
    stand.play(&table, "e2e4", 1_000).await;
    let resigned = stand.caller().resign(&table.black, table.game_id).await.expect("resigned");
    let expected = (pb::GameResult::WhiteWins, pb::EndReason::Resignation);
    assert_eq!((resigned.result(), resigned.end_reason()), expected);
    assert_eq!(stand.logged(&table, &["GameAborted"]).await, 0);
}

// B24: offers cost the opponent nothing, and there are three.
#[tokio::test]
async fn fifty_offers_cost_the_opponent_no_time() {
    let stand = Stand::start("offer_spam").await;
    let table = stand.table().await;
    stand.play(&table, "e2e4 e7e5 g1f3", 1_000).await;
    let caller = stand.caller();
    let offers = (0..50).map(|_| caller.offer(&table.white, table.game_id));
    let offers = futures::future::join_all(offers).await;
    assert_eq!(offers.iter().filter(|offer| offer.is_ok()).count(), 1, "one open at a time");
    let played = stand.play(&table, "b8c6", 10).await.r#move.expect("a move");
    assert_eq!((played.elapsed_ms, played.charged_ms), (10, 10));
    assert_eq!(stand.logged(&table, &["DrawOffered"]).await, 1);
}

// B11: nothing that a client says of its own time is read: the request has no such field, and without measured delay
// nothing is credited.
#[tokio::test]
async fn five_moves_of_five_seconds_cost_five_seconds_each() {
    let stand = Stand::start("five_seconds").await;
    let table = stand
        .table_of("match", Some(proto::types::v1::TimeControl { base_ms: 60_000, increment_ms: 0 }))
        .await;
    stand.play(&table, "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 c2c3 g8f6 d2d3 d7d6", 5_000).await;
    let game = stand.caller().game(table.game_id).await;
    assert_eq!((game.white_clock_ms, game.black_clock_ms), (35_000, 35_000));
}
