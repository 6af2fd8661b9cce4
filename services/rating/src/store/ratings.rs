//! Where the players stand.

use domain_glicko::{Pool, PoolRating, RawRating};
use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

use crate::app::ended_game::PlayerId;
use crate::app::rate_game::Standing;

const DRAW_SEQUENCES: &str = include_str!("queries/draw_sequences.sql");
const LOCK: &str = include_str!("queries/lock_ratings.sql");
const WRITE: &str = include_str!("queries/write_ratings.sql");
const OF_PLAYER: &str = include_str!("queries/ratings_of_player.sql");

/// A row of the table.
#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
pub struct RatingRow {
    /// Whose.
    pub player_id: Uuid,
    /// In which pool.
    pub pool: String,
    /// As in [`Standing`].
    pub rating: f64,
    /// As in [`Standing`].
    pub deviation: f64,
    /// As in [`Standing`].
    pub volatility: f64,
    /// As in [`Standing`].
    pub games: i32,
    /// As in [`Standing`].
    pub last_game_at_ms: i64,
}

impl RatingRow {
    /// The row of a standing.
    #[must_use]
    pub fn new(player: PlayerId, pool: Pool, standing: &Standing) -> Self {
        let raw = standing.rating.raw();
        Self {
            player_id: player.0,
            pool: pool.id.to_owned(),
            rating: raw.rating,
            deviation: raw.deviation,
            volatility: raw.volatility,
            games: i32::try_from(standing.games).unwrap_or(i32::MAX),
            last_game_at_ms: standing.last_game_at_ms.unwrap_or_default(),
        }
    }

    /// The standing of a row.
    ///
    /// # Errors
    /// When somebody wrote numbers that no update in this pool gives.
    pub fn standing(&self, pool: Pool) -> Result<Standing, sqlx::Error> {
        let raw = [self.rating, self.deviation, self.volatility];
        let games = u32::try_from(self.games).map_err(|error| decode_error("games", error))?;
        Ok(Standing { rating: rating(pool, raw)?, games, last_game_at_ms: Some(self.last_game_at_ms) })
    }
}

/// The rating of three columns.
///
/// # Errors
/// When somebody wrote numbers that no update in this pool gives.
pub(super) fn rating(
    pool: Pool,
    [rating, deviation, volatility]: [f64; 3],
) -> Result<PoolRating, sqlx::Error> {
    PoolRating::new(pool, RawRating { rating, deviation, volatility })
        .map_err(|error| decode_error("rating", error))
}

/// Draws the next numbers of a pool, and answers the one before them. Until the end of the transaction nobody else draws one there,
/// so the numbers have no gaps and are the order in which the ratings were computed (`RATING-4`).
pub async fn draw_sequences(conn: &mut PgConnection, pool: Pool, numbers: usize) -> Result<u64, sqlx::Error> {
    let numbers = i64::try_from(numbers).map_err(|error| decode_error("last_sequence", error))?;
    let before: i64 = sqlx::query_scalar(DRAW_SEQUENCES).bind(pool.id).bind(numbers).fetch_one(conn).await?;
    u64::try_from(before).map_err(|error| decode_error("last_sequence", error))
}

/// Locks the players' rows in the order of their ids and answers them; none for whom has none.
pub async fn lock(
    conn: &mut PgConnection,
    pool: Pool,
    players: &[PlayerId],
) -> Result<Vec<RatingRow>, sqlx::Error> {
    let players: Vec<Uuid> = players.iter().map(|player| player.0).collect();
    sqlx::query_as(LOCK).bind(pool.id).bind(players).fetch_all(conn).await
}

/// Writes where players stand now, each column as an array.
pub async fn write(conn: &mut PgConnection, rows: &[RatingRow]) -> Result<(), sqlx::Error> {
    fn column<T>(rows: &[RatingRow], of: impl Fn(&RatingRow) -> T) -> Vec<T> {
        rows.iter().map(of).collect()
    }
    sqlx::query(WRITE)
        .bind(column(rows, |row| row.player_id))
        .bind(column(rows, |row| row.pool.clone()))
        .bind(column(rows, |row| row.rating))
        .bind(column(rows, |row| row.deviation))
        .bind(column(rows, |row| row.volatility))
        .bind(column(rows, |row| row.games))
        .bind(column(rows, |row| row.last_game_at_ms))
        .execute(conn)
        .await?;
    Ok(())
}

/// All ratings of a player; as many as there are pools at most.
pub async fn of_player(
    executor: impl PgExecutor<'_>,
    player_id: Uuid,
) -> Result<Vec<RatingRow>, sqlx::Error> {
    sqlx::query_as(OF_PLAYER).bind(player_id).fetch_all(executor).await
}

pub(super) fn decode_error(
    column: &str,
    error: impl std::error::Error + Send + Sync + 'static,
) -> sqlx::Error {
    sqlx::Error::ColumnDecode { index: column.to_owned(), source: Box::new(error) }
}
