//! Draws by claim, and games of the rule sets that are not staked.

use proto::{game::v1 as pb, types::v1::TimeControl};
use tonic::Code;

use crate::{
    harness::{Stand, reason},
    lines,
};

const SLOW: Option<TimeControl> = Some(TimeControl { base_ms: 1_800_000, increment_ms: 0 });

// A01, A14: the claim after one's own move.
#[tokio::test]
async fn a_claim_is_right_once_the_position_has_stood_three_times_and_not_before() {
    let stand = Stand::start("claim_threefold").await;
    let table = stand.table_of("fide", SLOW).await;
    let caller = stand.caller();
    stand.play(&table, lines::L1, 100).await;
    for player in [&table.white, &table.black] {
        let refused = caller.claim(player, table.game_id).await.expect_err("twice only");
        assert_eq!(
            (refused.code(), reason(&refused).as_str()),
            (Code::FailedPrecondition, "NOTHING_TO_CLAIM")
        );
    }
    let before = caller.game(table.game_id).await;
    stand.play(&table, "f1c4", 0).await;
    let claimed = caller.claim(&table.white, table.game_id).await.expect("his own move brought it about");
    let expected = (pb::GameResult::Draw, pb::EndReason::ClaimThreefold);
    assert_eq!((claimed.result(), claimed.end_reason()), expected);
    let ended = stand.ended(&table).await;
    assert_eq!((ended.result(), ended.end_reason(), before.moves.len() + 1), (expected.0, expected.1, 13));
}

// A06, A07: nothing ends by itself before the fifth time; the player on move may claim from the third.
#[tokio::test]
async fn the_player_on_move_claims_and_without_a_claim_the_fifth_time_ends_the_game() {
    let stand = Stand::start("claim_on_move").await;
    let caller = stand.caller();
    let claimed = stand.table_of("fide", SLOW).await;
    stand.play(&claimed, lines::L5, 100).await;
    assert_eq!(caller.game(claimed.game_id).await.status(), pb::GameStatus::Live);
    let draw = caller.claim(&claimed.white, claimed.game_id).await.expect("he is on move");
    assert_eq!(draw.end_reason(), pb::EndReason::ClaimThreefold);

    let played_on = stand.table_of("fide", SLOW).await;
    let twice = format!("{} {}", lines::L5, lines::L5);
    let last = stand.play(&played_on, &twice, 100).await;
    assert_eq!((last.status(), last.end_reason()), (pb::GameStatus::Ended, pb::EndReason::Fivefold));
    let after = caller.play(&played_on.white, played_on.game_id, "e2e4", 16).await.expect_err("game over");
    assert_eq!(reason(&after), "GAME_OVER");
}

// A09, A14
#[tokio::test]
async fn fifty_moves_are_claimed_and_a_pawn_move_starts_the_count_again() {
    let stand = Stand::start("claim_fifty").await;
    let caller = stand.caller();
    let (quiet, last) = lines::L7_100.rsplit_once(' ').expect("moves");
    let reset = stand.table_of("fide", SLOW).await;
    stand.play(&reset, quiet, 10).await;
    stand.play(&reset, "h7h6", 10).await;
    let refused = caller.claim(&reset.white, reset.game_id).await.expect_err("the count began again");
    assert_eq!(reason(&refused), "NOTHING_TO_CLAIM");
    assert!(caller.game(reset.game_id).await.fen.contains(" w - - 0 51"), "no half-move counts");

    let claimed = stand.table_of("fide", SLOW).await;
    stand.play(&claimed, quiet, 10).await;
    let early = caller.claim(&claimed.black, claimed.game_id).await.expect_err("99 half-moves");
    assert_eq!(reason(&early), "NOTHING_TO_CLAIM");
    stand.play(&claimed, last, 10).await;
    let draw = caller.claim(&claimed.black, claimed.game_id).await.expect("100 half-moves");
    assert_eq!(draw.end_reason(), pb::EndReason::ClaimFiftyMoves);
}

#[tokio::test]
async fn where_draws_come_by_themselves_nothing_is_claimed() {
    let stand = Stand::start("claim_refused").await;
    let table = stand.table().await;
    stand.play(&table, "e2e4 e7e5", 100).await;
    let refused = stand.caller().claim(&table.white, table.game_id).await.expect_err("automatic draws");
    assert_eq!(reason(&refused), "NOT_ALLOWED_BY_RULE_SET");
}

#[tokio::test]
async fn every_rule_set_is_played_with_and_without_clocks() {
    let stand = Stand::start("rule_sets").await;
    let blitz = Some(TimeControl { base_ms: 180_000, increment_ms: 2_000 });
    let games = [
        ("city", blitz, 182_000),
        ("table", blitz, 181_000),
        ("table", None, 0),
        ("match", blitz, 181_000),
        ("match", None, 0),
        ("solo", None, 0),
        ("fide", blitz, 181_000),
        ("fide", None, 0),
    ];
    for (rule_set, control, clock_ms) in games {
        let table = stand.table_of(rule_set, control).await;
        let played = stand.play(&table, "e2e4", 1_000).await.r#move.expect("a move");
        assert_eq!(played.white_clock_ms, clock_ms, "{rule_set} {control:?}");
        if control.is_none() {
            // No clock runs: days pass, and the game waits.
            stand.clock.advance(3 * 24 * 3_600_000);
        }
        stand.play(&table, "e7e5", 1_000).await;
        let game = stand.caller().game(table.game_id).await;
        assert_eq!((game.status(), game.rule_set.as_str()), (pb::GameStatus::Live, rule_set));
        assert_eq!((game.time_control, game.deadline_ms > 0), (control, control.is_some()));
        stand.caller().resign(&table.black, table.game_id).await.expect("resigned");
    }
}
