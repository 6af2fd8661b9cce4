//! What a status says, for assertions.

use tonic::Status;
use tonic_types::StatusExt as _;

/// The reason in a status's one `ErrorInfo`; empty without one.
#[must_use]
pub fn reason(status: &Status) -> String {
    status.get_error_details().error_info().map(|info| info.reason.clone()).unwrap_or_default()
}

/// A value of its metadata.
#[must_use]
pub fn metadata(status: &Status, key: &str) -> Option<String> {
    status.get_error_details().error_info()?.metadata.get(key).cloned()
}

/// The fields that its `BadRequest` names.
#[must_use]
pub fn bad_fields(status: &Status) -> Vec<String> {
    let details = status.get_error_details();
    let violations = details.bad_request().map(|bad| bad.field_violations.clone()).unwrap_or_default();
    violations.into_iter().map(|violation| violation.field).collect()
}
