//! The tests of the ledger, in one binary because they share a scenario.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod a_match;
mod eligibility;
mod million;
mod money_and_transfers;
mod prizes;
mod properties;
mod restitutions;
mod scenario;
