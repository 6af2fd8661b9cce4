//! What ratings would be if a game had never counted (`RATING-8`).

use sqlx::{PgConnection, PgPool};

use crate::app::ended_game::GameId;
use crate::app::recomputation::{Changed, Recomputation};
use crate::store::record::{self, RecordError};
use crate::store::steps;

/// Changes that are followed for a preview, at most.
pub const PREVIEW_CHANGES_MAX: u64 = 100_000;

const READ_ONLY: &str = "begin isolation level repeatable read read only";

/// What would be.
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
    /// Name of the game's pool.
    pub pool: domain_glicko::Pool,
    /// Everybody whose rating would be another one, the largest differences first.
    pub changed: Vec<Changed>,
    /// Games that were computed anew.
    pub games_recomputed: u64,
}

/// Why there is no preview.
#[derive(Debug, thiserror::Error)]
pub enum PreviewError {
    /// The game was not rated.
    #[error("the game was not rated")]
    NotRated,
    /// Too much has been played since.
    #[error("{changes} changes followed, at most {PREVIEW_CHANGES_MAX} are recomputed")]
    TooLong {
        /// Changes since.
        changes: u64,
    },
    /// The game's stream cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The database did not answer.
    #[error(transparent)]
    Store(#[from] sqlx::Error),
}

/// Follows everything that was played since the game, without it, on one view of the data. Nothing is written.
///
/// # Errors
/// See [`PreviewError`].
pub async fn preview(pool: &PgPool, game_id: GameId) -> Result<Preview, PreviewError> {
    let mut tx = pool.begin_with(READ_ONLY).await?;
    let preview = preview_in(&mut tx, game_id).await?;
    tx.rollback().await?;
    Ok(preview)
}

async fn preview_in(conn: &mut PgConnection, game_id: GameId) -> Result<Preview, PreviewError> {
    let record = record::load(conn, game_id.0).await?.ok_or(PreviewError::NotRated)?;
    let (rating_pool, first) = (record.rated().game.pool(), record.rated().sequence);
    let last = steps::last_sequence(conn, rating_pool).await?;
    let changes = last.saturating_sub(first);
    if changes > PREVIEW_CHANGES_MAX {
        return Err(PreviewError::TooLong { changes });
    }
    let mut recomputation = None;
    let mut from = first;
    while from <= last {
        for step in &steps::page(conn, rating_pool, from).await? {
            match &mut recomputation {
                None => recomputation = Some(Recomputation::without(step)),
                Some(recomputation) => recomputation.follow(step),
            }
        }
        from += steps::STEPS_PAGE;
    }
    let recomputation = recomputation.ok_or(PreviewError::NotRated)?;
    let (changed, games_recomputed) = (recomputation.changed(), recomputation.games());
    Ok(Preview { pool: rating_pool, changed, games_recomputed })
}
