//! The service's database: the logs of games and tables, and the lists of them.
//!
//! `codec` turns domain events into stored bytes and back, `actor` the players who caused them, `rule_set` does so for the rules a game is played by, `journal` is
//! the log, `leases` who owns which games, `games` the list, `archive` finished games in few bytes, `library` many games at once. The same for tables:
//! `table_codec`, `tables`, and `table_feed` for those who follow them. `featured` is the best running game. Statements live in commented files under `queries/`.

mod actor;
pub mod archive;
mod codec;
mod featured;
mod games;
mod journal;
mod leases;
pub mod library;
mod rule_set;
mod table_codec;
mod table_feed;
mod tables;

pub use codec::{CodecError, SCHEMA};
pub use featured::{Featured, RatingNow, follow as follow_featured, put_rating};
pub use games::{GameRow, List, Listing, PageKey, list};
pub use journal::{PgJournal, create};
pub use leases::PgLeases;
pub use table_feed::{OpenTables, follow as follow_tables};
pub use tables::{ListTables, PgTables, Reach, TableRow, list_tables, view};

/// The kind of a game's stream in the log.
pub const STREAM_KIND: &str = "game";
/// The name of the service, in subjects and metadata.
pub const SERVICE: &str = "game";

#[cfg(test)]
mod tests;
