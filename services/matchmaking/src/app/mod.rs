//! The use cases: one file each. They know the store and the pairing rules, and nothing of the wire.

pub mod advance;
pub mod block;
pub mod cities;
pub mod followers;
pub mod leader;
pub mod match_process;
pub mod notices;
pub mod propose;
pub mod queue;
pub mod save_city;
pub mod tickets;
pub mod timeouts;
