//! Running games that are not of a city. What they count in is said when they start, and needed when they end; the others, which
//! are nearly all, need no row.

use domain_glicko::Pool;
use sqlx::PgConnection;
use uuid::Uuid;

const NOTE: &str = include_str!("queries/note_game_apart.sql");
const FIND: &str = "select game_id, pool from games_apart where game_id = any ($1::uuid[])";
const FORGET: &str = "delete from games_apart where game_id = any ($1::uuid[])";

/// A game that is not of a city, and the pool it counts in, if any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameApart {
    /// Which game.
    pub game_id: Uuid,
    /// Where it counts.
    pub pool: Option<Pool>,
}

/// Notes games that started.
pub async fn note(conn: &mut PgConnection, games: &[GameApart]) -> Result<(), sqlx::Error> {
    if games.is_empty() {
        return Ok(());
    }
    let ids: Vec<Uuid> = games.iter().map(|game| game.game_id).collect();
    let pools: Vec<Option<&str>> = games.iter().map(|game| game.pool.map(|pool| pool.id)).collect();
    sqlx::query(NOTE).bind(ids).bind(pools).execute(conn).await?;
    Ok(())
}

/// Those of the games that were noted.
pub async fn find(conn: &mut PgConnection, games: &[Uuid]) -> Result<Vec<GameApart>, sqlx::Error> {
    if games.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<(Uuid, Option<String>)> = sqlx::query_as(FIND).bind(games).fetch_all(conn).await?;
    Ok(rows
        .into_iter()
        .map(|(game_id, pool)| GameApart { game_id, pool: pool.and_then(|name| Pool::find(&name)) })
        .collect())
}

/// Forgets games that are over.
pub async fn forget(conn: &mut PgConnection, games: &[Uuid]) -> Result<(), sqlx::Error> {
    if games.is_empty() {
        return Ok(());
    }
    sqlx::query(FORGET).bind(games).execute(conn).await?;
    Ok(())
}
