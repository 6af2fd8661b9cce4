//! What a service does with another's events.

use crate::Message;
use event_store::AppendError;
use event_store::fault::{self, Fault};
use sqlx::PgConnection;
use std::future::Future;

/// Reacts to the public events of a kind of streams.
///
/// A consumer gets every public event of the streams it follows, in order; a handler ignores the kinds it has no use for.
pub trait Handler: Send + Sync + 'static {
    /// Makes the message's effects inside the transaction that `conn` is in. It must do nothing that a rollback does not
    /// undo, and must not commit. It may run again for the same message after an error, a crash or a lost connection.
    fn handle(
        &self,
        conn: &mut PgConnection,
        message: &Message,
    ) -> impl Future<Output = Result<(), HandleError>> + Send;

    /// The most messages that [`Handler::handle_batch`] is given at once; 1, as it stands here, for one after the other.
    fn batch_max(&self) -> usize {
        1
    }

    /// Makes the effects of several messages of different streams inside one transaction, and answers for each in their
    /// order. A message that is refused must have left no effect, since the others are committed. An error instead of
    /// answers undoes the transaction, and every message is then handled alone. Called only if [`Handler::batch_max`] is
    /// more than one.
    fn handle_batch(
        &self,
        _conn: &mut PgConnection,
        _messages: &[&Message],
    ) -> impl Future<Output = Result<Vec<Result<(), HandleError>>, HandleError>> + Send {
        std::future::ready(Err(HandleError::Unavailable("this handler takes no batches".to_owned())))
    }

    /// Called in process after the commit, to wake tasks. It is a hint: a crash may swallow it.
    fn committed(&self, _message: &Message) {}
}

/// Why a message was not handled, sorted by what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HandleError {
    /// Another try may succeed. After the consumer's `attempts_max` tries the message is parked.
    #[error("transient: {0}")]
    Transient(String),
    /// It will never succeed: the message is parked at once.
    #[error("permanent: {0}")]
    Permanent(String),
    /// The database (or something else that every message needs) is away: tried again without counting.
    #[error("unavailable: {0}")]
    Unavailable(String),
}

impl From<sqlx::Error> for HandleError {
    fn from(error: sqlx::Error) -> Self {
        match fault::classify(&error) {
            Fault::Unreachable | Fault::Unknown => Self::Unavailable(error.to_string()),
            // What the database refuses today may be accepted once an earlier event has arrived or a fixed version is
            // deployed, so it gets its tries.
            Fault::Contended | Fault::Refused => Self::Transient(error.to_string()),
        }
    }
}

impl From<AppendError> for HandleError {
    fn from(error: AppendError) -> Self {
        match &error {
            AppendError::Invalid(_) => Self::Permanent(error.to_string()),
            AppendError::Conflict { .. } | AppendError::Fenced | AppendError::Overloaded => {
                Self::Transient(error.to_string())
            }
            AppendError::Stopped => Self::Unavailable(error.to_string()),
            AppendError::Unavailable(source) => match fault::classify(source) {
                Fault::Unreachable | Fault::Unknown => Self::Unavailable(source.to_string()),
                Fault::Contended | Fault::Refused => Self::Transient(source.to_string()),
            },
        }
    }
}
