//! What can go wrong.

use std::io;
use std::time::Duration;

use thiserror::Error;

use crate::search::IllegalPosition;

/// Why there is no analysis.
#[derive(Debug, Error)]
pub enum Error {
    /// The position is not legal chess; no engine was asked.
    #[error("illegal position: {0}")]
    IllegalPosition(#[from] IllegalPosition),
    /// The side to move has no move: there is nothing to search, and no engine was asked.
    #[error("the game is over in this position")]
    GameOver,
    /// The search asks for more than the configuration allows, or for nothing.
    #[error("{quantity} of {asked} is outside 1 to {max}")]
    OutOfLimits {
        /// What is out of limits.
        quantity: &'static str,
        /// What was asked.
        asked: u64,
        /// The most that is allowed.
        max: u64,
    },
    /// Too many callers wait for an engine.
    #[error("too many searches are waiting")]
    Busy,
    /// The pool was closed.
    #[error("the pool is closed")]
    Closed,
    /// An earlier search of this game failed, so its engine and what it remembered are gone. Begin the game again.
    #[error("the session ended with an earlier failure")]
    SessionEnded,
    /// The engine failed and was killed; another one takes its place.
    #[error("engine failed: {0}")]
    Engine(#[from] Fault),
}

impl Error {
    /// Whether the same search may succeed when it is tried again.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Busy | Self::SessionEnded | Self::Engine(_))
    }
}

/// What an engine did wrong.
#[derive(Debug, Error)]
pub enum Fault {
    /// The program could not be started.
    #[error("could not start: {0}")]
    Start(#[source] io::Error),
    /// It gave no sign of being ready.
    #[error("not ready after {limit:?}")]
    NotReady {
        /// The limit.
        limit: Duration,
    },
    /// It did not finish a search.
    #[error("no best move after {limit:?}")]
    Hung {
        /// The limit, grace included.
        limit: Duration,
    },
    /// It ended by itself.
    #[error("the process ended")]
    Exited,
    /// The pipe to it broke.
    #[error("pipe: {0}")]
    Pipe(#[source] io::Error),
    /// It wrote a line without end.
    #[error("a line is longer than {max} bytes")]
    LineTooLong {
        /// The limit.
        max: usize,
    },
    /// It wrote without end.
    #[error("more than {max} bytes of output")]
    Flooded {
        /// The limit.
        max: u64,
    },
    /// It finished a search without a usable answer.
    #[error("unusable answer: {0}")]
    Unusable(&'static str),
}
