//! Ratings: Glicko-2 for the staked pools and Elo for the house tables.
//!
//! Everything here is a pure function from the ratings before a game to the ratings after it. Which games are rated,
//! in which order, and where the numbers are kept is the rating service's business.
//!
//! # Map
//! * [`rating`]: a Glicko-2 rating that is always inside its documented bounds.
//! * [`glicko2`]: the update of a rating period, of a single game, and the growth of the deviation with idle time.
//! * [`volatility`]: step 5 of the paper alone, without any clamp.
//! * [`elo`]: the rating of the house-table pool.
//! * [`pool`]: the pools, as data.
//! * [`pool_rating`]: a rating in any of them, whichever system it has.
//!
//! The formulas are those of M. Glickman, "Example of the Glicko-2 system" (wording of 22 March 2022), with the system
//! constant τ = 0.5 and the Illinois variant of regula falsi for the volatility.
//!
//! # Invariants
//! * `GLICKO-1` A rating is finite and inside its bounds, whatever games are fed and however many.
//! * `GLICKO-2` Both players of a game are rated from the ratings before the game; the order of the two does not matter.
//! * `GLICKO-3` The same input gives the same bits, on every machine: the transcendental functions come from `libm`, not
//!   from the platform, so that a rebuild from the log can be compared with `==`.
//! * `GLICKO-4` Every search ends: the volatility search after at most [`volatility::ITERATIONS_MAX`] steps.
//! * `GLICKO-5` One game moves a rating by at most [`glicko2::STEP_MAX`] points.
//!
//! # Deliberately absent
//! No clock (idle time is given in days), no player ids, no history, no rounding: what is shown to people is rounded
//! where it is shown. Redelivered results are caught by the consumer's inbox, not here: an update is not idempotent.

pub mod elo;
pub mod glicko2;
pub mod pool;
pub mod pool_rating;
pub mod rating;
pub mod score;
pub mod volatility;

pub use elo::Elo;
pub use glicko2::{after_idle_days, update, update_pair};
pub use pool::{Clocks, POOLS, Pool, System};
pub use pool_rating::{Points, PoolRating};
pub use rating::{OutOfBounds, Rating, RawRating};
pub use score::{Pair, Score};
