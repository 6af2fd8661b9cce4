//! Signs of collusion, and how much of chance is let through.

use crate::collusion::*;
use crate::pairs::PersonId;

const HOUR_MS: i64 = 3_600_000;

fn seat(person: u128, score: f64) -> Seat {
    Seat {
        person: PersonId(person),
        score,
        expected: 0.5,
        mean_loss: Some(4.0),
        last_chance: Some(if score > 0.5 { 90.0 } else { 10.0 }),
        left_share: 0.5,
        gave_up: false,
        is_young: false,
    }
}

/// An ordinary game of `white` and `black`; every game has another opening.
fn game(number: u128, white: u128, black: u128, white_score: f64) -> StakedGame {
    StakedGame {
        game_id: number,
        ended_at_ms: i64::try_from(number).expect("small") * HOUR_MS,
        pool: "paris 3+2".to_owned(),
        stake: 500.0,
        currency: "XPL".to_owned(),
        plies: 70,
        opening: Some(format!("line {number}")),
        seats: [seat(white, white_score), seat(black, 1.0 - white_score)],
    }
}

/// Sixty games of twelve persons who meet in turn, with results as they come.
fn crowd() -> Vec<StakedGame> {
    (0..60)
        .map(|number| {
            let (white, step) = (number % 12, 1 + number / 12);
            game(
                1_000 + number,
                100 + white,
                100 + (white + step) % 12,
                [1.0, 0.0, 0.5][(number % 3) as usize],
            )
        })
        .collect()
}

