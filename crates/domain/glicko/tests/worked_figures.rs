//! Figures that were worked out elsewhere: by Glickman in his paper, and in the public cases.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use domain_glicko::volatility::{ITERATIONS_MAX, TAU, VolatilityStep};
use domain_glicko::{Pair, Rating, RawRating, Score, after_idle_days, update, update_pair};

fn rated(rating: f64, deviation: f64) -> Rating {
    Rating::new(RawRating { rating, deviation, volatility: 0.06 }).unwrap()
}

#[track_caller]
fn assert_near(actual: f64, expected: f64, tolerance: f64) {
    assert!((actual - expected).abs() <= tolerance, "{actual} is not within {tolerance} of {expected}");
}

/// D01: Glickman's example, to the printed digits and beyond.
#[test]
fn the_worked_example_of_the_paper_comes_out_to_its_printed_digits() {
    let after = update(
        rated(1500.0, 200.0),
        &[
            (rated(1400.0, 30.0), Score::Win),
            (rated(1550.0, 100.0), Score::Loss),
            (rated(1700.0, 300.0), Score::Loss),
        ],
    );
    // The paper prints 1464.06 / 151.52 / 0.05999 from rounded intermediate values; unrounded it is 1464.0507.
    assert_near(after.rating(), 1464.0507, 5e-5);
    assert_near(after.deviation(), 151.5165, 5e-5);
    assert_near(after.volatility(), 0.059_996_0, 5e-8);
}

/// D02: the input on which two published libraries never ended. (GLICKO-4)
#[test]
fn the_volatility_search_that_never_ended_elsewhere_ends_here() {
    let sigma =
        VolatilityStep { phi: 1.61208, sigma: 1.09021, delta: 19.07066, v: 25.99074, tau: TAU }.new_sigma();
    // The root of f to seven digits. The case prints 1.122876: its inputs are rounded to five decimals, that of sigma alone
    // moves the result by up to 5e-6.
    assert_near(sigma, 1.122_877_8, 1e-7);
    assert_near(sigma, 1.122_876, 5e-6);
}

/// D02: the grid around it. (GLICKO-4)
#[test]
fn the_volatility_search_is_finite_on_a_wide_grid() {
    let mut looked_at = 0;
    for tau in [0.2, 0.5, 1.2] {
        for sigma in [1e-4, 1e-3, 0.01, 0.06, 0.1, 0.5, 1.0, 2.0] {
            for deviation in [1.0, 30.0, 50.0, 100.0, 200.0, 350.0, 500.0, 700.0] {
                for delta in [0.0, 1e-6, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 50.0, 100.0] {
                    for v in [0.01, 0.1, 1.0, 3.0, 10.0, 1e3, 1e6, 1e9] {
                        let step = VolatilityStep { phi: deviation / 173.7178, sigma, delta, v, tau };
                        let after = step.new_sigma();
                        assert!(after.is_finite() && after > 0.0, "{step:?} gives {after}");
                        looked_at += 1;
                    }
                }
            }
        }
    }
    assert_eq!(looked_at, 3 * 8 * 8 * 10 * 8);
    assert_eq!(ITERATIONS_MAX, 100);
}

/// D06: both players are rated from the ratings before the game. (GLICKO-2)
#[test]
fn the_first_win_between_fresh_players_moves_both_by_the_same_amount() {
    let fresh = Pair { white: Rating::default(), black: Rating::default() };
    for (score, white, black, deviation) in [
        (Score::Win, 1_662.310_894, 1_337.689_106, 290.318_964),
        (Score::Loss, 1_337.689_106, 1_662.310_894, 290.318_964),
        (Score::Draw, 1500.0, 1500.0, 290.318_962),
    ] {
        let after = update_pair(fresh, score);
        assert_near(after.white.rating(), white, 1e-6);
        assert_near(after.black.rating(), black, 1e-6);
        assert_near(after.white.deviation(), deviation, 1e-6);
        assert_near(after.black.deviation(), deviation, 1e-6);
    }
}

/// D07: two games played at once are rated in the order they ended, each from the rating the one before left.
#[test]
fn games_that_ran_side_by_side_are_rated_one_after_the_other() {
    let opponent = rated(1500.0, 200.0);
    let play = |player, score| update_pair(Pair { white: player, black: opponent }, score).white;
    let after_the_first = play(rated(1500.0, 200.0), Score::Loss);
    assert_near(after_the_first.rating(), 1421.198, 5e-4);
    assert_near(play(after_the_first, Score::Win).rating(), 1500.526, 5e-4);
    assert_near(play(after_the_first, Score::Loss).rating(), 1367.111, 5e-4);
}

/// D09: the deviation grows with idle time and stops at 350.
#[test]
fn an_idle_players_deviation_grows_up_to_that_of_a_fresh_player() {
    for (days, deviation) in [
        (0.0, 340.0),
        (1.0, 340.159_7),
        (63.0, 349.920_5),
        (64.0, 350.0),
        (350.0, 350.0),
        (f64::INFINITY, 350.0),
    ] {
        let after = after_idle_days(rated(1500.0, 340.0), days);
        assert_near(after.deviation(), deviation, 5e-5);
        assert_eq!(after.rating().to_bits(), 1500.0_f64.to_bits());
        assert_eq!(after.volatility().to_bits(), 0.06_f64.to_bits());
    }
    let rusty = rated(1500.0, 50.0);
    assert!(after_idle_days(rusty, 1104.0).deviation() < 350.0);
    assert_near(after_idle_days(rusty, 1105.0).deviation(), 350.0, 0.0);
}

/// D09: a period without a game is a day without one.
#[test]
fn an_empty_period_only_lets_the_deviation_grow() {
    let player = rated(1500.0, 200.0);
    let after = update(player, &[]);
    assert_eq!(after, after_idle_days(player, 1.0));
    assert!(after.deviation() > player.deviation());
}

#[test]
fn idle_time_that_is_negative_or_not_a_number_changes_nothing() {
    let player = rated(1612.5, 80.0);
    for days in [-1.0, -0.0, f64::NAN, f64::NEG_INFINITY] {
        assert_eq!(after_idle_days(player, days), player);
    }
}

/// D11: the growth of the deviation is applied in a period with a game as well; the floor of 30 lies below and leaves it.
#[test]
fn the_deviation_of_a_well_known_player_grows_even_when_he_plays() {
    let known = rated(1500.0, 30.0);
    let after = update_pair(Pair { white: known, black: known }, Score::Draw);
    assert_near(after.white.deviation(), 31.628_229, 1e-6);
    assert_eq!(after.white, after.black);
}

/// D17: at exactly Δ² = φ² + v the logarithm of zero must not be taken.
#[test]
fn the_boundary_of_the_volatility_search_leaves_the_volatility() {
    let phi = 2.0_f64;
    let step = VolatilityStep { phi, sigma: 0.06, delta: 3.0, v: 5.0, tau: TAU };
    assert_eq!(step.delta * step.delta - phi * phi - step.v, 0.0);
    assert_near(step.new_sigma(), 0.06, 1e-6);

    let phi = 200.0 / 173.7178;
    let step =
        VolatilityStep { phi, sigma: 0.06, delta: (phi * phi + 1.7785_f64).sqrt(), v: 1.7785, tau: TAU };
    assert_near(step.new_sigma(), 0.06, 1e-6);
}
