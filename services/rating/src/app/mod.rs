//! The use cases, without a database or a wire.

pub mod ended_game;
pub mod rate_game;
pub mod rebuild;
