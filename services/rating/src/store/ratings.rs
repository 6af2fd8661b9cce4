//! The ratings as they stand.

use domain_glicko::{Pair, Pool, Rating, RawRating};
use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

use crate::app::ended_game::PlayerId;
use crate::app::rate_game::Standing;

const NEXT_SEQUENCE: &str = include_str!("queries/next_sequence.sql");
const LOCK: &str = include_str!("queries/lock_ratings.sql");
const WRITE: &str = include_str!("queries/write_rating.sql");
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
    pub fn new(player: PlayerId, pool: &str, standing: &Standing) -> Self {
        let raw = standing.rating.raw();
        Self {
            player_id: player.0,
            pool: pool.to_owned(),
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
    /// When somebody wrote numbers that no update gives.
    pub fn standing(&self) -> Result<Standing, sqlx::Error> {
        let rating = Rating::new(RawRating {
            rating: self.rating,
            deviation: self.deviation,
            volatility: self.volatility,
        })
        .map_err(|error| decode_error("rating", error))?;
        let games = u32::try_from(self.games).map_err(|error| decode_error("games", error))?;
        Ok(Standing { rating, games, last_game_at_ms: Some(self.last_game_at_ms) })
    }
}

/// Draws the next number of a pool. Until the end of the transaction nobody else draws one there, so the numbers have no
/// gaps and are the order in which the ratings were computed (`RATING-4`).
pub async fn next_sequence(conn: &mut PgConnection, pool: Pool) -> Result<u64, sqlx::Error> {
    let sequence: i64 = sqlx::query_scalar(NEXT_SEQUENCE).bind(pool.id).fetch_one(conn).await?;
    u64::try_from(sequence).map_err(|error| decode_error("last_sequence", error))
}

/// Locks both players' rows in the order of their ids and answers their standings; the starting one for whom there is none.
pub async fn lock(
    conn: &mut PgConnection,
    pool: Pool,
    players: Pair<PlayerId>,
) -> Result<Pair<Standing>, sqlx::Error> {
    let rows: Vec<RatingRow> =
        sqlx::query_as(LOCK).bind(pool.id).bind([players.white.0, players.black.0]).fetch_all(conn).await?;
    let standing = |player: PlayerId| {
        rows.iter().find(|row| row.player_id == player.0).map_or(Ok(Standing::FRESH), RatingRow::standing)
    };
    Ok(Pair { white: standing(players.white)?, black: standing(players.black)? })
}

/// Writes where a player stands now.
pub async fn write(conn: &mut PgConnection, row: &RatingRow) -> Result<(), sqlx::Error> {
    sqlx::query(WRITE)
        .bind(row.player_id)
        .bind(&row.pool)
        .bind(row.rating)
        .bind(row.deviation)
        .bind(row.volatility)
        .bind(row.games)
        .bind(row.last_game_at_ms)
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

fn decode_error(column: &str, error: impl std::error::Error + Send + Sync + 'static) -> sqlx::Error {
    sqlx::Error::ColumnDecode { index: column.to_owned(), source: Box::new(error) }
}
