//! Who is kept from staked queues: by fair play until a person has decided, and by himself.

use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

const BAR: &str = "insert into barred_players (player_id) values ($1) on conflict do nothing";
const LIFT: &str = "delete from barred_players where player_id = $1";
/// An exclusion is never shortened; one without an end is the longest.
const EXCLUDE: &str = "insert into excluded_players as e (player_id, until_at) values ($1, $2)
    on conflict (player_id) do update
    set until_at = case when e.until_at is null or excluded.until_at is null then null
                        else greatest(e.until_at, excluded.until_at) end";
const KEPT_OUT: &str = include_str!("queries/kept_out.sql");

/// Who keeps a player out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptOut {
    /// Fair play, until a person has decided.
    Barred,
    /// He himself.
    Excluded,
}

/// Keeps a player out.
pub async fn put(conn: &mut PgConnection, player_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query(BAR).bind(player_id).execute(conn).await?;
    Ok(())
}

/// Lets him in again.
pub async fn lift(conn: &mut PgConnection, player_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query(LIFT).bind(player_id).execute(conn).await?;
    Ok(())
}

/// Keeps a player out as he has asked, until then, or for ever.
pub async fn exclude(
    conn: &mut PgConnection,
    player_id: Uuid,
    until_at: Option<OffsetDateTime>,
) -> Result<(), sqlx::Error> {
    sqlx::query(EXCLUDE).bind(player_id).bind(until_at).execute(conn).await?;
    Ok(())
}

/// Those among some players who are kept out now; of one who is by both, fair play's bar.
pub async fn kept_out(
    executor: impl PgExecutor<'_>,
    players: &[Uuid],
) -> Result<Vec<(Uuid, KeptOut)>, sqlx::Error> {
    let rows: Vec<(Uuid, bool)> = sqlx::query_as(KEPT_OUT).bind(players).fetch_all(executor).await?;
    let by = |is_barred| if is_barred { KeptOut::Barred } else { KeptOut::Excluded };
    Ok(rows.into_iter().map(|(player_id, is_barred)| (player_id, by(is_barred))).collect())
}
