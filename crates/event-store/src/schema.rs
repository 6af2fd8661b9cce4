//! The tables of the store.

use sqlx::PgExecutor;

/// How many months ahead of now have a partition of their own.
pub const PARTITION_MONTHS_AHEAD: i32 = 3;

/// The tables, indexes and functions as one idempotent text of several statements, for `sqlx::raw_sql`.
pub fn schema() -> &'static str {
    include_str!("sql/schema.sql")
}

/// Makes the coming months' partitions and answers how many were missing. The relay calls it from time to time, so that a
/// process which runs for months needs no restart.
pub async fn make_partitions(executor: impl PgExecutor<'_>) -> Result<i32, sqlx::Error> {
    sqlx::query_scalar("select event_store_make_partitions($1)")
        .bind(PARTITION_MONTHS_AHEAD)
        .fetch_one(executor)
        .await
}
