//! Games end, one after the other and all at once.

use event_bus::{HandleError, Handler as _};
use futures::future::join_all;
use prost::Message as _;
use proto::game::v1::GameResult;
use proto::rating::v1::RatingsChanged;
use proto::types::v1::TimeControl;
use rating::bus::games::GameHandler;
use rating::{RebuildConfig, rebuild};
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::{
    DAY_MS, Game, NOON_MS, Rating, database, deliver, deliver_together, everything, history_of, rating_of,
};

fn near(actual: f64, expected: f64, within: f64) {
    assert!((actual - expected).abs() < within, "{actual} is not {expected}");
}

/// Gives a player a rating as if he had played until noon.
async fn rated(pool: &PgPool, rating: f64, deviation: f64) -> Uuid {
    let player = Uuid::now_v7();
    sqlx::query("insert into ratings values ($1, '3+2', $2, $3, 0.06, 9, $4)")
        .bind(player)
        .bind(rating)
        .bind(deviation)
        .bind(NOON_MS)
        .execute(pool)
        .await
        .expect("the database answers");
    player
}

#[tokio::test]
async fn a_win_between_newcomers_changes_both_and_is_told_to_the_others() {
    // D06, RATING-2
    let pool = database().await;
    let (white, black) = (Uuid::now_v7(), Uuid::now_v7());
    let game = Game::new(white, black);
    game.end(&pool, GameResult::WhiteWins).await.expect("rated");
    let (winner, loser) = (rating_of(&pool, white).await, rating_of(&pool, black).await);
    let (winner, loser) = (winner.expect("rated"), loser.expect("rated"));
    near(winner.rating, 1_662.310_894, 1e-6);
    near(loser.rating, 1_337.689_106, 1e-6);
    near(winner.deviation, 290.318_964, 1e-6);
    assert_eq!((winner.games, loser.games), (1, 1));

    let events = event_store::load(&pool, game.game_id, 0, 10).await;
    let events = events.expect("the log answers");
    let [event] = events.as_slice() else {
        panic!("one event expected: {events:?}");
    };
    let changed = RatingsChanged::decode(event.data.as_slice()).expect("readable");
    assert_eq!((changed.pool.as_str(), changed.pool_sequence), ("3+2", 1));
    let after = changed.white.and_then(|white| white.after).expect("present");
    assert_eq!(after.rating.to_bits(), winner.rating.to_bits());
    let waiting: i64 = sqlx::query_scalar("select count(*) from outbox where stream_id = $1")
        .bind(game.game_id)
        .fetch_one(&pool)
        .await
        .expect("the database answers");
    assert_eq!(waiting, 1);
}

#[tokio::test]
async fn of_two_games_at_once_the_second_is_rated_on_what_the_first_left() {
    // D07
    let pool = database().await;
    for (second, expected) in [(GameResult::WhiteWins, 1_500.526), (GameResult::BlackWins, 1_367.111)] {
        let player = rated(&pool, 1_500.0, 200.0).await;
        let first_game = Game::new(player, rated(&pool, 1_500.0, 200.0).await);
        let second_game = Game::new(player, rated(&pool, 1_500.0, 200.0).await);
        first_game.end(&pool, GameResult::BlackWins).await.expect("rated");
        let between = rating_of(&pool, player).await.expect("rated");
        near(between.rating, 1_421.198, 5e-4);
        second_game.end(&pool, second).await.expect("rated");
        let after = rating_of(&pool, player).await.expect("rated");
        near(after.rating, expected, 5e-4);
    }
}

