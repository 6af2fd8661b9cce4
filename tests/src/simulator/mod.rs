//! The match process under every fault that a network and crashes can bring, in memory and in no time.
//!
//! The deciders are the services' own: the match process of matchmaking, the pair's day of fair-play, the money of a match
//! in the wallet. What is simulated is everything between them: logs with their outboxes, a bus that delays, reorders,
//! repeats, and processes that die before or after a commit. One number, the seed, decides all of it, so that a failing run
//! can be run again.
//!
//! * [`random`]: the numbers. * [`bus`]: logs, outboxes, inboxes and what is under way. * [`world`]: the services and what may
//!   happen next. * [`verdict`]: what must be true in between and at the end.

pub mod bus;
pub mod random;
pub mod verdict;
pub mod world;

use world::World;

/// Runs one seed to its end and says what was wrong, if anything.
///
/// # Errors
/// A sentence that names the invariant and the match.
pub fn run(seed: u64) -> Result<(), String> {
    let mut world = World::new(seed);
    world.run()?;
    verdict::at_the_end(&world)
}
