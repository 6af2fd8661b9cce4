//! All ratings once more, from the log.

use proto::game::v1::GameResult;
use rating::app::rebuild::Difference;
use rating::{RebuildConfig, RebuildError, rebuild};
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
    let report = rebuild(&pool, RebuildConfig::default()).await.expect("rebuilt");
    assert_eq!((report.changes, report.ratings, report.differing), (30, 5, 0));
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
    let report = rebuild(&pool, RebuildConfig::default()).await.expect("rebuilt");
    assert_eq!(report.differing, 1);
    assert_eq!(everything(&pool).await, before);
    // Games go on from there.
    let next = Game { ended_at_ms: NOON_MS + 400 * DAY_MS, ..Game::new(players[0], players[1]) };
    next.end(&pool, GameResult::Draw).await.expect("rated");
    assert_eq!(rebuild(&pool, RebuildConfig::default()).await.expect("rebuilt").differing, 0);
}

#[tokio::test]
async fn lost_tables_come_back_whole() {
    let (pool, _, _) = played().await;
    let before = everything(&pool).await;
    sqlx::query("truncate ratings, rating_history, rating_pools")
        .execute(&pool)
        .await
        .expect("the database lets us");
    let report = rebuild(&pool, RebuildConfig::default()).await.expect("rebuilt");
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
    let error = rebuild(&pool, RebuildConfig::default()).await.expect_err("the log is damaged");
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
    let error = rebuild(&pool, RebuildConfig::default()).await.expect_err("the log is damaged");
    let expected = Difference::Sequence { pool: "3+2", expected: 12, found: 13 };
    assert!(matches!(&error, RebuildError::Difference(found) if *found == expected), "{error}");
}

/// The indexes of the history, as Postgres describes them.
async fn indexes(pool: &PgPool) -> Vec<String> {
    let found = sqlx::query_scalar(
        "select indexdef from pg_indexes where tablename = 'rating_history' order by indexname",
    );
    found.fetch_all(pool).await.expect("the database answers")
}

#[tokio::test]
async fn the_history_has_the_same_indexes_after_a_rebuild() {
    let (pool, _, _) = played().await;
    let before = indexes(&pool).await;
    assert_eq!(before.len(), 4);
    rebuild(&pool, RebuildConfig::default()).await.expect("rebuilt");
    assert_eq!(indexes(&pool).await, before);
}

#[tokio::test]
async fn a_rebuild_with_hardly_any_memory_gives_the_same_bits() {
    // RATING-4: the streams' order is turned round, so that nearly every change has to wait for its turn.
    let pool = database().await;
    let players: Vec<Uuid> = (0..5).map(|_| Uuid::now_v7()).collect();
    for n in 0..2_500_u128 {
        let game = Game {
            game_id: Uuid::from_u128(u128::MAX - n),
            ended_at_ms: NOON_MS + n as i64 * DAY_MS / 50,
            ..Game::new(players[n as usize % 5], players[(n as usize + 1 + n as usize % 4) % 5])
        };
        game.end(&pool, GameResult::WhiteWins).await.expect("rated");
    }
    let before = everything(&pool).await;
    let report = rebuild(&pool, RebuildConfig { waiting_max: 10 }).await.expect("rebuilt");
    assert_eq!((report.changes, report.differing), (2_500, 0));
    assert_eq!(everything(&pool).await, before);
}
