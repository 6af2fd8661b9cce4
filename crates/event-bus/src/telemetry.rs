//! The metrics of relay and consumers. Labels are names of services and consumers, never ids.

use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};

/// Outbox rows that wait to be published, counted up to [`OUTBOX_DEPTH_COUNTED_MAX`].
pub const OUTBOX_DEPTH: &str = "event_bus_outbox_depth";
/// Seconds since the oldest waiting outbox row was committed; 0 when none waits. The alert to have.
pub const OUTBOX_AGE_SECONDS: &str = "event_bus_outbox_age_seconds";
/// Messages the broker has acknowledged, by `outcome`: `stored`, `duplicate`.
pub const PUBLISHED: &str = "event_bus_published_total";
/// Times a relay or consumer had to start over, by `part` and `name`.
pub const RESTARTS: &str = "event_bus_restarts_total";
/// Messages by consumer and outcome: `handled`, `duplicate`, `gap`, `retried`, `parked`, `foreign`.
pub const CONSUMED: &str = "event_bus_consumed_total";
/// Seconds of one handler with its transaction.
pub const HANDLE_SECONDS: &str = "event_bus_handle_seconds";
/// Seconds from the event's record to its effect.
pub const LAG_SECONDS: &str = "event_bus_lag_seconds";

/// Where counting the outbox stops: beyond it the number no longer changes what to do.
pub const OUTBOX_DEPTH_COUNTED_MAX: i64 = 100_000;

/// Registers the descriptions; calling it again changes nothing.
pub(crate) fn describe() {
    describe_gauge!(OUTBOX_DEPTH, "outbox rows that wait to be published");
    describe_gauge!(
        OUTBOX_AGE_SECONDS,
        Unit::Seconds,
        "age of the oldest outbox row that waits to be published"
    );
    describe_counter!(PUBLISHED, "messages acknowledged by the broker, by outcome");
    describe_counter!(RESTARTS, "times a relay or consumer had to start over");
    describe_counter!(CONSUMED, "messages by consumer and outcome");
    describe_histogram!(HANDLE_SECONDS, Unit::Seconds, "time of a handler with its transaction");
    describe_histogram!(LAG_SECONDS, Unit::Seconds, "time from an event's record to its effect");
}
