//! The metrics of the wallet. Labels are names of steps and events, never ids.

use metrics::describe_counter;

/// Decisions that were written, by event.
pub const POSTINGS: &str = "wallet_postings_total";
/// Orders that had been carried out before, by step.
pub const REPEATS: &str = "wallet_repeated_orders_total";
/// Orders that contradict what was done, by step. Each one is in the dead letters, for a person.
pub const CONTRADICTIONS: &str = "wallet_contradictions_total";

/// Registers the descriptions; calling it again changes nothing.
pub fn describe() {
    describe_counter!(POSTINGS, "decisions written, by event");
    describe_counter!(REPEATS, "orders carried out before, by step");
    describe_counter!(CONTRADICTIONS, "orders that contradict what was done, by step");
}
