//! What the events of other services do to money: one handler a source, all in the transaction of the consumer's inbox.

pub mod cases;
pub mod games;
pub mod matches;
mod parse;
pub mod players;
pub mod prizes;
pub mod settle;
