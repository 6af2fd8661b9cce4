//! The wallet on a real Postgres, and as a whole service between a real broker and its callers.

mod accounts;
mod batches;
mod chain;
mod invariants;
mod money;
mod races;
mod service;
mod support;
mod verify;
