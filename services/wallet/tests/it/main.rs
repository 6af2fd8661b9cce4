//! The wallet on a real Postgres, and as a whole service between a real broker and its callers.

mod accounts;
mod batches;
mod chain;
mod desk;
mod invariants;
mod ledger;
mod limits;
mod model;
mod money;
mod prizes;
mod races;
mod service;
mod statements;
mod support;
mod verify;
mod victims;
mod webhook;