fn kinds(games: &[StakedGame]) -> Vec<Kind> {
    let tested = tests(games);
    let mut kinds: Vec<Kind> = signs(&tested).iter().map(|test| test.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

fn with(games: impl IntoIterator<Item = StakedGame>) -> Vec<StakedGame> {
    crowd().into_iter().chain(games).collect()
}

#[test]
fn people_who_meet_in_turn_raise_nothing() {
    assert_eq!(kinds(&crowd()), []);
    assert_eq!(kinds(&[]), []);
    // Two friends who are the only ones about meet each other every time, and nobody wonders.
    let friends: Vec<StakedGame> =
        (0..12).map(|number| game(number, 1, 2, if number % 2 == 0 { 1.0 } else { 0.0 })).collect();
    assert_eq!(kinds(&friends), []);
}

#[test]
fn fast_resigns_to_the_same_partner_are_short_wins_and_a_flow_of_money() {
    // I16
    let resigned = (0..6).map(|number| StakedGame { plies: 4, opening: None, ..game(number, 1, 2, 0.0) });
    let games = with(resigned);
    let tested = tests(&games);
    let short: Vec<&Test> = signs(&tested).into_iter().filter(|test| test.kind == Kind::ShortWins).collect();
    assert_eq!(short.len(), 1);
    assert_eq!((short[0].observed, short[0].strength), (6.0, Some(Strength::Report)));
    assert_eq!(short[0].persons, [PersonId(2), PersonId(1)], "who gains comes first");
    assert_eq!(short[0].games.len(), 6);
    let many = (0..18).map(|number| game(number, 1, 2, 0.0));
    assert!(kinds(&with(many)).contains(&Kind::MoneyFlow));
}

#[test]
fn three_short_wins_warn_and_four_of_seven_report() {
    for (wins, strength) in [(2, None), (3, Some(Strength::Warn)), (4, Some(Strength::Report))] {
        let games: Vec<StakedGame> = (0..7)
            .map(|number| {
                let plies = if number < wins { 12 } else { 60 };
                StakedGame { plies, ..game(number, 1, 2, if number % 2 == 0 { 1.0 } else { 0.0 }) }
            })
            .map(|played| StakedGame { seats: [seat(1, 1.0), seat(2, 0.0)], ..played })
            .collect();
        let found = tests(&games)
            .into_iter()
            .find(|test| test.kind == Kind::ShortWins && test.persons[0] == PersonId(1));
        assert_eq!(found.expect("it is always tested").strength, strength, "{wins}");
    }
}

#[test]
fn errors_far_above_ones_own_are_a_sign_and_ordinary_lost_games_are_not() {
    let lost_to = |opponent: u128, loss: f64, number: u128| {
        let mut played = game(number, 1, opponent, 0.0);
        played.seats[0].mean_loss = Some(loss);
        played
    };
    let others = (0..6).map(|number| lost_to(100 + number, 4.0 + (number % 3) as f64, number));
    let thrown = (10..14).map(|number| lost_to(2, 19.0, number));
    assert!(kinds(&with(others.clone().chain(thrown))).contains(&Kind::Throwing));
    let ordinary = (10..14).map(|number| lost_to(2, 5.5, number));
    assert!(!kinds(&with(others.chain(ordinary))).contains(&Kind::Throwing));
}

#[test]
fn giving_up_while_better_with_time_left_is_a_sign_and_out_of_time_it_is_none() {
    let given_up = |left_share: f64| {
        (0..3).map(move |number| {
            let mut played = game(number, 1, 2, 0.0);
            let seat = &mut played.seats[0];
            (seat.gave_up, seat.last_chance, seat.left_share) = (true, Some(85.0), left_share);
            played
        })
    };
    assert!(kinds(&with(given_up(0.6))).contains(&Kind::GivenUpWhileBetter));
    assert!(!kinds(&with(given_up(0.01))).contains(&Kind::GivenUpWhileBetter));
}

#[test]
fn the_same_line_again_and_again_is_a_sign() {
    let copied = (0..4).map(|number| StakedGame {
        opening: Some("the same twenty plies".to_owned()),
        ..game(number, 1, 2, if number % 2 == 0 { 1.0 } else { 0.0 })
    });
    assert_eq!(kinds(&with(copied)), [Kind::SameLine, Kind::PairedAboveChance]);
}

#[test]
fn one_opponent_in_a_crowd_is_a_sign() {
    let met = (0..12).map(|number| game(number, 1, 2, if number % 2 == 0 { 1.0 } else { 0.0 }));
    let found = kinds(&with(met));
    assert!(found.contains(&Kind::OneOpponent) && found.contains(&Kind::PairedAboveChance), "{found:?}");
}

#[test]
fn young_accounts_that_feed_one_are_a_sign() {
    let fed = |is_young: bool| {
        (0..6).map(move |number| {
            let mut played = game(number, 1, 200 + number, 1.0);
            played.seats[1].is_young = is_young;
            played
        })
    };
    let games = with(fed(true));
    let tested = tests(&games);
    let found = signs(&tested).into_iter().find(|test| test.kind == Kind::FedByYoung).expect("a sign");
    assert_eq!((found.persons.len(), found.persons[0]), (7, PersonId(1)));
    assert!(!kinds(&with(fed(false))).contains(&Kind::FedByYoung));
}

#[test]
fn of_many_tests_chance_raises_no_more_than_its_share() {
    // A thousand tests whose p-values are what chance gives: evenly spread.
    let even: Vec<f64> = (1..=1_000).map(|number| f64::from(number) / 1_000.0).collect();
    assert!(benjamini_hochberg(&even, 0.05).iter().all(|given_up| !given_up));
    // Twenty true ones among them: those are found, and hardly anything else.
    let mut mixed = even;
    mixed.extend([1e-6; 20]);
    let given_up = benjamini_hochberg(&mixed, 0.05);
    assert!(given_up[1_000..].iter().all(|given_up| *given_up));
    assert!(given_up[..1_000].iter().filter(|given_up| **given_up).count() <= 1);
    assert_eq!(benjamini_hochberg(&[], 0.05), [false; 0]);
}

#[test]
fn tails_are_those_of_the_tables() {
    let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
    assert!(near(at_least(0, 7, 0.1), 1.0) && near(at_least(8, 7, 0.1), 0.0));
    assert!(near(at_least(2, 2, 0.5), 0.25) && near(at_least(1, 2, 0.5), 0.75));
    assert!(near(at_least(3, 5, 0.2), 0.05792));
    assert!((normal_tail(1.959_963_985) - 0.025).abs() < 1e-9);
    assert!(near(normal_tail(0.0), 0.5));
}
