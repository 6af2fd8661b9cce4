//! All ratings once more, from the log (`RATING-4`).

use sqlx::PgPool;

use crate::app::rebuild::{Difference, replay};
use crate::store::projection::{self, ReadError};

/// What a rebuild has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RebuildReport {
    /// Games that were played through.
    pub games: u64,
    /// Ratings that came out, one a player and pool.
    pub ratings: u64,
    /// How many of them had been stored otherwise, or not, or should not have been stored; none when all was well.
    pub differing: u64,
}

/// Why nothing was rebuilt. The stored ratings are as they were.
#[derive(Debug, thiserror::Error)]
pub enum RebuildError {
    /// The log does not give what it says; somebody has to look at it first.
    #[error(transparent)]
    Difference(#[from] Difference),
    /// The log could not be read.
    #[error(transparent)]
    Log(#[from] ReadError),
    /// The database did not do it.
    #[error(transparent)]
    Store(#[from] sqlx::Error),
}

/// Computes every rating from the games of the log, in the order in which they were rated, checks each recorded number to
/// the last bit and replaces ratings and history by what comes out. Games that end meanwhile wait, and are rated on it.
///
/// # Errors
/// See [`RebuildError`].
pub async fn rebuild(pool: &PgPool) -> Result<RebuildReport, RebuildError> {
    let mut tx = pool.begin().await?;
    projection::lock(&mut tx).await?;
    let mut games = projection::read_log(&mut tx).await?;
    let book = replay(&mut games)?;
    let differing = projection::count_differing(&mut tx, &book).await?;
    projection::replace(&mut tx, &book, &games).await?;
    tx.commit().await?;
    Ok(RebuildReport { games: games.len() as u64, ratings: book.standings().count() as u64, differing })
}
