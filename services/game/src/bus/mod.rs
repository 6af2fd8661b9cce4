//! What the service hears of others: confirmed matches, and ratings.

mod matches;
mod ratings;

pub use matches::Matches;
pub use ratings::Ratings;
