//! What an error of the database says about the write: did it land, and is another try of use?

use sqlx::error::DatabaseError;

/// Errors sorted by what the caller may do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Nothing was sent: no connection could be had. Another try is safe.
    Unreachable,
    /// The database undid the statement because of others (deadlock, timeout, overload). Another try is safe.
    Contended,
    /// The connection broke after sending: the write may or may not have landed. Read back, or repeat idempotently.
    Unknown,
    /// The database, or the client, refused this statement; another try gives the same.
    Refused,
}

/// Sorts an error.
pub fn classify(error: &sqlx::Error) -> Fault {
    match error {
        sqlx::Error::Database(database) => classify_database(database.as_ref()),
        sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed => Fault::Unreachable,
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_) | sqlx::Error::WorkerCrashed => {
            Fault::Unknown
        }
        _ => Fault::Refused,
    }
}

fn classify_database(error: &dyn DatabaseError) -> Fault {
    let Some(code) = error.code() else { return Fault::Unknown };
    match code.as_ref() {
        // statement_completion_unknown
        "40003" => Fault::Unknown,
        // query_canceled (statement_timeout), lock_not_available
        "57014" | "55P03" => Fault::Contended,
        // admin_shutdown and crash_shutdown can arrive while a commit is on its way; cannot_connect_now cannot.
        "57P01" | "57P02" => Fault::Unknown,
        "57P03" => Fault::Unreachable,
        // connection exceptions; transaction rollbacks (serialisation, deadlock); insufficient resources; system errors.
        code if code.starts_with("08") => Fault::Unknown,
        code if code.starts_with("40") || code.starts_with("53") => Fault::Contended,
        code if code.starts_with("58") || code.starts_with("XX") => Fault::Unknown,
        _ => Fault::Refused,
    }
}

/// Whether a unique constraint refused the row.
pub(crate) fn is_unique_violation(error: &sqlx::Error) -> bool {
    error.as_database_error().is_some_and(DatabaseError::is_unique_violation)
}
