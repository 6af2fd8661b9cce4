//! The use cases, without a database or a wire.

pub mod book;
pub mod correction;
pub mod ended_game;
pub mod game_record;
pub mod log_check;
pub mod rate_game;
pub mod rebuild;
pub mod recomputation;

#[cfg(test)]
mod tests;
