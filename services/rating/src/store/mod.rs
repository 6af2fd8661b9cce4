//! Postgres: the log, and the ratings that are kept in the transaction of each event.

pub mod book;
pub mod codec;
pub mod history;
pub mod projection;
pub mod ratings;
