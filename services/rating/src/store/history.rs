//! What each game did to each of its players.

use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

use crate::app::ended_game::PlayerId;
use crate::app::rate_game::{PlayerChange, RatedGame};

const INSERT: &str = include_str!("queries/insert_history.sql");
const PAGE: &str = include_str!("queries/history_page.sql");

/// A row of the table.
#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
pub struct HistoryRow {
    /// Whose.
    pub player_id: Uuid,
    /// In which pool.
    pub pool: String,
    /// The game's number there.
    pub pool_sequence: i64,
    /// The game.
    pub game_id: Uuid,
    /// Against whom.
    pub opponent_id: Uuid,
    /// The player's points.
    pub score: f64,
    /// As stored at the game before.
    pub rating_before: f64,
    /// As stored at the game before.
    pub deviation_before: f64,
    /// As stored at the game before.
    pub volatility_before: f64,
    /// Rated games before this one.
    pub games_before: i32,
    /// Afterwards.
    pub rating_after: f64,
    /// Afterwards.
    pub deviation_after: f64,
    /// Afterwards.
    pub volatility_after: f64,
    /// When the game ended, since the Unix epoch.
    pub ended_at_ms: i64,
}

/// The two rows of a game.
#[must_use]
pub fn rows(rated: &RatedGame) -> [HistoryRow; 2] {
    let players = rated.game.players();
    let score = rated.game.white_score();
    let white = Seat { player: players.white, opponent: players.black, score: score.points() };
    let black = Seat { player: players.black, opponent: players.white, score: score.reversed().points() };
    [row(rated, &white, &rated.changes.white), row(rated, &black, &rated.changes.black)]
}

/// One side of a game.
struct Seat {
    player: PlayerId,
    opponent: PlayerId,
    score: f64,
}

fn row(rated: &RatedGame, seat: &Seat, change: &PlayerChange) -> HistoryRow {
    let (before, after) = (change.before.rating.raw(), change.after.rating.raw());
    HistoryRow {
        player_id: seat.player.0,
        pool: rated.game.pool().id.to_owned(),
        pool_sequence: i64::try_from(rated.sequence).unwrap_or(i64::MAX),
        game_id: rated.game.game_id().0,
        opponent_id: seat.opponent.0,
        score: seat.score,
        rating_before: before.rating,
        deviation_before: before.deviation,
        volatility_before: before.volatility,
        games_before: i32::try_from(change.before.games).unwrap_or(i32::MAX),
        rating_after: after.rating,
        deviation_after: after.deviation,
        volatility_after: after.volatility,
        ended_at_ms: rated.game.ended_at_ms(),
    }
}

/// Writes rows, each column as an array. A game that a player has already is an error of the database.
pub async fn insert(conn: &mut PgConnection, rows: &[HistoryRow]) -> Result<(), sqlx::Error> {
    fn column<T>(rows: &[HistoryRow], of: impl Fn(&HistoryRow) -> T) -> Vec<T> {
        rows.iter().map(of).collect()
    }
    sqlx::query(INSERT)
        .bind(column(rows, |row| row.player_id))
        .bind(column(rows, |row| row.pool.clone()))
        .bind(column(rows, |row| row.pool_sequence))
        .bind(column(rows, |row| row.game_id))
        .bind(column(rows, |row| row.opponent_id))
        .bind(column(rows, |row| row.score))
        .bind(column(rows, |row| row.rating_before))
        .bind(column(rows, |row| row.deviation_before))
        .bind(column(rows, |row| row.volatility_before))
        .bind(column(rows, |row| row.games_before))
        .bind(column(rows, |row| row.rating_after))
        .bind(column(rows, |row| row.deviation_after))
        .bind(column(rows, |row| row.volatility_after))
        .bind(column(rows, |row| row.ended_at_ms))
        .execute(conn)
        .await?;
    Ok(())
}

/// Which rows a page has.
#[derive(Debug, Clone, Copy)]
pub struct PageOf<'a> {
    /// Whose.
    pub player_id: Uuid,
    /// In which pool.
    pub pool: &'a str,
    /// From before this number.
    pub before: i64,
    /// At most so many.
    pub limit: i64,
}

/// A page of a player's history, newest first.
pub async fn page(executor: impl PgExecutor<'_>, of: PageOf<'_>) -> Result<Vec<HistoryRow>, sqlx::Error> {
    sqlx::query_as(PAGE)
        .bind(of.player_id)
        .bind(of.pool)
        .bind(of.before)
        .bind(of.limit)
        .fetch_all(executor)
        .await
}
