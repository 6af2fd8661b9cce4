//! The events of matches, games, ratings and accounts, and what they mean for pairs and analyses.
//!
//! One consumer a source. Each handler runs in the transaction of its inbox row, so every message takes effect once.

mod accounts;
mod games;
mod matches;
mod ratings;

use event_bus::{HandleError, Message};
use event_store::Metadata;
use proto::types::v1::Player;
use uuid::Uuid;

pub use accounts::AccountEvents;
pub use games::GameEvents;
pub use matches::MatchEvents;
pub use ratings::RatingEvents;

use crate::SERVICE;
use crate::app::pairs::PairError;
use crate::metrics::CONTRADICTIONS;
use crate::store::ReadError;

impl From<PairError> for HandleError {
    fn from(error: PairError) -> Self {
        match error {
            PairError::SamePerson(_) | PairError::NoSuchDay { .. } => Self::Permanent(error.to_string()),
            PairError::Contradiction(contradiction) => {
                metrics::counter!(CONTRADICTIONS).increment(1);
                Self::Permanent(contradiction.to_string())
            }
            PairError::NotProposed { .. } => Self::Transient(error.to_string()),
            PairError::Read(ReadError::Unavailable(error)) | PairError::Unavailable(error) => error.into(),
            PairError::Read(error) => Self::Permanent(error.to_string()),
            PairError::Append(error) => error.into(),
        }
    }
}

/// What is written because of a message.
fn metadata(message: &Message) -> Metadata {
    Metadata::caused_by(message, SERVICE)
}

/// A UUID in a message; one that is none is a fault that no repetition mends.
fn id(field: &str, value: &str) -> Result<Uuid, HandleError> {
    Uuid::parse_str(value).map_err(|_| HandleError::Permanent(format!("{field} is no UUID: {value:?}")))
}

fn player_id(field: &str, player: Option<&Player>) -> Result<Uuid, HandleError> {
    let player = player.ok_or_else(|| HandleError::Permanent(format!("{field} is missing")))?;
    id(field, &player.player_id)
}

/// The id an event speaks of, which is that of its stream; anything else would let one match or game speak for another.
fn own_id(field: &str, value: &str, message: &Message) -> Result<Uuid, HandleError> {
    let own = id(field, value)?;
    if own == message.stream_id {
        return Ok(own);
    }
    Err(HandleError::Permanent(format!("{field} is not the id of the event's stream")))
}
