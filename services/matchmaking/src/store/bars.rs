//! Players whom fair play keeps from staked queues.

use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

/// Keeps a player out.
pub async fn put(conn: &mut PgConnection, player_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("insert into barred_players (player_id) values ($1) on conflict do nothing")
        .bind(player_id)
        .execute(conn)
        .await?;
    Ok(())
}

/// Lets him in again.
pub async fn lift(conn: &mut PgConnection, player_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from barred_players where player_id = $1").bind(player_id).execute(conn).await?;
    Ok(())
}

/// Whether he is kept out.
pub async fn is_barred(executor: impl PgExecutor<'_>, player_id: Uuid) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar("select exists (select from barred_players where player_id = $1)")
        .bind(player_id)
        .fetch_one(executor)
        .await
}
