//! The projection of the pairs' days.

use domain_fairplay::pairs::{PairDayKey, PersonId, UtcDay, pair_day_key};
use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

/// Makes the row of a pair's day if it is missing.
pub async fn ensure(conn: &mut PgConnection, stream_id: Uuid, key: &PairDayKey) -> Result<(), sqlx::Error> {
    sqlx::query(include_str!("queries/ensure_pair_day.sql"))
        .bind(stream_id)
        .bind(Uuid::from_u128(key.lower().0))
        .bind(Uuid::from_u128(key.higher().0))
        .bind(day_number(key))
        .execute(conn)
        .await?;
    Ok(())
}

/// Locks a pair's day until the transaction ends.
pub async fn lock(conn: &mut PgConnection, stream_id: Uuid) -> Result<PairDayKey, sqlx::Error> {
    let (first, second, day): (Uuid, Uuid, i32) =
        sqlx::query_as(include_str!("queries/lock_pair_day.sql")).bind(stream_id).fetch_one(conn).await?;
    let key = pair_day_key(PersonId(first.as_u128()), PersonId(second.as_u128()), UtcDay(day.into()));
    Ok(key.expect("the table holds two different players"))
}

/// Follows the log.
pub async fn set_slots(
    conn: &mut PgConnection,
    stream_id: Uuid,
    slots_taken: usize,
) -> Result<(), sqlx::Error> {
    sqlx::query("update pair_days set slots_taken = $2 where stream_id = $1")
        .bind(stream_id)
        .bind(i16::try_from(slots_taken).unwrap_or(i16::MAX))
        .execute(conn)
        .await?;
    Ok(())
}

/// Places taken on a pair's day.
pub async fn slots_taken(executor: impl PgExecutor<'_>, stream_id: Uuid) -> Result<u32, sqlx::Error> {
    let taken: Option<i16> = sqlx::query_scalar("select slots_taken from pair_days where stream_id = $1")
        .bind(stream_id)
        .fetch_optional(executor)
        .await?;
    Ok(taken.map_or(0, |taken| taken.unsigned_abs().into()))
}

/// Places that two persons hold on a day under other names than that of this stream.
pub async fn taken_elsewhere(
    executor: impl PgExecutor<'_>,
    stream_id: Uuid,
    day: UtcDay,
    accounts: [&[Uuid]; 2],
) -> Result<u32, sqlx::Error> {
    let taken: Option<i64> = sqlx::query_scalar(include_str!("queries/taken_elsewhere.sql"))
        .bind(i32::try_from(day.0).unwrap_or(i32::MAX))
        .bind(stream_id)
        .bind(accounts[0])
        .bind(accounts[1])
        .fetch_one(executor)
        .await?;
    Ok(taken.map_or(0, |taken| u32::try_from(taken).unwrap_or(u32::MAX)))
}

/// The day as it is stored and sent.
#[must_use]
pub fn day_number(key: &PairDayKey) -> i32 {
    i32::try_from(key.day().0).expect("a proposal with a day beyond it is refused")
}
