//! Errors as statuses.

use event_bus::dead_letter_actions::ActError;
use event_store::LookError;
use proto::operator::v1::ErrorReason;
use service_kit::status;
use tonic::Status;

pub(super) fn of_look(error: LookError) -> Status {
    match error {
        LookError::TooLong => status::failed_precondition(
            ErrorReason::RangeTooWide,
            "the search took too long; ask for a shorter time, or for streams",
            [],
        ),
        LookError::Database(error) => status::from_sqlx(&error),
    }
}

pub(super) fn of_act(error: ActError) -> Status {
    match error {
        ActError::NotParked => status::not_found(ErrorReason::DeadLetterUnknown, "no such message is parked"),
        ActError::NotFirst { first } => status::failed_precondition(
            ErrorReason::DeadLetterNotFirst,
            format!("version {first} of the stream is parked before it"),
            [("first_version", first.to_string())],
        ),
        ActError::RequestReused => status::request_id_reused(ErrorReason::RequestIdReused),
        ActError::Database(error) => status::from_sqlx(&error),
    }
}
