//! The events of the other services, and what they mean here: answers to a match's steps, and what pairing should know.
//!
//! One consumer a source. Each handler runs in the transaction of its inbox row, so every message takes effect once.

mod bars;
mod exclusions;
mod fairplay;
mod game;
pub mod notices;
mod rating;
mod wallet;

use event_bus::{HandleError, Message};
use event_store::{Cause as _, Metadata};
use sqlx::PgConnection;
use uuid::Uuid;

pub use bars::BarEvents;
pub use exclusions::ExclusionEvents;
pub use fairplay::FairplayEvents;
pub use game::GameEvents;
pub use rating::RatingEvents;
pub use wallet::{AccountEvents, WalletEvents};

use crate::app::advance::{AdvanceError, Advanced, advance_in};
use crate::app::match_process::Input;

/// Takes a match further because of a message.
async fn advance(
    conn: &mut PgConnection,
    message: &Message,
    match_id: Uuid,
    input: Input,
) -> Result<Advanced, HandleError> {
    let metadata = Metadata {
        correlation_id: match_id,
        causation_id: message.cause_id(),
        actor: "matchmaking".to_owned(),
        trace_parent: event_store::trace::current_trace_parent(),
    };
    advance_in(conn, match_id, input, metadata).await.map_err(|error| match error {
        AdvanceError::Read(crate::store::match_log::ReadError::Unreadable { .. }) => {
            HandleError::Permanent(error.to_string())
        }
        AdvanceError::Append(append) => append.into(),
        AdvanceError::Unavailable(sqlx) => sqlx.into(),
        other => HandleError::Transient(other.to_string()),
    })
}

/// A UUID in a message; one that is none is a fault that no repetition mends.
fn id(field: &str, value: &str) -> Result<Uuid, HandleError> {
    Uuid::parse_str(value).map_err(|_| HandleError::Permanent(format!("{field} is no UUID: {value:?}")))
}
