//! Launches Postgres, NATS and Redis as direct children, for tests and for `stakemate dev`.
//!
//! Everything here is synchronous: launching is a handful of file and process calls, and tests bring many runtimes.
//! As root the servers drop to an unprivileged account ([`account`]); Postgres refuses to run as root at all.

pub mod account;
pub mod find;
pub mod guard;
mod nats;
mod postgres;
pub mod process;
pub mod process_id;
mod redis;

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

pub use nats::{Nats, NatsSettings};
pub use postgres::{Durability, Postgres, PostgresSettings};
pub use redis::{Redis, RedisSettings};

/// How long a server may take to answer. Generous: it bounds a hang, a healthy start takes well below a second.
pub const START_PATIENCE: Duration = Duration::from_secs(60);
/// How long a server may take to stop in order before it is killed.
pub const STOP_PATIENCE: Duration = Duration::from_secs(10);

/// Why a server is not there.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The program is neither on PATH nor where `scripts/bootstrap` puts it, or only in a version that is too old.
    #[error("{what} is not installed{found}; run scripts/bootstrap")]
    Missing {
        /// The program and the version that is needed.
        what: &'static str,
        /// What was found instead, if anything, as a clause that begins with a comma.
        found: String,
    },
    /// The unprivileged account cannot get at a file that it needs.
    #[error(
        "{path} cannot be reached by the unprivileged account (uid {uid}) that root's servers run as; \
         put the checkout and STAKEMATE_DATA into folders that others may enter"
    )]
    Unreachable {
        /// The first file or folder that is closed.
        path: PathBuf,
        /// The account.
        uid: u32,
    },
    /// The folder holds data of another major version.
    #[error(
        "{folder} was made by PostgreSQL {theirs}, and PostgreSQL {ours} was found; put the other one on PATH or remove the folder"
    )]
    OtherVersion {
        /// The cluster's folder.
        folder: PathBuf,
        /// Major version of the data.
        theirs: String,
        /// Major version of the program.
        ours: String,
    },
    /// The program ended before it was ready.
    #[error("{name} ended before it was ready ({status}); its last words:\n{last_words}")]
    Ended {
        /// Name of the process.
        name: String,
        /// Its exit status.
        status: ExitStatus,
        /// The end of its log.
        last_words: String,
    },
    /// The program runs and does not answer.
    #[error("{name} was not ready within {patience:?}; its last words:\n{last_words}")]
    NotReady {
        /// Name of the process.
        name: String,
        /// How long it was waited for.
        patience: Duration,
        /// The end of its log.
        last_words: String,
    },
    /// A file or process call failed.
    #[error("cannot {action}: {source}")]
    Io {
        /// What was tried, beginning with a verb.
        action: String,
        /// The cause.
        source: io::Error,
    },
}

/// Turns an I/O error into a [`LaunchError`] that says what was tried.
pub(crate) fn io_error(action: impl Into<String>) -> impl FnOnce(io::Error) -> LaunchError {
    let action = action.into();
    move |source| LaunchError::Io { action, source }
}
