//! The gateway's metrics.

use metrics::{counter, describe_counter};

/// Refresh tokens that came a second time, and ended their sessions.
pub const REFRESH_TOKENS_REUSED: &str = "gateway_refresh_tokens_reused_total";
/// Refresh tokens that came again at once and were answered with the same successor.
pub const REFRESH_TOKENS_REPEATED: &str = "gateway_refresh_tokens_repeated_total";
/// Calls refused by a rate limit, by limit.
pub const CALLS_LIMITED: &str = "gateway_calls_limited_total";
/// Calls let pass unlimited because Redis did not answer.
pub const LIMITER_DOWN: &str = "gateway_rate_limiter_down_total";
/// Calls answered UNAVAILABLE because a service could not be reached, by service.
pub const UPSTREAM_DOWN: &str = "gateway_upstream_unavailable_total";

/// Describes the metrics, once at the start.
pub fn describe() {
    describe_counter!(
        REFRESH_TOKENS_REUSED,
        "refresh tokens that came a second time, and ended their sessions"
    );
    describe_counter!(
        REFRESH_TOKENS_REPEATED,
        "refresh tokens answered again because the answer may have been lost"
    );
    describe_counter!(CALLS_LIMITED, "calls refused by a rate limit");
    describe_counter!(LIMITER_DOWN, "calls let pass unlimited because redis did not answer");
    describe_counter!(UPSTREAM_DOWN, "calls answered UNAVAILABLE because a service could not be reached");
}

pub(crate) fn refresh_token_reused() {
    counter!(REFRESH_TOKENS_REUSED).increment(1);
}

pub(crate) fn refresh_token_repeated() {
    counter!(REFRESH_TOKENS_REPEATED).increment(1);
}

pub(crate) fn call_limited(limit: &'static str) {
    counter!(CALLS_LIMITED, "limit" => limit).increment(1);
}

pub(crate) fn limiter_down() {
    counter!(LIMITER_DOWN).increment(1);
}

pub(crate) fn upstream_down(service: &'static str) {
    counter!(UPSTREAM_DOWN, "service" => service).increment(1);
}
