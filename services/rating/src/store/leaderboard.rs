//! The leaderboard of a pool: its listed players by rating, the best first, players of one rating by their ids.

use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

use super::ratings::RatingRow;

const BELOW: &str = include_str!("queries/leaderboard_below.sql");
const ABOVE: &str = include_str!("queries/leaderboard_above.sql");
const OWN: &str = include_str!("queries/leaderboard_own.sql");
const COUNTS: &str = include_str!("queries/leaderboard_counts.sql");

/// A place between two lines of a leaderboard, or on one. It means the same whatever happens to the lines around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mark {
    /// The rating there.
    pub rating: f64,
    /// The player there.
    pub player_id: Uuid,
}

impl Mark {
    /// Above everybody.
    pub const TOP: Self = Self { rating: f64::INFINITY, player_id: Uuid::nil() };
}

/// Which leaderboard, and when: who is listed depends on the time.
#[derive(Debug, Clone, Copy)]
pub struct Board<'a> {
    /// Name of the pool.
    pub pool: &'a str,
    /// Since the Unix epoch.
    pub now_ms: i64,
}

/// A listed player.
#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
pub struct Line {
    /// Where he stands.
    #[sqlx(flatten)]
    pub row: RatingRow,
    /// His name; empty if no game has told it.
    pub name: String,
}

impl Line {
    /// His own place.
    #[must_use]
    pub fn mark(&self) -> Mark {
        Mark { rating: self.row.rating, player_id: self.row.player_id }
    }
}

/// How many are listed, on either side of a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub struct Counts {
    /// Above the mark.
    pub above: i64,
    /// Of a lower rating than the mark's.
    pub lower: i64,
    /// In all.
    pub listed: i64,
}

/// The lines below a mark, the best first.
pub async fn below(
    executor: impl PgExecutor<'_>,
    board: Board<'_>,
    mark: Mark,
    limit: i64,
) -> Result<Vec<Line>, sqlx::Error> {
    sqlx::query_as(BELOW)
        .bind(board.pool)
        .bind(board.now_ms)
        .bind(mark.rating)
        .bind(mark.player_id)
        .bind(limit)
        .fetch_all(executor)
        .await
}

/// The lines directly above a mark, the best first.
pub async fn above(
    executor: impl PgExecutor<'_>,
    board: Board<'_>,
    mark: Mark,
    limit: i64,
) -> Result<Vec<Line>, sqlx::Error> {
    let mut lines: Vec<Line> = sqlx::query_as(ABOVE)
        .bind(board.pool)
        .bind(board.now_ms)
        .bind(mark.rating)
        .bind(mark.player_id)
        .bind(limit)
        .fetch_all(executor)
        .await?;
    lines.reverse();
    Ok(lines)
}

/// A player's own line, if he is listed.
pub async fn own(
    conn: &mut PgConnection,
    board: Board<'_>,
    player_id: Uuid,
) -> Result<Option<Line>, sqlx::Error> {
    sqlx::query_as(OWN).bind(board.pool).bind(board.now_ms).bind(player_id).fetch_optional(conn).await
}

/// How many are listed around a mark.
pub async fn counts(conn: &mut PgConnection, board: Board<'_>, mark: Mark) -> Result<Counts, sqlx::Error> {
    sqlx::query_as(COUNTS)
        .bind(board.pool)
        .bind(board.now_ms)
        .bind(mark.rating)
        .bind(mark.player_id)
        .fetch_one(conn)
        .await
}
