//! The events of this service as the bytes that stand in the log, and back.

mod correction;
mod game;
mod record;
#[cfg(test)]
mod tests;

use event_store::RecordedEvent;
use uuid::Uuid;

use crate::app::book::Change;

/// The stable name of the event of a rated game.
pub const RATINGS_CHANGED: &str = "RatingsChanged";
/// The stable name of the event of a correction.
pub const RATING_CORRECTED: &str = "RatingCorrected";
/// The version of their data.
pub const SCHEMA: i16 = 1;

pub use correction::message as correction_message;

/// An event of the log is not one of ours, or is damaged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("event {kind} (schema {schema}) of stream {stream_id}: {reason}")]
pub struct CodecError {
    /// Its name.
    pub kind: String,
    /// The version of its data.
    pub schema: i16,
    /// Its stream: the game.
    pub stream_id: Uuid,
    /// What is wrong with it.
    pub reason: String,
}

/// The name of a change's event.
#[must_use]
pub fn kind(change: &Change) -> &'static str {
    match change {
        Change::Game(_) => RATINGS_CHANGED,
        Change::Correction(_) => RATING_CORRECTED,
    }
}

/// Writes a change.
#[must_use]
pub fn write(change: &Change) -> Vec<u8> {
    match change {
        Change::Game(rated) => game::write(rated),
        Change::Correction(made) => correction::write(made),
    }
}

/// Reads a change. When a player's former game ended is not in the event, so it is nothing in the standings.
///
/// # Errors
/// Names the event and what is wrong with it.
pub fn read(event: &RecordedEvent) -> Result<Change, CodecError> {
    read_parts(event.stream_id, &event.kind, event.schema, &event.data)
}

/// The same, of the parts that matter.
pub(super) fn read_parts(
    stream_id: Uuid,
    kind: &str,
    schema: i16,
    data: &[u8],
) -> Result<Change, CodecError> {
    let error = |reason: String| CodecError { kind: kind.to_owned(), schema, stream_id, reason };
    let change = parse(kind, schema, data).map_err(|reason| error(reason.0))?;
    if change.game_id().0 == stream_id {
        Ok(change)
    } else {
        Err(error("it speaks of another game than its stream's".to_owned()))
    }
}

/// What is wrong with an event, in words.
struct Reason(String);

impl<E: std::error::Error> From<E> for Reason {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

fn parse(kind: &str, schema: i16, data: &[u8]) -> Result<Change, Reason> {
    match (kind, schema) {
        (RATINGS_CHANGED, SCHEMA) => game::read(data).map(Change::Game),
        (RATING_CORRECTED, SCHEMA) => correction::read(data).map(Change::Correction),
        _ => Err(Reason("unknown event or schema".to_owned())),
    }
}
