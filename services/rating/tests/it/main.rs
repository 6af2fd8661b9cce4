//! The rating service on a real Postgres, and as a whole service between a real broker and its callers.

mod corrections;
mod games;
mod leaderboard;
mod preview;
mod rebuild;
mod service;
mod support;
