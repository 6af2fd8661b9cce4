//! The game service as its callers meet it: through its gRPC server, on a real Postgres and a real NATS, with a clock that
//! the test turns.

mod claims;
mod commands;
mod drawing;
mod endings;
mod faults;
mod harness;
mod lag;
mod lines;
mod lists;
mod matches;
mod presence;
mod process;
mod replays;
mod restarts;
mod tables;
mod watching;
