//! Postgres: the log, and the ratings that are kept in the transaction of each event.

pub mod book;
pub mod codec;
mod copy_rows;
pub mod games_apart;
pub mod history;
pub mod leaderboard;
pub mod players;
pub mod projection;
pub mod ratings;
pub mod record;
pub mod spill;
pub mod steps;
