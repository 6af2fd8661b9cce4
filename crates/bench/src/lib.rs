//! The figures of numbers.md, measured on the machine at hand: one JSON line a figure.
//!
//! # Map
//!
//! * [`game`]: the game service: P1 to P9 and P16, in the order in which they are measured.
//! * [`closed_loop`], [`paced`], [`losses`], [`watched`]: games through gRPC. [`load`]: their clients, as two people each.
//! * [`peer`]: Colyseus on the same games in the same run; its server and clients are in `bench/peers`.
//! * [`decisions`]: what a move costs without any input or output. [`packing`]: finished games. [`timers`]: many clocks.
//!   [`recovery`]: many logs. [`sizes`]: a large log.
//! * [`pairing`]: P10. [`settlements`]: P11. [`ratings`]: P12 and P14. P13 needs a whole stack: `stakemate bench matches`.
//! * [`fairplay`]: P15, on games of a file.
//! * [`stand`]: a durable Postgres, a NATS, a Redis, a game service and a gateway as processes of our own.
//! * [`raw`]: what the machine itself can do, measured in the same run. [`cpu`]: what processes have used.
//! * [`figure`]: how a figure is printed.
//!
//! # Invariants
//!
//! * BENCH-1 A figure that could not be measured is not printed: there is no line with a made-up value.
//! * BENCH-2 Every move that counts was acknowledged to its mover and seen by his opponent.
//! * BENCH-3 Nothing is left running: all servers are children that end with the run.
//!
//! # Deliberately absent
//!
//! Absolute times as goals, where something to compare with can be measured in the same run: machines are busy, and two of them are
//! never alike.

pub mod closed_loop;
pub mod cpu;
pub mod decisions;
pub mod fairplay;
pub mod figure;
pub mod game;
pub mod load;
pub mod losses;
pub mod paced;
pub mod packing;
pub mod pairing;
pub mod peer;
pub mod ratings;
pub mod raw;
pub mod recovery;
pub mod settlements;
pub mod sizes;
pub mod stand;
pub mod timers;
pub mod watched;
