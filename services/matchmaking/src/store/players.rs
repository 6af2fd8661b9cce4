//! What pairing needs to know of a player, from the events of the other services.

use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

/// A player as pairing sees him.
#[derive(Debug, Clone, PartialEq)]
pub struct PlayerRecord {
    /// His rating in the queue's pool; the starting rating when he has not played.
    pub rating: f64,
    /// Games with White less games with Black.
    pub color_balance: i32,
    /// Whom he played last.
    pub last_opponent_id: Option<Uuid>,
    /// When that game ended, in milliseconds since the Unix epoch.
    pub last_ended_at_ms: Option<i64>,
    /// Whom he may not meet again today.
    pub exhausted: Vec<Uuid>,
    /// What he can stake in the queue's currency; absent when the wallet has not said yet.
    pub available: Option<i64>,
}

/// Which record to read.
#[derive(Debug, Clone, Copy)]
pub struct RecordKey<'a> {
    /// The player.
    pub player_id: Uuid,
    /// The rating pool of the queue.
    pub pool: &'a str,
    /// The currency of the stake.
    pub currency: &'a str,
    /// The UTC day, as days since the Unix epoch.
    pub day: i32,
    /// The rating of those who have none.
    pub starting_rating: f64,
}

/// Reads a player's record.
pub async fn record(executor: impl PgExecutor<'_>, key: RecordKey<'_>) -> Result<PlayerRecord, sqlx::Error> {
    let row: Row = sqlx::query_as(include_str!("queries/player_record.sql"))
        .bind(key.player_id)
        .bind(key.pool)
        .bind(key.currency)
        .bind(key.day)
        .fetch_one(executor)
        .await?;
    Ok(PlayerRecord {
        rating: row.rating.unwrap_or(key.starting_rating),
        color_balance: row.color_balance.unwrap_or(0),
        last_opponent_id: row.last_opponent_id,
        last_ended_at_ms: row.last_ended_at_ms,
        exhausted: row.exhausted,
        available: row.available,
    })
}

/// A player's rating after a change.
#[derive(Debug, Clone, Copy)]
pub struct RatingNow<'a> {
    /// The player.
    pub player_id: Uuid,
    /// The pool.
    pub pool: &'a str,
    /// The rating.
    pub rating: f64,
    /// The number of the change in its pool: a redelivery must not put an older rating over a newer one.
    pub pool_sequence: i64,
}

/// Keeps a player's rating in a pool, unless a later one is known.
pub async fn put_rating(conn: &mut PgConnection, now: RatingNow<'_>) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into player_ratings (player_id, pool, rating, pool_sequence) values ($1, $2, $3, $4)
         on conflict (player_id, pool) do update
             set rating = excluded.rating, pool_sequence = excluded.pool_sequence
             where player_ratings.pool_sequence <= excluded.pool_sequence",
    )
    .bind(now.player_id)
    .bind(now.pool)
    .bind(now.rating)
    .bind(now.pool_sequence)
    .execute(conn)
    .await?;
    Ok(())
}

/// What a player could stake at some time.
#[derive(Debug, Clone, Copy)]
pub struct BalanceNow<'a> {
    /// The player.
    pub player_id: Uuid,
    /// The currency.
    pub currency: &'a str,
    /// The amount, in minor units.
    pub available: i64,
    /// When the wallet wrote it down. It comes in streams of accounts and of matches, which overtake each other.
    pub as_of: OffsetDateTime,
}

/// Keeps what a player can stake, unless something later is known.
pub async fn put_balance(conn: &mut PgConnection, now: BalanceNow<'_>) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into player_balances (player_id, currency, available, as_of) values ($1, $2, $3, $4)
         on conflict (player_id, currency) do update
             set available = excluded.available, as_of = excluded.as_of
             where player_balances.as_of <= excluded.as_of",
    )
    .bind(now.player_id)
    .bind(now.currency)
    .bind(now.available)
    .bind(now.as_of)
    .execute(conn)
    .await?;
    Ok(())
}

/// A finished game, seen from one of its players.
#[derive(Debug, Clone, Copy)]
pub struct FinishedGame {
    /// The player.
    pub player_id: Uuid,
    /// His opponent.
    pub opponent_id: Uuid,
    /// 1 for White, -1 for Black.
    pub color_change: i32,
    /// When it ended, in milliseconds since the Unix epoch.
    pub ended_at_ms: i64,
}

/// Counts a finished game.
pub async fn put_game(conn: &mut PgConnection, game: FinishedGame) -> Result<(), sqlx::Error> {
    sqlx::query(include_str!("queries/put_game.sql"))
        .bind(game.player_id)
        .bind(game.color_change)
        .bind(game.opponent_id)
        .bind(game.ended_at_ms)
        .execute(conn)
        .await?;
    Ok(())
}

/// Two players and a UTC day.
#[derive(Debug, Clone, Copy)]
pub struct PairDay {
    /// The smaller id.
    pub first_id: Uuid,
    /// The greater id.
    pub second_id: Uuid,
    /// Days since the Unix epoch.
    pub day: i32,
}

/// Notes that a pair has used up its day.
pub async fn exhaust_pair(conn: &mut PgConnection, pair: PairDay) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into exhausted_pairs (first_id, second_id, day) values ($1, $2, $3) on conflict do nothing",
    )
    .bind(pair.first_id)
    .bind(pair.second_id)
    .bind(pair.day)
    .execute(conn)
    .await?;
    Ok(())
}

/// Lets a pair be proposed again: one of its places became free.
pub async fn free_pair(conn: &mut PgConnection, a: Uuid, b: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from exhausted_pairs where first_id = $1 and second_id = $2")
        .bind(a.min(b))
        .bind(a.max(b))
        .execute(conn)
        .await?;
    Ok(())
}

#[derive(sqlx::FromRow)]
struct Row {
    rating: Option<f64>,
    color_balance: Option<i32>,
    last_opponent_id: Option<Uuid>,
    last_ended_at_ms: Option<i64>,
    exhausted: Vec<Uuid>,
    available: Option<i64>,
}
