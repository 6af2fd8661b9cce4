//! What holds for every rating and every series of games.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use domain_glicko::glicko2::STEP_MAX;
use domain_glicko::rating::{DEVIATION_BOUNDS, RATING_BOUNDS, VOLATILITY_BOUNDS};
use domain_glicko::{
    Elo, OutOfBounds, POOLS, Pair, Points, Pool, PoolRating, Rating, RawRating, Score, System,
    after_idle_days, elo, pool_rating, update_pair,
};
use proptest::prelude::*;
use skillratings::Outcomes;
use skillratings::glicko2::{Glicko2Config, Glicko2Rating, glicko2};

fn any_rating() -> impl Strategy<Value = Rating> {
    (100.0..=4000.0_f64, 30.0..=350.0_f64, 0.01..=0.1_f64).prop_map(|(rating, deviation, volatility)| {
        Rating::new(RawRating { rating, deviation, volatility }).unwrap()
    })
}

/// Ratings whose games stay clear of every clamp, where we and a library without clamps must agree.
fn ordinary_rating() -> impl Strategy<Value = Rating> {
    (1200.0..=2000.0_f64, 45.0..=300.0_f64, 0.03..=0.08_f64).prop_map(|(rating, deviation, volatility)| {
        Rating::new(RawRating { rating, deviation, volatility }).unwrap()
    })
}

fn any_score() -> impl Strategy<Value = Score> {
    prop_oneof![Just(Score::Win), Just(Score::Draw), Just(Score::Loss)]
}

fn is_in_bounds(rating: &Rating) -> bool {
    RATING_BOUNDS.contains(rating.rating())
        && DEVIATION_BOUNDS.contains(rating.deviation())
        && VOLATILITY_BOUNDS.contains(rating.volatility())
}

fn bits(rating: Rating) -> [u64; 3] {
    let raw = rating.raw();
    [raw.rating.to_bits(), raw.deviation.to_bits(), raw.volatility.to_bits()]
}

fn peer(rating: Rating) -> Glicko2Rating {
    Glicko2Rating { rating: rating.rating(), deviation: rating.deviation(), volatility: rating.volatility() }
}

