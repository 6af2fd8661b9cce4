//! What matchmaking keeps in Postgres, the streams and their projections, and in Redis, the tickets.

pub mod bars;
pub mod blocks;
pub mod cities;
pub mod city_log;
pub mod match_log;
pub mod matches;
pub mod players;
pub mod tickets;
