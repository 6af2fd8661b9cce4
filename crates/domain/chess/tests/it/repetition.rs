//! Repetitions and quiet moves.

use domain_chess::{Color, EndReason, Outcome, Refusal, RuleSet};

use crate::{
    given::{Given, city, fide, from_fen, game},
    lists::{L1, L2, L3, L4, L5, L7},
};

const THREEFOLD: Option<(Outcome, EndReason)> = Some((Outcome::Draw, EndReason::ClaimThreefold));

/// The plies after which a claim would first be taken.
fn first_claimable_ply(moves: &str) -> Option<u32> {
    let mut given = fide();
    for uci in moves.split_whitespace() {
        given.play(uci);
        if given.clone().claim(given.game.side_to_move()).is_ok() {
            return Some(given.game.ply());
        }
    }
    None
}

#[test]
fn a_position_with_a_legal_en_passant_capture_differs_from_the_one_without() {
    // A01
    let mut given = fide();
    given.play_all(L1);
    assert_eq!(given.claim(Color::White), Err(Refusal::NothingToClaim));
    given.play("f1c4");
    given.claim(Color::Black).expect("the third time");
    assert_eq!(given.end(), THREEFOLD);
}

#[test]
fn a_double_push_that_nobody_may_capture_leaves_no_trace() {
    // A02
    assert_eq!(first_claimable_ply(L2), Some(10));
}

#[test]
fn positions_with_other_castling_rights_differ() {
    // A04
    assert_eq!(first_claimable_ply(L3), Some(12));
}

#[test]
fn repetitions_need_not_come_by_the_same_moves() {
    // A06
    assert_eq!(first_claimable_ply(L5), Some(8));
}

#[test]
fn where_draws_are_claimed_the_fifth_repetition_ends_the_game_by_itself() {
    // A07
    let mut given = fide();
    for (index, uci) in L5.split_whitespace().chain(L5.split_whitespace()).enumerate() {
        assert_eq!(given.end(), None, "after ply {index}");
        given.play(uci);
    }
    assert_eq!(given.game.ply(), 16);
    assert_eq!(given.end(), Some((Outcome::Draw, EndReason::Fivefold)));
    assert_eq!(given.try_play("e2e4"), Err(Refusal::GameOver));
}

#[test]
fn where_draws_are_automatic_the_third_repetition_ends_the_game_and_there_is_nothing_to_claim() {
    let mut given = city();
    given.play_all("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1");
    assert_eq!(given.claim(Color::Black), Err(Refusal::NotAllowedByRuleSet));
    given.play("f6g8");
    assert_eq!(given.end(), Some((Outcome::Draw, EndReason::Threefold)));
    // C04: nothing can end the game a second time.
    assert_eq!(given.offer(Color::White), Err(Refusal::GameOver));
    assert_eq!(given.accept(Color::Black), Err(Refusal::GameOver));
    assert_eq!(given.claim(Color::White), Err(Refusal::GameOver));
    assert_eq!(L4.split_whitespace().count(), 8);
}

#[test]
fn pawn_moves_and_captures_reset_the_counter() {
    // A09
    let mut given = fide();
    for uci in L7.split_whitespace().take(99) {
        given.play(uci);
    }
    assert_eq!(given.game.halfmoves(), 99);
    given.play("h7h6");
    assert_eq!(given.game.halfmoves(), 0);
    assert_eq!(given.claim(Color::White), Err(Refusal::NothingToClaim));

    let mut given = fide();
    given.play_all("d2d4 d7d5 c1f4 d8d6 f4d6");
    assert_eq!(given.game.fen(), "rnb1kbnr/ppp1pppp/3B4/3p4/3P4/8/PPP1PPPP/RN1QKBNR b KQkq - 0 3");
}

#[test]
fn castling_does_not_reset_the_counter() {
    let mut given = from_fen(RuleSet::fide(), None, "4k3/8/8/8/8/8/8/4K2R w K - 7 20");
    given.play("e1g1");
    assert_eq!(given.game.halfmoves(), 8);
}

