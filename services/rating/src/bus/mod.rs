//! What the events of other services do to ratings, in the transaction of the consumer's inbox.

pub mod decisions;
pub mod games;
mod parse;
