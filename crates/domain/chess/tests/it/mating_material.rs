//! Who can still mate, by each of the rules, and what a flag or a resignation is then worth.

use domain_chess::{
    Color, EndReason, MaterialRule, MatingRule, Outcome, RuleSet, StartPosition, TimeControl, material,
};

use crate::{
    given::{BLITZ, city, from_fen, game},
    lists::{L13, L13W, L14},
};

#[test]
fn a_flag_against_a_lone_king_is_a_draw() {
    // A26
    for (list, outcome, reason) in [
        (L13, Outcome::Draw, EndReason::TimeVsInsufficientMaterial),
        (L13W, Outcome::BlackWins, EndReason::Time),
    ] {
        let mut given = city();
        given.play_all(list).flag_falls();
        assert_eq!(given.end(), Some((outcome, reason)));
    }
    for rules in [RuleSet::table(), RuleSet::friendly(), RuleSet::fide()] {
        let mut given = from_fen(rules, Some(BLITZ), "8/8/3rk3/8/8/2K5/8/8 b - - 0 1");
        given.flag_falls();
        assert_eq!(given.end(), Some((Outcome::Draw, EndReason::TimeVsInsufficientMaterial)));
    }
}

#[test]
fn a_flag_against_king_and_knight_loses_while_pawns_could_help() {
    // A27
    let mut given = city();
    given.play_all(L14).flag_falls();
    assert_eq!(given.end(), Some((Outcome::WhiteWins, EndReason::Time)));
    for rules in [RuleSet::table(), RuleSet::friendly(), RuleSet::fide()] {
        let mut given = from_fen(rules, Some(BLITZ), "8/8/8/4k3/4p3/4N3/4K3/8 b - - 0 1");
        given.flag_falls();
        assert_eq!(given.end(), Some((Outcome::WhiteWins, EndReason::Time)));
    }
}

#[test]
fn a_flag_with_a_forced_loss_of_the_last_mating_piece_goes_by_the_rule_set() {
    // A29
    let decided = |rules: RuleSet| {
        let mut given = from_fen(rules, Some(BLITZ), "6Rk/8/7K/8/8/8/8/8 b - - 0 1");
        given.flag_falls();
        given.end()
    };
    let lost = Some((Outcome::WhiteWins, EndReason::Time));
    assert_eq!(decided(RuleSet::friendly()), Some((Outcome::Draw, EndReason::TimeVsInsufficientMaterial)));
    assert_eq!(decided(RuleSet::table()), lost);
    assert_eq!(decided(RuleSet::fide()), lost);

    let mut given = from_fen(RuleSet::friendly(), Some(BLITZ), "8/2kr4/8/K7/8/8/8/8 w - - 0 1");
    given.play_all("a5a6 d7d8 a6a7 d8a8").flag_falls();
    assert_eq!(given.end(), Some((Outcome::Draw, EndReason::TimeVsInsufficientMaterial)));
}

#[test]
fn resigning_to_an_opponent_who_cannot_mate_draws_only_at_a_table() {
    // A31
    for (rules, control, outcome, reason) in [
        (RuleSet::city(), Some(BLITZ), Outcome::WhiteWins, EndReason::Resignation),
        (RuleSet::table(), None, Outcome::Draw, EndReason::ResignationVsInsufficientMaterial),
        (RuleSet::friendly(), None, Outcome::WhiteWins, EndReason::Resignation),
        (RuleSet::solo(), None, Outcome::WhiteWins, EndReason::Resignation),
        (RuleSet::fide(), None, Outcome::WhiteWins, EndReason::Resignation),
    ] {
        let mut given = game(rules, control);
        given.play_all(L13).resign(Color::Black).expect("a player may always give up");
        assert_eq!(given.end(), Some((outcome, reason)));
    }
}

#[test]
fn the_counter_of_quiet_moves_plays_no_part_in_who_can_mate() {
    // A42
    for rules in [RuleSet::friendly(), RuleSet::fide(), RuleSet::table()] {
        let mut rules = rules;
        rules.draws = domain_chess::DrawRule::ByClaim;
        let mut given = from_fen(rules, Some(BLITZ), "8/5r2/p3k3/P7/8/1K6/8/8 w - - 148 100");
        given.flag_falls();
        assert_eq!(given.end(), Some((Outcome::BlackWins, EndReason::Time)));
    }
}

