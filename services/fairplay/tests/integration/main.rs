//! Fair play on a real Postgres, a real NATS and a real Stockfish.

mod analysis;
mod cases;
mod failures;
mod pairs;
mod service;
mod standings;
mod support;
