//! The metrics of matchmaking. Labels are names of cities, steps and reasons, never ids.

use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};

/// Steps that matches took, by step and, for a cancelled match, by reason. A step whose commit failed is counted too.
pub const STEPS: &str = "matchmaking_steps_total";
/// Tickets that wait for an opponent, by city.
pub const WAITING: &str = "matchmaking_waiting_tickets";
/// The time from a ticket's first join to the start of its game.
pub const WAIT_SECONDS: &str = "matchmaking_wait_seconds";

/// Registers the descriptions; calling it again changes nothing.
pub fn describe() {
    describe_counter!(STEPS, "steps that matches took, by step and reason");
    describe_gauge!(WAITING, "tickets that wait for an opponent, by city");
    describe_histogram!(
        WAIT_SECONDS,
        Unit::Seconds,
        "time from a ticket's first join to the start of its game"
    );
}