/// A board (White to move) and whether M1 and M2 call it dead.
const DEAD: &[(&str, bool, bool)] = &[
    ("4k3/8/8/8/8/8/8/4K3", true, true),
    ("4k3/8/8/8/8/8/8/4KB2", true, true),
    ("4k1n1/8/8/8/8/8/8/4K3", true, true),
    ("2b1k3/8/8/8/8/8/8/4KB2", true, true),
    ("4kb2/8/8/8/8/8/8/4KB2", false, true),
    ("4kb2/8/8/8/8/8/8/2B1K3", true, true),
    ("4kb2/8/8/8/8/4B3/8/2B1K3", true, false),
    ("4k3/8/8/8/8/4BB2/8/4K3", false, false),
    ("4k1n1/8/8/8/8/8/8/4KB2", false, false),
    ("4k3/8/8/8/8/4NN2/8/4K3", false, false),
    ("4k3/8/8/8/8/8/4P3/4K3", false, false),
    ("4k3/8/8/8/8/8/8/R3K3", false, false),
    ("4k3/8/8/8/8/8/8/Q3K3", false, false),
    ("4k1n1/8/8/8/8/8/8/4K1N1", false, false),
];

#[test]
fn dead_material_is_told_by_m1_and_m2() {
    for (board, m1, m2) in DEAD {
        let position = StartPosition::from_fen(&format!("{board} w - - 0 1")).expect(board);
        let board_of = shakmaty::Position::board(position.position());
        assert_eq!(material::is_dead(MaterialRule::M1, board_of), *m1, "M1 {board}");
        assert_eq!(material::is_dead(MaterialRule::M2, board_of), *m2, "M2 {board}");
    }
}

/// A board (Black to move, so that Black's flag falls) and whether White can mate by F1, F2, F3, F4.
const WHITE_CAN_MATE: &[(&str, [bool; 4])] = &[
    // A lone king mates by no rule.
    ("4k3/pppp4/8/8/8/8/8/4K3", [false, false, false, false]),
    ("q3k3/8/8/8/8/8/8/4K3", [false, false, false, false]),
    // One minor piece against a bare king.
    ("4k3/8/8/8/8/8/8/4K1N1", [false, false, false, false]),
    ("4k3/8/8/8/8/8/8/4KB2", [false, false, false, false]),
    // A knight against queens only, and against anything else.
    ("q3k3/8/8/8/8/8/8/4K1N1", [true, false, false, true]),
    ("r3k3/8/8/8/8/8/8/4K1N1", [true, true, true, true]),
    ("4k3/p7/8/8/8/8/8/4K1N1", [true, true, true, true]),
    ("2b1k3/8/8/8/8/8/8/4K1N1", [true, true, true, true]),
    // Bishops of one colour against what cannot help them, and what can.
    ("q3k3/8/8/8/8/8/8/4KB2", [true, false, false, true]),
    ("r3k3/8/8/8/8/8/8/4KB2", [true, false, false, true]),
    ("2b1k3/8/8/8/8/8/8/4KB2", [true, false, false, false]),
    ("4kb2/8/8/8/8/8/8/4KB2", [true, true, true, true]),
    ("4k1n1/8/8/8/8/8/8/4KB2", [true, true, true, true]),
    ("4k3/p7/8/8/8/8/8/4KB2", [true, true, true, true]),
    ("4k3/8/8/8/8/3B4/8/4KB2", [true, false, false, false]),
    // Two knights can mate with help.
    ("4k3/8/8/8/8/8/8/1N2K1N1", [true, true, true, true]),
    ("4k3/8/8/8/8/8/8/R3K3", [true, true, true, true]),
    ("4k3/8/8/8/8/8/P7/4K3", [true, true, true, true]),
];

#[test]
fn who_can_mate_is_told_by_f1_to_f4() {
    for (board, expected) in WHITE_CAN_MATE {
        let position = StartPosition::from_fen(&format!("{board} b - - 0 1")).expect(board);
        let found = [MatingRule::F1, MatingRule::F2, MatingRule::F3, MatingRule::F4]
            .map(|rule| material::can_mate(rule, position.position(), Color::White));
        assert_eq!(found, *expected, "{board}");
    }
}

#[test]
fn the_flag_rule_of_a_set_is_a_field() {
    let control = TimeControl::new(60_000, 0);
    for (rule, outcome) in [(MatingRule::F1, Outcome::WhiteWins), (MatingRule::F2, Outcome::Draw)] {
        let rules = RuleSet { flag: rule, ..RuleSet::friendly() };
        let mut given = from_fen(rules, Some(control), "q3k3/8/8/8/8/8/8/4K1N1 b - - 0 1");
        given.flag_falls();
        assert_eq!(given.end().map(|(outcome, _)| outcome), Some(outcome));
    }
}
