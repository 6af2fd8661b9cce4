//! A supervised pool of UCI engine processes.
//!
//! An engine is a foreign program: it may hang, die, flood, or answer nonsense, and Stockfish does the second by
//! design when it is handed an impossible position. This crate checks what goes in, bounds what comes out, and
//! kills and replaces a process that misbehaves; the caller sees an [`Error`] and decides whether to try again.
//! A search is always bounded by nodes and never by time, so that its outcome is the same on every machine.
//!
//! # Modules
//!
//! | module | what it holds |
//! |---|---|
//! | [`config`] | how an engine is started and how long it may take |
//! | [`search`] | what is asked, checked by replaying it |
//! | [`protocol`] | one line of UCI output, parsed |
//! | `collect` | the lines of the last full depth out of many |
//! | `process` | one engine process and its bounded output |
//! | [`pool`] | engines handed out in order of asking |
//!
//! # Invariants
//!
//! * `UCI-1` A position or move that is not legal chess never reaches an engine: an engine drops an illegal move in
//!   silence and analyses another position, and dies on an impossible one.
//! * `UCI-2` An engine that was not left idle and in step is never handed out again: a fault, a limit or a dropped
//!   future ends its process, with its whole process group.
//! * `UCI-3` Only exact scores of the last full depth are reported: no bounds, no cut iteration, no mixed depths.
//! * `UCI-4` Every line, every search's output, every wait and every queue has a limit.
//! * `UCI-5` The first search of a game follows `ucinewgame`, so that it does not depend on what the engine did
//!   before.
//!
//! # Deliberately absent
//!
//! Time-bounded searches, pondering, `stop` (a search cut by time cannot be repeated elsewhere), chess variants,
//! and retries: how often a job is worth another try is the caller's policy.

mod collect;
pub mod config;
mod error;
pub mod pool;
mod process;
pub mod protocol;
pub mod search;

pub use config::{EngineConfig, find_program};
pub use error::{Error, Fault};
pub use pool::{GameSession, Pool};
pub use protocol::{Identity, Score};
pub use search::{Analysis, IllegalPosition, Line, Search, Start};

#[cfg(test)]
mod tests;
