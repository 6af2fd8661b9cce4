//! What the service hears of others over the broker: confirmed matches, ratings, and the other instances of its own.

mod matches;
mod notices;
mod peers;
mod ratings;

pub use matches::Matches;
pub use notices::{Ears, run as tell_instances};
pub use peers::{NatsPeers, Post};
pub use ratings::Ratings;
