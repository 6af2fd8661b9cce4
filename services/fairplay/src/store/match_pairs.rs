//! Which pair's day a match belongs to.

use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

/// The first word about a match is kept: its pair's day, or nothing if it was given up before it was proposed. The row is
/// locked until the transaction ends.
pub async fn assign(
    conn: &mut PgConnection,
    match_id: Uuid,
    pair_stream_id: Option<Uuid>,
) -> Result<Option<Uuid>, sqlx::Error> {
    sqlx::query_scalar(include_str!("queries/assign_match.sql"))
        .bind(match_id)
        .bind(pair_stream_id)
        .fetch_one(conn)
        .await
}

/// What was kept about a match, if anything.
pub async fn find(
    executor: impl PgExecutor<'_>,
    match_id: Uuid,
) -> Result<Option<Option<Uuid>>, sqlx::Error> {
    sqlx::query_scalar("select pair_stream_id from match_pairs where match_id = $1")
        .bind(match_id)
        .fetch_optional(executor)
        .await
}