proptest! {
    /// GLICKO-1, GLICKO-5
    #[test]
    fn one_game_leaves_both_ratings_in_bounds_and_within_the_step(
        white in any_rating(), black in any_rating(), score in any_score(),
    ) {
        let after = update_pair(Pair { white, black }, score);
        for (before, after) in [(white, after.white), (black, after.black)] {
            prop_assert!(is_in_bounds(&after), "{after:?}");
            prop_assert!((after.rating() - before.rating()).abs() <= STEP_MAX + 1e-9);
        }
    }

    /// GLICKO-2
    #[test]
    fn swapping_the_sides_swaps_the_ratings_and_nothing_else(
        white in any_rating(), black in any_rating(), score in any_score(),
    ) {
        let after = update_pair(Pair { white, black }, score);
        let swapped = update_pair(Pair { white: black, black: white }, score.reversed());
        prop_assert_eq!(bits(after.white), bits(swapped.black));
        prop_assert_eq!(bits(after.black), bits(swapped.white));
    }

    /// GLICKO-3
    #[test]
    fn a_replayed_history_gives_the_same_bits(
        first in any_rating(),
        second in any_rating(),
        games in prop::collection::vec((any_score(), 0.0..400.0_f64), 1..60),
    ) {
        let play = || games.iter().fold(Pair { white: first, black: second }, |now, (score, days)| {
            let rested = Pair {
                white: after_idle_days(now.white, *days),
                black: after_idle_days(now.black, *days / 3.0),
            };
            update_pair(rested, *score)
        });
        let (once, again) = (play(), play());
        prop_assert_eq!(bits(once.white), bits(again.white));
        prop_assert_eq!(bits(once.black), bits(again.black));
        prop_assert!(is_in_bounds(&once.white) && is_in_bounds(&once.black));
    }

    /// An independent implementation agrees wherever no clamp of ours applies.
    #[test]
    fn an_independent_implementation_gives_the_same_ratings(
        white in ordinary_rating(), black in ordinary_rating(), score in any_score(),
    ) {
        let outcome = match score {
            Score::Win => Outcomes::WIN,
            Score::Draw => Outcomes::DRAW,
            Score::Loss => Outcomes::LOSS,
        };
        let ours = update_pair(Pair { white, black }, score);
        let theirs = glicko2(&peer(white), &peer(black), &outcome, &Glicko2Config::new());
        for (ours, theirs) in [(ours.white, theirs.0), (ours.black, theirs.1)] {
            prop_assert!((ours.rating() - theirs.rating).abs() < 1e-6);
            prop_assert!((ours.deviation() - theirs.deviation).abs() < 1e-6);
            prop_assert!((ours.volatility() - theirs.volatility).abs() < 1e-9);
        }
    }

    #[test]
    fn winning_never_lowers_and_losing_never_raises_a_rating(white in any_rating(), black in any_rating()) {
        let won = update_pair(Pair { white, black }, Score::Win);
        prop_assert!(won.white.rating() >= white.rating());
        prop_assert!(won.black.rating() <= black.rating());
    }

    #[test]
    fn idle_time_never_shrinks_a_deviation_and_never_passes_the_cap(
        rating in any_rating(), days in 0.0..100_000.0_f64,
    ) {
        let after = after_idle_days(rating, days);
        prop_assert!(after.deviation() >= rating.deviation() - 1e-9);
        prop_assert!(is_in_bounds(&after));
    }

    #[test]
    fn what_one_house_table_player_gains_the_other_loses(
        white in 500.0..2500.0_f64, black in 500.0..2500.0_f64, score in any_score(),
    ) {
        let before = Pair { white: Elo::new(white).unwrap(), black: Elo::new(black).unwrap() };
        let after = elo::update_pair(before, score);
        prop_assert!((after.white.rating() + after.black.rating() - white - black).abs() < 1e-9);
        prop_assert!((after.white.rating() - white).abs() <= elo::K_FACTOR);
    }

    /// GLICKO-2
    #[test]
    fn swapping_the_sides_at_a_house_table_swaps_the_ratings_to_the_bit(
        white in 100.0..=4000.0_f64, black in 100.0..=4000.0_f64, score in any_score(),
    ) {
        let (white, black) = (Elo::new(white).unwrap(), Elo::new(black).unwrap());
        let after = elo::update_pair(Pair { white, black }, score);
        let swapped = elo::update_pair(Pair { white: black, black: white }, score.reversed());
        prop_assert_eq!(after.white.rating().to_bits(), swapped.black.rating().to_bits());
        prop_assert_eq!(after.black.rating().to_bits(), swapped.white.rating().to_bits());
    }

    /// GLICKO-1
    #[test]
    fn points_given_or_taken_by_hand_leave_a_rating_in_bounds_and_the_rest_of_it_alone(
        rating in any_rating(), points in -700.0..=700.0_f64,
    ) {
        let moved = PoolRating::Glicko2(rating).moved(points).raw();
        prop_assert_eq!(moved.rating.to_bits(), (rating.rating() + points).clamp(100.0, 4000.0).to_bits());
        prop_assert_eq!(moved.deviation.to_bits(), rating.deviation().to_bits());
        prop_assert_eq!(moved.volatility.to_bits(), rating.volatility().to_bits());
    }
}

/// D04: without clamps the volatility overflows before 250,000 games. (GLICKO-1)
#[test]
fn three_hundred_thousand_coin_flips_leave_both_ratings_in_bounds() {
    let mut now = Pair { white: Rating::default(), black: Rating::default() };
    // A fixed linear congruential sequence: the same coin every time.
    let mut coin: u64 = 0x2545_F491_4F6C_DD1D;
    for game in 0..300_000 {
        coin = coin.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let score = if coin >> 63 == 0 { Score::Win } else { Score::Loss };
        now = update_pair(now, score);
        assert!(is_in_bounds(&now.white), "game {game}: {:?}", now.white);
        assert!(is_in_bounds(&now.black), "game {game}: {:?}", now.black);
    }
}

/// GLICKO-1 at the corners, where the expected score is nearly certain and an upset is as surprising as can be.
#[test]
fn the_greatest_upset_there_is_leaves_both_ratings_in_bounds() {
    for deviation in [30.0, 350.0] {
        for volatility in [0.01, 0.1] {
            let at = |rating| Rating::new(RawRating { rating, deviation, volatility }).unwrap();
            let after = update_pair(Pair { white: at(100.0), black: at(4000.0) }, Score::Win);
            assert!(is_in_bounds(&after.white), "{:?}", after.white);
            assert!(is_in_bounds(&after.black), "{:?}", after.black);
        }
    }
}