#[tokio::test]
async fn a_game_told_again_changes_no_bit() {
    // D12, RATING-1
    let pool = database().await;
    let (white, black) = (Uuid::now_v7(), Uuid::now_v7());
    let games: Vec<Game> = (0..5).map(|_| Game::new(white, black)).collect();
    for game in &games {
        game.end(&pool, GameResult::Draw).await.expect("rated");
    }
    let before = everything(&pool).await;
    for game in games.iter().rev().chain(&games) {
        game.end(&pool, GameResult::Draw).await.expect("was rated");
        // Not even when it is told with another result.
        game.end(&pool, GameResult::BlackWins).await.expect("was rated");
    }
    assert_eq!(everything(&pool).await, before);
    let repeats = (0..20).map(|_| games[0].end(&pool, GameResult::Draw));
    for answer in join_all(repeats).await {
        answer.expect("was rated");
    }
    assert_eq!(everything(&pool).await, before);
}

#[tokio::test]
async fn an_aborted_game_changes_no_bit() {
    // D14, RATING-3
    let pool = database().await;
    let (white, black) = (Uuid::now_v7(), Uuid::now_v7());
    let played = Game::new(white, black);
    played.end(&pool, GameResult::WhiteWins).await.expect("rated");
    let before = everything(&pool).await;
    let aborted = Game::new(white, black);
    deliver(&pool, &aborted.message("GameStarted", Vec::new())).await.expect("ignored");
    deliver(&pool, &aborted.message("GameAborted", aborted.aborted())).await.expect("ignored");
    assert_eq!(everything(&pool).await, before);
    let events = event_store::load(&pool, aborted.game_id, 0, 10).await;
    assert_eq!(events.expect("the log answers"), []);
}

#[tokio::test]
async fn what_cannot_be_rated_is_a_fault_and_changes_nothing() {
    let pool = database().await;
    let (white, black) = (Uuid::now_v7(), Uuid::now_v7());
    let good = || Game::new(white, black);
    let alone = Game { black: white, ..good() }.end(&pool, GameResult::Draw).await;
    assert!(matches!(alone, Err(HandleError::Permanent(_))));
    let no_result = good().end(&pool, GameResult::Unspecified).await;
    assert!(matches!(no_result, Err(HandleError::Permanent(_))));
    let mut foreign = good().end_message(GameResult::Draw);
    foreign.stream_id = Uuid::now_v7();
    let foreign = deliver(&pool, &foreign).await;
    assert!(matches!(foreign, Err(HandleError::Permanent(_))));
    assert_eq!(everything(&pool).await, (vec![], vec![], vec![]));
}

#[tokio::test]
async fn a_game_that_counts_nowhere_is_passed_over_whatever_it_is() {
    // RATING-3
    let pool = database().await;
    let (white, black) = (Uuid::now_v7(), Uuid::now_v7());
    let clock = |base_ms, increment_ms| Some(TimeControl { base_ms, increment_ms });
    let good = || Game::new(white, black);
    // Clocks without a pool.
    let unknown_clock = Game { time_control: clock(60_000, 0), ..good() };
    let untimed = Game { time_control: None, ..good() };
    for game in [unknown_clock, untimed] {
        game.end(&pool, GameResult::Draw).await.expect("passed over");
    }
    // Games that say at their start that they do not count, on a clock that has a pool.
    let alone = Game { black: white, ..good() };
    let apart = [
        (alone, "solo", Rating::Casual),
        (good(), "match", Rating::Rated),
        (good(), "city", Rating::Casual),
        (good(), "table", Rating::Casual),
    ];
    for (game, rule_set, rating) in &apart {
        deliver(&pool, &game.started(rule_set, *rating)).await.expect("noted");
        game.end(&pool, GameResult::WhiteWins).await.expect("passed over");
    }
    assert_eq!(everything(&pool).await, (vec![], vec![], vec![]));
    let noted: i64 =
        sqlx::query_scalar("select count(*) from games_apart").fetch_one(&pool).await.expect("counted");
    assert_eq!(noted, 0, "what is over is forgotten");
}

