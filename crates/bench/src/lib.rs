//! The figures of numbers.md, measured on the machine at hand: one JSON line a figure.
//!
//! # Map
//!
//! * [`game`]: the game service: P1 to P9 and P16, in the order in which they are measured.
//! * [`fairplay`]: P15, on games of a file.
//! * [`stand`]: a durable Postgres, a NATS and a game service as processes of our own.
//! * [`load`]: games played through gRPC as two clients each would play them.
//! * [`decisions`]: what a move costs without any input or output. [`timers`]: many clocks. [`recovery`]: many logs.
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
//! Other people's servers. Their figures were measured once, on the same kind of machine, and stand in the goals.

pub mod cpu;
pub mod decisions;
pub mod fairplay;
pub mod figure;
pub mod game;
pub mod load;
pub mod raw;
pub mod recovery;
pub mod stand;
pub mod timers;
