//! Fair play on a real Postgres, a real NATS and a real Stockfish.

mod analysis;
mod failures;
mod killed_workers;
mod pairs;
mod service;
mod standings;
mod support;
