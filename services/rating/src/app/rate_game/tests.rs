use domain_glicko::{RawRating, Score};
use uuid::Uuid;

use super::*;
use crate::app::ended_game::{GameId, GameParts, PlayerId};

const DAY: i64 = 86_400_000;

fn pool() -> Pool {
    Pool::find("3+2").expect("3+2 is a pool")
}

fn game(white_score: Score, ended_at_ms: i64) -> EndedGame {
    EndedGame::new(GameParts {
        game_id: GameId(Uuid::from_u128(1)),
        pool: pool(),
        players: Pair { white: PlayerId(Uuid::from_u128(10)), black: PlayerId(Uuid::from_u128(11)) },
        white_score,
        ended_at_ms,
    })
    .expect("two players")
}

fn standing(rating: f64, deviation: f64, last_game_at_ms: i64) -> Standing {
    let raw = RawRating { rating, deviation, volatility: 0.06 };
    Standing {
        rating: PoolRating::new(pool(), raw).expect("inside the bounds"),
        games: 12,
        last_game_at_ms: Some(last_game_at_ms),
    }
}

fn near(actual: f64, expected: f64) {
    assert!((actual - expected).abs() < 1e-6, "{actual} is not {expected}");
}

#[test]
fn the_first_win_of_a_fresh_pair_moves_both_by_162_points() {
    // D06
    let page =
        Page { sequence: 1, before: Pair { white: Standing::fresh(pool()), black: Standing::fresh(pool()) } };
    let rated = rate(game(Score::Win, 5 * DAY), page);
    near(rated.changes.white.after.rating.raw().rating, 1_662.310_894);
    near(rated.changes.black.after.rating.raw().rating, 1_337.689_106);
    near(rated.changes.white.after.rating.raw().deviation, 290.318_964);
    assert_eq!(rated.changes.white.idle_days, 0.0);
    assert_eq!(rated.changes.white.after.games, 1);
    assert_eq!(rated.changes.black.after.last_game_at_ms, Some(5 * DAY));
}

#[test]
fn idle_days_grow_the_deviation_before_the_game_counts() {
    // D09: 340 after 63 idle periods of a day is 349.9205.
    let white = standing(1_500.0, 340.0, 0);
    near_4(white.grown(63 * DAY).raw().deviation, 349.9205);
    let page = Page { sequence: 2, before: Pair { white, black: standing(1_500.0, 340.0, 63 * DAY) } };
    let rated = rate(game(Score::Draw, 63 * DAY), page);
    assert_eq!(rated.changes.white.idle_days, 63.0);
    assert_eq!(rated.changes.black.idle_days, 0.0);
    // What is recorded as "before" is what was stored.
    assert_eq!(rated.changes.white.before, white);
    assert!(
        rated.changes.white.after.rating.raw().deviation > rated.changes.black.after.rating.raw().deviation
    );
}

#[test]
fn a_game_that_ended_before_the_last_one_adds_no_idle_time_and_turns_no_clock_back() {
    let page = Page {
        sequence: 3,
        before: Pair { white: standing(1_500.0, 100.0, 10 * DAY), black: standing(1_500.0, 100.0, 2 * DAY) },
    };
    let rated = rate(game(Score::Loss, 4 * DAY), page);
    assert_eq!(rated.changes.white.idle_days, 0.0);
    assert_eq!(rated.changes.white.after.last_game_at_ms, Some(10 * DAY));
    assert_eq!(rated.changes.black.idle_days, 2.0);
    assert_eq!(rated.changes.black.after.last_game_at_ms, Some(4 * DAY));
}

fn near_4(actual: f64, expected: f64) {
    assert!((actual - expected).abs() < 5e-5, "{actual} is not {expected}");
}

#[test]
fn house_table_players_start_at_1000_and_nothing_grows() {
    let table = Pool::find("table").expect("table is a pool");
    let game = EndedGame::new(GameParts {
        game_id: GameId(Uuid::from_u128(1)),
        pool: table,
        players: Pair { white: PlayerId(Uuid::from_u128(10)), black: PlayerId(Uuid::from_u128(11)) },
        white_score: Score::Win,
        ended_at_ms: 90 * DAY,
    })
    .expect("two players");
    let seasoned = Standing { games: 3, last_game_at_ms: Some(0), ..Standing::fresh(table) };
    let rated =
        rate(game, Page { sequence: 1, before: Pair { white: seasoned, black: Standing::fresh(table) } });
    let after = rated.changes.white.after.rating.raw();
    assert_eq!((after.rating, after.deviation, after.volatility), (1_016.0, 0.0, 0.0));
    assert_eq!(rated.changes.black.after.rating.raw().rating, 984.0);
    assert_eq!(rated.changes.white.idle_days, 90.0);
}