#[tokio::test]
async fn a_game_at_a_house_table_moves_the_tables_ratings_whatever_its_clock() {
    let pool = database().await;
    let (white, black) = (Uuid::now_v7(), Uuid::now_v7());
    for time_control in [None, Some(TimeControl { base_ms: 180_000, increment_ms: 2_000 })] {
        let game = Game { time_control, ..Game::new(white, black) };
        deliver(&pool, &game.started("table", Rating::Rated)).await.expect("noted");
        game.end(&pool, GameResult::WhiteWins).await.expect("rated");
        let aborted = Game { time_control, ..Game::new(white, black) };
        deliver(&pool, &aborted.started("table", Rating::Rated)).await.expect("noted");
        deliver(&pool, &aborted.message("GameAborted", aborted.aborted())).await.expect("passed over");
    }
    let (ratings, history, pools) = everything(&pool).await;
    assert_eq!(pools, [("table".to_owned(), 2)]);
    assert_eq!(history.len(), 4);
    let winner = ratings.iter().find(|row| row.player_id == white).expect("rated");
    assert_eq!(
        (winner.pool.as_str(), winner.games, winner.deviation, winner.volatility),
        ("table", 2, 0.0, 0.0)
    );
    // 1000 + 16, then 32 × (1 − 1 ÷ (1 + 10^(−32 ÷ 400))).
    near(winner.rating, 1_016.0 + 32.0 * (1.0 - 1.0 / (1.0 + 10_f64.powf(-32.0 / 400.0))), 1e-9);
    let report = rebuild(&pool, RebuildConfig::default()).await.expect("rebuilt");
    assert_eq!((report.changes, report.ratings, report.differing), (2, 2, 0));
}

#[tokio::test]
async fn games_handled_together_come_to_the_same_bits_as_one_by_one() {
    // RATING-1, RATING-2, RATING-4
    let (together, single) = (database().await, database().await);
    let players: Vec<Uuid> = (0..6).map(|_| Uuid::now_v7()).collect();
    let results = [GameResult::WhiteWins, GameResult::Draw, GameResult::BlackWins];
    let mut messages = Vec::new();
    for n in 0..60 {
        let clocks = [(180_000, 2_000), (300_000, 0), (60_000, 0)];
        let (base_ms, increment_ms) = clocks[n % 7 % 3];
        let game = Game {
            time_control: Some(TimeControl { base_ms, increment_ms }),
            ended_at_ms: NOON_MS + n as i64 * DAY_MS / 3,
            ..Game::new(players[n % 6], players[(n + 1 + n % 5) % 6])
        };
        let result = if n == 17 { GameResult::Unspecified } else { results[n % 3] };
        messages.push(game.end_message(result));
    }
    for message in &messages {
        let _ = deliver(&single, message).await;
    }
    // The first ten twice: what was rated is in the batch again.
    for batch in [&messages[..10], &messages[..40], &messages[40..]] {
        let batch: Vec<_> = batch.iter().collect();
        let answers = deliver_together(&together, &batch).await;
        for (message, answer) in batch.iter().zip(answers) {
            assert_eq!(answer.is_err(), message.event_id == messages[17].event_id);
        }
    }
    assert_eq!(everything(&together).await, everything(&single).await);
    let report = rebuild(&together, RebuildConfig::default()).await.expect("rebuilt");
    assert_eq!(report.differing, 0);
    let names: i64 = sqlx::query_scalar("select count(*) from players where name = 'Paul'")
        .fetch_one(&together)
        .await
        .expect("counted");
    assert_eq!(names, 6);
}

#[tokio::test]
async fn a_handler_that_dies_before_the_commit_leaves_nothing_and_uses_no_number() {
    // G11, RATING-4
    let pool = database().await;
    let game = Game::new(Uuid::now_v7(), Uuid::now_v7());
    let message = game.end_message(GameResult::WhiteWins);
    let mut tx = pool.begin().await.expect("the database answers");
    GameHandler.handle(&mut tx, &message).await.expect("handled");
    drop(tx);
    assert_eq!(everything(&pool).await, (vec![], vec![], vec![]));
    deliver(&pool, &message).await.expect("again");
    let (ratings, _, pools) = everything(&pool).await;
    assert_eq!(ratings.len(), 2);
    assert_eq!(pools, [("3+2".to_owned(), 1)]);
}

