//! Players who go away.

use domain_chess::{Color, EndReason, Outcome, Refusal, RuleSet, Standing, next_deadline_ms};

use crate::{
    given::{BLITZ, Given, city, from_fen, game, rated},
    lists::L13,
};

fn city_after_two_plies() -> Given {
    let mut given = city();
    given.play_all("e2e4 e7e5");
    given
}

#[test]
fn a_player_gone_for_a_minute_while_on_move_loses() {
    let mut given = city_after_two_plies();
    given.gone(Color::White).expect("gone");
    assert_eq!(next_deadline_ms(&given.game, 0), Some(61_000));
    given.flag_falls();
    assert_eq!(given.end(), Some((Outcome::BlackWins, EndReason::Abandonment)));
    assert_eq!(given.clocks().white_ms, 122_000, "the clock kept running");
}

#[test]
fn being_gone_counts_from_the_later_of_going_and_the_turn() {
    // B21: nothing is to be claimed while the other is not on move
    let mut given = city_after_two_plies();
    given.gone(Color::Black).expect("gone");
    given.after_ms(120_000);
    assert_eq!(given.timer(), vec![]);
    given.play("g1f3");
    assert_eq!(next_deadline_ms(&given.game, 0), Some(given.now_ms + 60_000));
    given.flag_falls();
    assert_eq!(given.end(), Some((Outcome::WhiteWins, EndReason::Abandonment)));
}

#[test]
fn coming_back_in_time_stops_the_count_and_coming_back_late_does_not() {
    // B22
    let mut given = city_after_two_plies();
    given.gone(Color::White).expect("gone");
    given.after_ms(59_950).back(Color::White).expect("in time");
    given.after_ms(100);
    assert_eq!(given.timer(), vec![]);
    assert_eq!(given.end(), None);

    let mut given = city_after_two_plies();
    given.gone(Color::White).expect("gone");
    let events = given.after_ms(60_050).back(Color::White).expect("settled");
    assert_eq!(events.len(), 1);
    assert_eq!(given.end(), Some((Outcome::BlackWins, EndReason::Abandonment)));
    assert_eq!(given.back(Color::White), Err(Refusal::GameOver));
}

#[test]
fn going_twice_and_coming_back_twice_change_nothing() {
    let mut given = city_after_two_plies();
    assert_eq!(given.back(Color::White), Ok(vec![]));
    given.gone(Color::White).expect("gone");
    assert_eq!(given.after_ms(10).gone(Color::White), Ok(vec![]));
    assert_eq!(given.game.gone_since_ms(Color::White), Some(1_000));
    assert_eq!(given.back(Color::White).map(|events| events.len()), Ok(1));
}

#[test]
fn both_players_gone_still_end_by_the_one_on_move() {
    // B06
    let mut given = city_after_two_plies();
    given.gone(Color::Black).expect("gone");
    given.gone(Color::White).expect("gone");
    given.flag_falls();
    assert_eq!(given.end(), Some((Outcome::BlackWins, EndReason::Abandonment)));
}

#[test]
fn the_flag_comes_first_when_less_than_a_minute_is_left() {
    let mut given = city_after_two_plies();
    given.after_ms(150_000).play("g1f3");
    given.play("b8c6");
    given.gone(Color::White).expect("gone");
    given.flag_falls();
    assert_eq!(given.end(), Some((Outcome::BlackWins, EndReason::Time)));
}

#[test]
fn leaving_loses_whatever_the_material_unless_the_field_says_otherwise() {
    for (spares, outcome) in [(false, Outcome::WhiteWins), (true, Outcome::Draw)] {
        let mut rules = RuleSet::city();
        rules.leaving.leaving_spares_material = spares;
        let mut given = game(rules, Some(BLITZ));
        given.play_all(L13);
        given.gone(Color::Black).expect("gone");
        given.flag_falls();
        assert_eq!(given.end(), Some((outcome, EndReason::Abandonment)));
    }
}

#[test]
fn leaving_the_table_loses_and_elsewhere_there_is_no_table() {
    let mut given = game(RuleSet::table(), None);
    given.play("e2e4");
    given.leave(Color::White).expect("a table");
    assert_eq!(given.end(), Some((Outcome::BlackWins, EndReason::LeftTable)));
    for rules in [RuleSet::friendly(), RuleSet::fide(), RuleSet::solo()] {
        assert_eq!(game(rules, None).leave(Color::White), Err(Refusal::NotAllowedByRuleSet));
    }
    assert_eq!(city().leave(Color::White), Err(Refusal::NotAllowedByRuleSet));
}

#[test]
fn a_rated_table_without_clocks_waits_three_minutes_and_a_casual_one_for_ever() {
    let mut given = rated(RuleSet::table(), None);
    assert_eq!(given.game.started().map(|started| started.standing), Some(Standing::Rated));
    given.gone(Color::White).expect("gone");
    assert_eq!(next_deadline_ms(&given.game, 0), Some(181_000));
    let mut given = game(RuleSet::table(), None);
    given.gone(Color::White).expect("gone");
    assert_eq!(next_deadline_ms(&given.game, 0), None);
}

#[test]
fn in_friendly_games_only_the_clock_decides() {
    let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    for rules in [RuleSet::friendly(), RuleSet::fide(), RuleSet::table()] {
        let mut given = from_fen(rules, Some(BLITZ), fen);
        given.gone(Color::White).expect("gone");
        assert_eq!(next_deadline_ms(&given.game, 0), Some(181_000));
    }
}
