//! Failures of the infrastructure as statuses.

use event_store::AppendError;
use event_store::fault::{Fault, classify};
use tonic::Status;

use super::{RETRY_AFTER, internal, overloaded, unavailable};

/// An error of the database: UNAVAILABLE when another try may do better, INTERNAL otherwise.
///
/// Whether the write landed is not known after some of them; a caller repeats with the same request id.
pub fn from_sqlx(error: &sqlx::Error) -> Status {
    match classify(error) {
        Fault::Refused => internal(error),
        fault => {
            tracing::warn!(?error, ?fault, "the database did not do it");
            unavailable("the database is not available", RETRY_AFTER)
        }
    }
}

/// An error of the event store. A conflict that a use case did not resolve by deciding again is only bad luck: UNAVAILABLE.
pub fn from_append(error: &AppendError) -> Status {
    match error {
        AppendError::Conflict { .. } | AppendError::Fenced => {
            unavailable("somebody else was first; try again", RETRY_AFTER)
        }
        AppendError::Overloaded => overloaded(),
        AppendError::Stopped => unavailable("this instance is about to stop", RETRY_AFTER),
        AppendError::Unavailable(error) => from_sqlx(error),
        AppendError::Invalid(_) => internal(error),
    }
}
