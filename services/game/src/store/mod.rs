//! The service's database: the log of games, and the list of them.
//!
//! `codec` turns domain events into stored bytes and back, `rule_set` does so for the rules a game is played by, `journal` is
//! the log, `games` the list, `archive` finished games in few bytes,
//! `library` many games at once. Statements live in commented files under `queries/`.

pub mod archive;
mod codec;
mod games;
mod journal;
pub mod library;
mod rule_set;

pub use codec::{CodecError, SCHEMA};
pub use games::{GameRow, List, Listing, PageKey, list};
pub use journal::{PgJournal, create};

/// The kind of a game's stream in the log.
pub const STREAM_KIND: &str = "game";
/// The name of the service, in subjects and metadata.
pub const SERVICE: &str = "game";

#[cfg(test)]
mod tests;
