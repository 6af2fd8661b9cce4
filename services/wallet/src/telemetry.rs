//! The metrics of the wallet. Labels are names of steps and events, never ids.

use metrics::{describe_counter, describe_gauge};

/// Decisions that were written, by event.
pub const POSTINGS: &str = "wallet_postings_total";
/// Orders that had been carried out before, by step.
pub const REPEATS: &str = "wallet_repeated_orders_total";
/// Orders that contradict what was done, by step. Each one is in the dead letters, for a person.
pub const CONTRADICTIONS: &str = "wallet_contradictions_total";
/// Events that were added to the hash chain.
pub const SEALED: &str = "wallet_sealed_events_total";
/// Checks of the invariants that went through to their end. One that stands still is as bad as a breach.
pub const CHECKS: &str = "wallet_invariant_checks_total";
/// What the last check of the invariants found, by check. Anything but zero is for a person, at once.
pub const BREACHES: &str = "wallet_invariant_breaches";
/// Victims' stakes that the house owes and has not paid. What does not go away needs money in the fund, or a look.
pub const REFUNDS_OWED: &str = "wallet_victim_refunds_owed";
/// Calls of the payment provider, by the code of our answer.
pub const PROVIDER_CALLS: &str = "wallet_provider_calls_total";

/// Registers the descriptions; calling it again changes nothing.
pub fn describe() {
    describe_counter!(POSTINGS, "decisions written, by event");
    describe_counter!(REPEATS, "orders carried out before, by step");
    describe_counter!(CONTRADICTIONS, "orders that contradict what was done, by step");
    describe_counter!(PROVIDER_CALLS, "calls of the payment provider, by answer");
    describe_counter!(SEALED, "events added to the hash chain");
    describe_counter!(CHECKS, "finished checks of the invariants");
    describe_gauge!(REFUNDS_OWED, "victims' stakes owed by the house and not paid");
    describe_gauge!(BREACHES, "what the last check of the invariants found, by check");
}
