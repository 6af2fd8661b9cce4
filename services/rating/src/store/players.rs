//! The players' names, as the games told them.

use std::collections::BTreeMap;

use sqlx::PgConnection;
use uuid::Uuid;

const NOTE: &str = include_str!("queries/note_players.sql");

/// Notes names, in the order of the ids, so that two transactions do not wait for each other crosswise.
pub async fn note(conn: &mut PgConnection, names: &BTreeMap<Uuid, String>) -> Result<(), sqlx::Error> {
    if names.is_empty() {
        return Ok(());
    }
    let ids: Vec<Uuid> = names.keys().copied().collect();
    let names: Vec<&str> = names.values().map(String::as_str).collect();
    sqlx::query(NOTE).bind(ids).bind(names).execute(conn).await?;
    Ok(())
}
