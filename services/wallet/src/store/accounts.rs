//! Who has an account.

use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

const INSERT: &str = include_str!("queries/insert_account.sql");
const COUNT: &str = include_str!("queries/count_accounts.sql");

/// Notes that the player has an account.
pub async fn insert(conn: &mut PgConnection, player_id: Uuid, name: &str) -> Result<(), sqlx::Error> {
    sqlx::query(INSERT).bind(player_id).bind(name).execute(conn).await?;
    Ok(())
}

/// Whether all of these players have accounts.
pub async fn all_exist(executor: impl PgExecutor<'_>, player_ids: &[Uuid]) -> Result<bool, sqlx::Error> {
    let known: i64 = sqlx::query_scalar(COUNT).bind(player_ids).fetch_one(executor).await?;
    Ok(usize::try_from(known) == Ok(player_ids.len()))
}
