//! All ratings once more, from the log.

use proto::game::v1::GameResult;
use rating::app::rebuild::Difference;
use rating::{RebuildError, rebuild};
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::{DAY_MS, Game, NOON_MS, database, everything, rating_of};

/// Thirty games of five players in the course of months.
async fn played() -> (PgPool, Vec<Uuid>, Vec<Game>) {
    let pool = database().await;
    let players: Vec<Uuid> = (0..5).map(|_| Uuid::now_v7()).collect();
    let results = [GameResult::WhiteWins, GameResult::BlackWins, GameResult::Draw];
    let mut games = Vec::new();
    for n in 0..30 {
        let game = Game {
            ended_at_ms: NOON_MS + n as i64 * 5 * DAY_MS + 123_457 * n as i64,
            ..Game::new(players[n % 5], players[(n + 1 + n % 4) % 5])
        };
        game.end(&pool, results[n % 3]).await.expect("rated");
        games.push(game);
    }
    (pool, players, games)
}

async fn tamper(pool: &PgPool, statement: &'static str) {
    let changed = sqlx::query(statement).execute(pool).await;
    let changed = changed.expect("the database lets us");
    assert!(changed.rows_affected() > 0, "something was tampered with");
}

#[tokio::test]
async fn a_rebuild_gives_the_same_bits() {
    // RATING-4, D12
    let (pool, _, _) = played().await;
    let before = everything(&pool).await;
    let report = rebuild(&pool).await.expect("rebuilt");
    assert_eq!((report.games, report.ratings, report.differing), (30, 5, 0));
    assert_eq!(everything(&pool).await, before);
}

#[tokio::test]
async fn a_rebuild_mends_what_is_stored_wrong_and_counts_it() {
    let (pool, players, _) = played().await;
    let before = everything(&pool).await;
    tamper(
        &pool,
        "update ratings set deviation = deviation + 1e-9 where player_id = (select min(player_id::text)::uuid from ratings)",
    )
    .await;
    tamper(&pool, "delete from rating_history where pool_sequence > 3").await;
    let report = rebuild(&pool).await.expect("rebuilt");
    assert_eq!(report.differing, 1);
    assert_eq!(everything(&pool).await, before);
    // Games go on from there.
    let next = Game { ended_at_ms: NOON_MS + 400 * DAY_MS, ..Game::new(players[0], players[1]) };
    next.end(&pool, GameResult::Draw).await.expect("rated");
    assert_eq!(rebuild(&pool).await.expect("rebuilt").differing, 0);
}

#[tokio::test]
async fn lost_tables_come_back_whole() {
    let (pool, _, _) = played().await;
    let before = everything(&pool).await;
    sqlx::query("truncate ratings, rating_history, rating_pools")
        .execute(&pool)
        .await
        .expect("the database lets us");
    let report = rebuild(&pool).await.expect("rebuilt");
    assert_eq!(report.differing, 5);
    assert_eq!(everything(&pool).await, before);
}

#[tokio::test]
async fn a_number_changed_in_the_log_is_named_and_nothing_is_replaced() {
    let (pool, players, games) = played().await;
    let before = everything(&pool).await;
    // The last bytes are the game's number; the lowest byte of White's rating afterwards stands well before them.
    sqlx::query("update events set data = set_byte(data, 150, get_byte(data, 150) # 1) where stream_id = $1")
        .bind(games[7].game_id)
        .execute(&pool)
        .await
        .expect("the database lets us");
    let error = rebuild(&pool).await.expect_err("the log is damaged");
    let RebuildError::Difference(Difference::Ratings { game }) = error else {
        panic!("another error: {error}");
    };
    assert_eq!(game.0, games[7].game_id);
    assert_eq!(everything(&pool).await, before);
    assert!(rating_of(&pool, players[0]).await.is_some());
}

#[tokio::test]
async fn a_game_that_is_gone_from_the_log_is_missed() {
    let (pool, _, games) = played().await;
    sqlx::query("delete from events where stream_id = $1")
        .bind(games[11].game_id)
        .execute(&pool)
        .await
        .expect("the database lets us");
    let error = rebuild(&pool).await.expect_err("the log is damaged");
    let expected = Difference::Sequence { pool: "3+2", expected: 12, found: 13 };
    assert!(matches!(&error, RebuildError::Difference(found) if *found == expected), "{error}");
}