#[test]
fn the_hundredth_quiet_half_move_can_be_claimed_and_the_hundred_and_fiftieth_ends_the_game() {
    let mut given = fide();
    for uci in L7.split_whitespace().take(99) {
        given.play(uci);
    }
    assert_eq!(given.claim(Color::Black), Err(Refusal::NothingToClaim));
    for (index, uci) in L7.split_whitespace().enumerate().skip(99) {
        assert_eq!(given.end(), None, "after ply {index}");
        given.play(uci);
        let mut claimed = given.clone();
        if claimed.claim(claimed.game.side_to_move()).is_ok() {
            assert_eq!(claimed.end(), Some((Outcome::Draw, EndReason::ClaimFiftyMoves)));
        }
    }
    assert_eq!(given.game.ply(), 150);
    assert_eq!(given.end(), Some((Outcome::Draw, EndReason::SeventyFiveMoves)));
}

#[test]
fn where_draws_are_automatic_the_hundredth_quiet_half_move_ends_the_game() {
    let mut given = city();
    for uci in L7.split_whitespace().take(99) {
        given.play(uci);
        assert_eq!(given.end(), None);
    }
    given.play(L7.split_whitespace().nth(99).expect("there are 150"));
    assert_eq!(given.end(), Some((Outcome::Draw, EndReason::FiftyMoves)));
}

#[test]
fn the_counter_of_a_start_position_counts() {
    // A12
    let mut given = from_fen(RuleSet::fide(), None, "6k1/8/4NKN1/5B2/8/8/8/r7 w - - 97 112");
    given.play_all("f5e4 a1f1 e4f5");
    assert_eq!(given.game.fen(), "6k1/8/4NKN1/5B2/8/8/8/5r2 b - - 100 113");
    let mut claimed = given.clone();
    claimed.claim(Color::Black).expect("a hundred quiet half-moves");
    assert_eq!(claimed.end(), Some((Outcome::Draw, EndReason::ClaimFiftyMoves)));

    // Without a claim, fifty quiet half-moves later the game ends by itself; the rook walks so that nothing repeats.
    let mut given = from_fen(RuleSet::fide(), None, "6k1/8/4NKN1/5B2/8/8/8/5r2 b - - 149 113");
    given.play("f1f2");
    assert_eq!(given.end(), Some((Outcome::Draw, EndReason::SeventyFiveMoves)));
}

#[test]
fn a_claim_stays_open_after_ones_own_move_until_the_opponent_replies() {
    let third = || -> Given {
        let mut given = fide();
        given.play_all(L4);
        given
    };
    // Black's move brought it about; White is to move: both may claim.
    for by in Color::ALL {
        let mut given = third();
        given.claim(by).expect("the position on the board has stood three times");
        assert_eq!(given.end(), THREEFOLD);
    }
    let mut given = third();
    given.play("e2e4");
    for by in Color::ALL {
        assert_eq!(given.claim(by), Err(Refusal::NothingToClaim));
    }
}

#[test]
fn nobody_claims_before_having_moved_but_the_side_to_move() {
    let fen = "6k1/8/4NKN1/5B2/8/8/8/5r2 b - - 100 113";
    let mut given = from_fen(RuleSet::fide(), None, fen);
    assert_eq!(given.claim(Color::White), Err(Refusal::NothingToClaim));
    given.claim(Color::Black).expect("on move");
}

#[test]
fn in_a_friendly_game_claims_are_a_setting() {
    let mut by_claim = RuleSet::friendly();
    by_claim.draws = domain_chess::DrawRule::ByClaim;
    let mut given = game(by_claim, None);
    given.play_all(L4);
    assert_eq!(given.end(), None);
    let mut given = game(RuleSet::friendly(), None);
    given.play_all(L4);
    assert_eq!(given.end(), Some((Outcome::Draw, EndReason::Threefold)));
}
