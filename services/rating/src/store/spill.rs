//! Changes that wait for their turn in a rebuild, when they are too many for the memory.

use sqlx::PgConnection;

use super::codec::{self, CodecError};
use super::copy_rows::CopyRows;
use crate::app::book::Change;

const CREATE: &str = "create temp table if not exists spilled_changes (
        pool text not null, pool_sequence bigint not null, game_id uuid not null, kind text not null,
        data bytea not null) on commit drop";
const COPY: &str =
    "copy spilled_changes (pool, pool_sequence, game_id, kind, data) from stdin (format binary)";
const INDEX: &str = "create unique index on spilled_changes (pool, pool_sequence)";
const PAGE: &str = "select pool, pool_sequence, game_id, kind, data from spilled_changes
    where (pool, pool_sequence) > ($1, $2) order by pool, pool_sequence limit $3";
const PAGE_ROWS: i64 = 1_000;

/// The place of a change; also where a page ended.
#[derive(Debug, Clone, Default)]
pub struct SpillPlace {
    pool: String,
    pool_sequence: i64,
}

/// Puts changes aside, into a table that ends with the transaction.
pub async fn put(conn: &mut PgConnection, changes: impl Iterator<Item = Change>) -> Result<(), sqlx::Error> {
    sqlx::query(CREATE).execute(&mut *conn).await?;
    let mut rows = CopyRows::new(COPY, 5);
    for change in changes {
        rows.row()
            .text(change.pool().id)
            .bigint(i64::try_from(change.sequence()).unwrap_or(i64::MAX))
            .uuid(change.game_id().0)
            .text(codec::kind(&change))
            .bytea(&codec::write(&change));
    }
    rows.send(conn).await
}

/// Makes the changes ready to be read in their order.
pub async fn finish(conn: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query(INDEX).execute(conn).await?;
    Ok(())
}

/// Why a page cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SpillError {
    /// The database did not answer.
    #[error(transparent)]
    Store(#[from] sqlx::Error),
    /// What was put aside is damaged.
    #[error(transparent)]
    Codec(#[from] CodecError),
}

/// The next changes, pool after pool in the order of their numbers; empty at the end. Moves the place on.
pub async fn next_page(conn: &mut PgConnection, place: &mut SpillPlace) -> Result<Vec<Change>, SpillError> {
    let rows: Vec<(String, i64, uuid::Uuid, String, Vec<u8>)> = sqlx::query_as(PAGE)
        .bind(&place.pool)
        .bind(place.pool_sequence)
        .bind(PAGE_ROWS)
        .fetch_all(conn)
        .await?;
    if let Some((pool, pool_sequence, ..)) = rows.last() {
        *place = SpillPlace { pool: pool.clone(), pool_sequence: *pool_sequence };
    }
    rows.iter()
        .map(|(_, _, game_id, kind, data)| {
            codec::read_parts(*game_id, kind, codec::SCHEMA, data).map_err(SpillError::from)
        })
        .collect()
}
