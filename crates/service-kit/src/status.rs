//! Every status that a service answers, with its `google.rpc` details.
//!
//! | failure | builder |
//! |---|---|
//! | malformed | [`invalid_argument`]: names every bad field (see [`crate::fields`]) |
//! | refused by a rule | [`failed_precondition`] |
//! | stale expectation | [`aborted`] |
//! | unknown, or not visible | [`not_found`] |
//! | beyond the end | [`out_of_range`] |
//! | not signed in, not allowed | [`unauthenticated`], [`permission_denied`] |
//! | overload, dependency down | [`exhausted`], [`unavailable`] |
//! | the same request id with another body | [`request_id_reused`] |
//! | the rest | [`internal`]: a fixed text; the cause is logged once |

mod faults;
mod reasons;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use proto::types::v1::CommonErrorReason;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, FieldViolation, StatusExt};

pub use faults::{from_append, from_sqlx};
pub use reasons::Reason;

/// When to come back, where nothing better is known.
pub const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Metadata of an `ErrorInfo`.
pub type Metadata = (&'static str, String);

/// INVALID_ARGUMENT with a `BadRequest` that names every bad field and says what is wrong with it.
pub fn invalid_argument<F, D>(violations: impl IntoIterator<Item = (F, D)>) -> Status
where
    F: Into<String>,
    D: Into<String>,
{
    let violations: Vec<_> =
        violations.into_iter().map(|(field, description)| FieldViolation::new(field, description)).collect();
    let names: Vec<_> = violations.iter().map(|violation| violation.field.as_str()).collect();
    let message = format!("malformed: {}", names.join(", "));
    Status::with_error_details(Code::InvalidArgument, message, ErrorDetails::with_bad_request(violations))
}

/// INVALID_ARGUMENT: the request id came before with another body. Names the field and the reason.
pub fn request_id_reused(reason: impl Reason) -> Status {
    let message = "the request id was used before with another body";
    let mut details = ErrorDetails::with_bad_request_violation("request_id", message);
    put_reason(&mut details, reason, []);
    Status::with_error_details(Code::InvalidArgument, message, details)
}

/// FAILED_PRECONDITION: a rule refuses it.
pub fn failed_precondition(
    reason: impl Reason,
    message: impl Into<String>,
    metadata: impl IntoIterator<Item = Metadata>,
) -> Status {
    refused(Code::FailedPrecondition, reason, message, metadata)
}

/// ABORTED: what the caller expected is no longer so; the metadata say what is.
pub fn aborted(
    reason: impl Reason,
    message: impl Into<String>,
    metadata: impl IntoIterator<Item = Metadata>,
) -> Status {
    refused(Code::Aborted, reason, message, metadata)
}

/// OUT_OF_RANGE: beyond the end of what there is.
pub fn out_of_range(
    reason: impl Reason,
    message: impl Into<String>,
    metadata: impl IntoIterator<Item = Metadata>,
) -> Status {
    refused(Code::OutOfRange, reason, message, metadata)
}

/// NOT_FOUND: there is none, or the caller may not see it; the answer must not tell which.
pub fn not_found(reason: impl Reason, message: impl Into<String>) -> Status {
    refused(Code::NotFound, reason, message, [])
}

/// UNAUTHENTICATED: not signed in.
pub fn unauthenticated(reason: impl Reason, message: impl Into<String>) -> Status {
    refused(Code::Unauthenticated, reason, message, [])
}

/// PERMISSION_DENIED: signed in, but not allowed.
pub fn permission_denied(reason: impl Reason, message: impl Into<String>) -> Status {
    refused(Code::PermissionDenied, reason, message, [])
}

/// RESOURCE_EXHAUSTED: too much at once; come back after `retry_after`.
pub fn exhausted(reason: impl Reason, message: impl Into<String>, retry_after: Duration) -> Status {
    retriable(Code::ResourceExhausted, reason, message, retry_after)
}

/// RESOURCE_EXHAUSTED: this process has too many calls in hand.
pub fn overloaded() -> Status {
    exhausted(CommonErrorReason::Overloaded, "too much is waiting here", RETRY_AFTER)
}

/// UNAVAILABLE: something that this service needs is down; come back after `retry_after`.
pub fn unavailable(message: impl Into<String>, retry_after: Duration) -> Status {
    retriable(Code::Unavailable, CommonErrorReason::DependencyDown, message, retry_after)
}

/// INTERNAL with a fixed text; the cause goes to the log, once, here (KIT-4).
pub fn internal(cause: impl fmt::Debug) -> Status {
    tracing::error!(?cause, "internal error");
    Status::internal("internal error")
}

/// Any code with exactly one `ErrorInfo`, where no builder above fits.
pub fn refused(
    code: Code,
    reason: impl Reason,
    message: impl Into<String>,
    metadata: impl IntoIterator<Item = Metadata>,
) -> Status {
    let mut details = ErrorDetails::new();
    put_reason(&mut details, reason, metadata);
    Status::with_error_details(code, message, details)
}

fn retriable(code: Code, reason: impl Reason, message: impl Into<String>, retry_after: Duration) -> Status {
    let mut details = ErrorDetails::with_retry_info(Some(retry_after));
    put_reason(&mut details, reason, []);
    Status::with_error_details(code, message, details)
}

fn put_reason<R: Reason>(
    details: &mut ErrorDetails,
    reason: R,
    metadata: impl IntoIterator<Item = Metadata>,
) {
    let metadata: HashMap<_, _> = metadata.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    details.set_error_info(reason.name(), R::DOMAIN, metadata);
}
