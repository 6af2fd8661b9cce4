//! Fair play on a real Postgres, a real NATS and a real Stockfish.

mod analysis;
mod cases;
mod collusion;
mod explain;
mod failures;
mod killed_workers;
mod moderation;
mod pairs;
mod persons;
mod queue;
mod quiet_games;
mod service;
mod standings;
mod support;
