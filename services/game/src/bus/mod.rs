//! What the service hears of others: confirmed matches.

mod matches;

pub use matches::Matches;
