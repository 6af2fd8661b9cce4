//! What matchmaking keeps in Postgres: the match streams, and its projections.

pub mod bars;
pub mod match_log;
pub mod matches;
pub mod players;
