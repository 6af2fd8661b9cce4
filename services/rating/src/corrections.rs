//! Correcting ratings because of a game: one transaction from the question whether it may be to the event.

use event_bus::CommitSignal;
use event_store::Metadata;
use sqlx::{PgConnection, PgPool};

use crate::app::correction::{Adjustment, Correction, CorrectionKind, MadeCorrection, Ruling};
use crate::app::ended_game::{GameId, PlayerId};
use crate::app::game_record::{GameRecord, Refusal};
use crate::store::book::{self, BookError};
use crate::store::record::{self, RecordError, RequestKey};

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Wish {
    /// Take the game back.
    Void,
    /// Give one player points, or take some.
    Adjust {
        /// Whom.
        player: PlayerId,
        /// How many.
        points: f64,
    },
}

/// Why nothing was corrected.
#[derive(Debug, thiserror::Error)]
pub enum CorrectError {
    /// A rule is against it.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The game was not rated.
    #[error("the game was not rated")]
    NotRated,
    /// The request id was used for something else.
    #[error("the request was made before, with another body")]
    RequestReused,
    /// The game's stream cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The database or the log did not take it.
    #[error(transparent)]
    Book(#[from] BookError),
}

impl From<sqlx::Error> for CorrectError {
    fn from(error: sqlx::Error) -> Self {
        Self::Book(BookError::Store(error))
    }
}

/// Corrects, or answers what the same request came to before (`RATING-7`).
///
/// # Errors
/// See [`CorrectError`].
pub async fn correct(
    pool: &PgPool,
    signal: &CommitSignal,
    game_id: GameId,
    wish: Wish,
    ruling: Ruling,
) -> Result<MadeCorrection, CorrectError> {
    let mut tx = pool.begin().await?;
    let made = correct_in(&mut tx, game_id, wish, ruling).await?;
    tx.commit().await?;
    signal.committed();
    Ok(made)
}

/// Corrects in the caller's transaction.
pub(crate) async fn correct_in(
    conn: &mut PgConnection,
    game_id: GameId,
    wish: Wish,
    ruling: Ruling,
) -> Result<MadeCorrection, CorrectError> {
    let request = RequestKey { actor_id: ruling.actor_id, request_id: ruling.request_id };
    match record::game_of_request(conn, request).await? {
        Some(former) if former != game_id.0 => return Err(CorrectError::RequestReused),
        Some(_) | None => {}
    }
    let found = record::load(conn, game_id.0).await?.ok_or(CorrectError::NotRated)?;
    let (rating_pool, players) = (found.rated().game.pool(), found.rated().game.players());
    let players = [players.white, players.black];
    let book = book::open_for_correction(conn, rating_pool, &players).await?;
    // Once more, now that nobody else corrects in this pool.
    let current = record::load(conn, game_id.0).await?.ok_or(CorrectError::NotRated)?;
    if let Some(made) = current.of_request(ruling.actor_id, ruling.request_id) {
        return if is_same(made, wish, &ruling) {
            Ok(made.clone())
        } else {
            Err(CorrectError::RequestReused)
        };
    }
    if !record::note_request(conn, request, game_id.0).await? {
        return Err(CorrectError::RequestReused);
    }
    let (kind, adjustments) = decide(&current, wish)?;
    let head = i64::try_from(current.version()).expect("a stream is shorter than that");
    let metadata = Metadata::for_request(ruling.actor_id.to_string(), ruling.request_id);
    let correction = Correction { game_id, pool: rating_pool, kind, adjustments, ruling };
    Ok(book::correct(conn, book, correction, head, metadata).await?)
}

fn decide(record: &GameRecord, wish: Wish) -> Result<(CorrectionKind, Vec<Adjustment>), Refusal> {
    match wish {
        Wish::Void => Ok((CorrectionKind::Voided, record.void()?)),
        Wish::Adjust { player, points } => Ok((CorrectionKind::Adjusted, record.adjust(player, points)?)),
    }
}

/// Whether a request that came to `made` was this one.
fn is_same(made: &MadeCorrection, wish: Wish, ruling: &Ruling) -> bool {
    let correction = &made.correction;
    let is_same_wish = match (wish, correction.kind, correction.adjustments.as_slice()) {
        (Wish::Void, CorrectionKind::Voided, _) => true,
        (Wish::Adjust { player, points }, CorrectionKind::Adjusted, [one]) => {
            one.player == player && one.points.to_bits() == points.to_bits()
        }
        _ => false,
    };
    is_same_wish && correction.ruling.reason == ruling.reason
}
