//! The use cases: one file each. They know the store and the pairing rules, and nothing of the wire.

pub mod advance;
pub mod cities;
pub mod match_process;
pub mod propose;
pub mod queue;
pub mod tickets;
pub mod timeouts;
