//! The whole platform under test: the stack that people start, with its real processes, and clients in front of it.
//!
//! # Map
//!
//! * [`stack`]: a private stack, started by the `stakemate dev` that people type, on free ports and a folder of its own.
//! * [`simulator`]: the match process under every fault, without processes: the services' own deciders in memory.
//! * [`player`]: a signed-in player who talks gRPC to the gateway.
//! * [`table`]: two players from the queue to a game, and moves between them.
//!
//! The journeys stand in `tests/`, one file a theme. `architecture.rs` and `tidy.rs` there hold the rules that the code
//! itself has to keep. Service by service the rules are tested where they live; here is only what takes all of them.

pub mod player;
pub mod simulator;
pub mod stack;
pub mod table;