/// GLICKO-5: the cap is met only by somebody unknown who beats somebody well known from very far below.
#[test]
fn the_step_of_one_game_is_capped() {
    let at = |rating, deviation| Rating::new(RawRating { rating, deviation, volatility: 0.1 }).unwrap();
    let after = update_pair(Pair { white: at(500.0, 350.0), black: at(3500.0, 30.0) }, Score::Win);
    assert!((after.white.rating() - 500.0 - STEP_MAX).abs() < 1e-9);
}

#[test]
fn numbers_outside_the_bounds_are_refused_by_name() {
    let fresh = Rating::default().raw();
    for rating in [99.9, 4000.1, f64::NAN, f64::INFINITY] {
        assert!(matches!(Rating::new(RawRating { rating, ..fresh }), Err(OutOfBounds::Rating(_))));
        assert!(Elo::new(rating).is_err());
    }
    for deviation in [29.9, 350.1, 0.0, f64::NAN] {
        assert!(matches!(Rating::new(RawRating { deviation, ..fresh }), Err(OutOfBounds::Deviation(_))));
    }
    for volatility in [0.0, 0.009, 0.11, f64::NAN] {
        assert!(matches!(Rating::new(RawRating { volatility, ..fresh }), Err(OutOfBounds::Volatility(_))));
    }
    assert_eq!(Rating::new(fresh), Ok(Rating::default()));
}

#[test]
fn a_fresh_rating_is_provisional_and_a_settled_one_is_not() {
    let settled = RawRating { deviation: 110.0, ..Rating::default().raw() };
    assert!(Rating::default().is_provisional());
    assert!(!Rating::new(settled).unwrap().is_provisional());
}

#[test]
fn equal_house_table_players_move_by_half_the_factor() {
    let fresh = Pair { white: Elo::default(), black: Elo::default() };
    let after = elo::update_pair(fresh, Score::Win);
    assert_eq!(after.white.rating().to_bits(), 1016.0_f64.to_bits());
    assert_eq!(after.black.rating().to_bits(), 984.0_f64.to_bits());
    assert_eq!(elo::update_pair(fresh, Score::Draw), fresh);
}

#[test]
fn every_staked_time_control_has_a_pool_and_names_are_unique() {
    for id in ["3+2", "5+0", "10+0"] {
        assert_eq!(Pool::find(id).map(|pool| pool.system), Some(System::Glicko2));
    }
    assert_eq!(Pool::find("table").map(|pool| pool.system), Some(System::Elo));
    assert_eq!(Pool::find("1+0"), None);
    assert_eq!(Pool::of_game("city", Some("3+2")), Pool::find("3+2"));
    assert_eq!(Pool::of_game("table", Some("3+2")), Pool::find("table"));
    assert_eq!(Pool::of_game("table", None), Pool::find("table"));
    for (rule_set, clock) in
        [("city", None), ("city", Some("1+0")), ("city", Some("table")), ("solo", Some("3+2"))]
    {
        assert_eq!(Pool::of_game(rule_set, clock), None);
    }
    let mut names: Vec<_> = POOLS.iter().map(|pool| pool.id).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), POOLS.len());
}

#[test]
fn a_rating_of_one_system_is_refused_in_a_pool_of_the_other() {
    let (staked, table) = (Pool::find("3+2").unwrap(), Pool::find("table").unwrap());
    for pool in POOLS {
        let fresh = PoolRating::fresh(pool);
        assert_eq!(PoolRating::new(pool, fresh.raw()), Ok(fresh));
    }
    let raw = PoolRating::fresh(table).raw();
    assert_eq!(raw, RawRating { rating: 1000.0, deviation: 0.0, volatility: 0.0 });
    assert!(PoolRating::new(staked, raw).is_err());
    assert!(PoolRating::new(table, PoolRating::fresh(staked).raw()).is_err());
    assert_eq!(PoolRating::fresh(table).after_idle_days(1e6), PoolRating::fresh(table));
    assert!(!PoolRating::fresh(table).is_provisional());
}

#[test]
#[should_panic(expected = "rated in one pool")]
fn players_of_different_pools_cannot_meet() {
    let (white, black) = (PoolRating::Glicko2(Rating::FRESH), PoolRating::Elo(Elo::FRESH));
    let _ = pool_rating::update_pair(Pair { white, black }, Score::Draw);
}

#[test]
fn a_correction_has_points_and_not_more_than_a_game_may_give() {
    for points in [0.0, -0.0, 700.1, -701.0, f64::NAN, f64::INFINITY] {
        assert_eq!(Points::new(points), None);
    }
    assert_eq!(Points::new(-700.0).map(Points::get), Some(-700.0));
}