#[tokio::test]
async fn the_changes_of_a_history_add_up_to_the_rating() {
    // D16
    let pool = database().await;
    let player = Uuid::now_v7();
    let results = [
        GameResult::WhiteWins,
        GameResult::Draw,
        GameResult::BlackWins,
        GameResult::WhiteWins,
        GameResult::WhiteWins,
    ];
    for result in results {
        let game = Game::new(player, Uuid::now_v7());
        game.end(&pool, result).await.expect("rated");
    }
    let history = history_of(&pool, player).await;
    assert_eq!(history.len(), results.len());
    let mut rating = 1_500.0;
    for (number, row) in history.iter().rev().enumerate() {
        assert_eq!(row.rating_before.to_bits(), f64::to_bits(rating));
        assert_eq!(row.games_before, number as i32);
        rating = row.rating_after;
    }
    let stored = rating_of(&pool, player).await.expect("rated");
    assert_eq!(stored.rating.to_bits(), rating.to_bits());
    let sum: f64 = history.iter().map(|row| row.rating_after - row.rating_before).sum();
    near(1_500.0 + sum, stored.rating, 1e-9);
    let scores: Vec<_> = history.iter().map(|row| row.score).collect();
    assert_eq!(scores, [1.0, 1.0, 0.0, 0.5, 1.0].map(Some));
}

#[tokio::test]
async fn pools_are_apart_and_idle_days_are_counted_in_each() {
    // RATING-5
    let pool = database().await;
    let (white, black) = (Uuid::now_v7(), Uuid::now_v7());
    let clock = Some(TimeControl { base_ms: 300_000, increment_ms: 0 });
    let blitz = Game::new(white, black);
    blitz.end(&pool, GameResult::WhiteWins).await.expect("rated");
    let other = Game { time_control: clock, ended_at_ms: NOON_MS + 30 * DAY_MS, ..Game::new(white, black) };
    other.end(&pool, GameResult::WhiteWins).await.expect("rated");
    let later = Game { ended_at_ms: NOON_MS + 64 * DAY_MS, ..Game::new(white, black) };
    later.end(&pool, GameResult::Draw).await.expect("rated");
    let (_, history, pools) = everything(&pool).await;
    assert_eq!(pools, [("3+2".to_owned(), 2), ("5+0".to_owned(), 1)]);
    let first_of_other = history.iter().find(|row| row.pool == "5+0");
    let first_of_other = first_of_other.expect("rated");
    assert_eq!((first_of_other.rating_before, first_of_other.games_before), (1_500.0, 0));
    let events = event_store::load(&pool, later.game_id, 0, 10).await;
    let events = events.expect("the log answers");
    let changed = RatingsChanged::decode(events[0].data.as_slice()).expect("readable");
    assert_eq!(changed.white.expect("present").idle_days, 64.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_that_end_together_are_rated_one_after_the_other() {
    // RATING-4
    let pool = database().await;
    let players: Vec<Uuid> = (0..4).map(|_| Uuid::now_v7()).collect();
    let games: Vec<Game> =
        (0..48).map(|n| Game::new(players[n % 4], players[(n + 1 + n / 4 % 3) % 4])).collect();
    let ends = games.iter().map(|game| game.end(&pool, GameResult::WhiteWins));
    for answer in join_all(ends).await {
        answer.expect("rated");
    }
    let (ratings, history, pools) = everything(&pool).await;
    assert_eq!(pools, [("3+2".to_owned(), 48)]);
    let sequences: Vec<i64> = history.iter().map(|row| row.pool_sequence).collect();
    let expected: Vec<i64> = (1..=48).flat_map(|n| [n, n]).collect();
    assert_eq!(sequences, expected);
    assert_eq!(ratings.iter().map(|row| row.games).sum::<i32>(), 96);
    let report = rebuild(&pool, RebuildConfig::default()).await.expect("rebuilt");
    assert_eq!((report.changes, report.ratings, report.differing), (48, 4, 0));
}
