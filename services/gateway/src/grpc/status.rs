//! The use cases' errors as statuses.

use std::time::Duration;

use proto::gateway::v1::ErrorReason;
use proto::types::v1::CommonErrorReason;
use service_kit::status;
use tonic::Status;

use crate::app::account::Name;
use crate::app::{HashError, RefreshError, SignInError, SignUpError, StoreFailure};

/// When a wave of sign-ins is over.
const BUSY_RETRY_AFTER: Duration = Duration::from_secs(2);

pub(super) fn of_sign_up(error: SignUpError, name: &Name) -> Status {
    match error {
        SignUpError::NameTaken => status::failed_precondition(
            ErrorReason::NameTaken,
            "another account has this name",
            [("name", name.as_str().to_owned())],
        ),
        SignUpError::Hash(error) => of_hash(error),
        SignUpError::Key(error) => status::internal(error),
        SignUpError::Store(error) => of_store(error),
    }
}

pub(super) fn of_sign_in(error: SignInError) -> Status {
    match error {
        SignInError::CredentialsWrong => credentials_wrong(),
        SignInError::Hash(error) => of_hash(error),
        SignInError::Key(error) => status::internal(error),
        SignInError::Store(error) => of_store(error),
    }
}

pub(super) fn of_refresh(error: RefreshError) -> Status {
    match error {
        RefreshError::TokenInvalid => refresh_token_invalid(),
        RefreshError::Key(error) => status::internal(error),
        RefreshError::Store(error) => of_store(error),
    }
}

pub(super) fn of_store(failure: StoreFailure) -> Status {
    match failure {
        StoreFailure::Database(error) => status::from_sqlx(&error),
        StoreFailure::Log(error) => status::from_append(&error),
        StoreFailure::Malformed | StoreFailure::Lost(_) => status::internal(failure),
    }
}

pub(super) fn credentials_wrong() -> Status {
    status::unauthenticated(ErrorReason::CredentialsWrong, "no account with this name and password")
}

pub(super) fn refresh_token_invalid() -> Status {
    let message = "the refresh token is unknown, has ended or was used before";
    status::unauthenticated(ErrorReason::RefreshTokenInvalid, message)
}

fn of_hash(error: HashError) -> Status {
    match error {
        HashError::Busy => {
            status::exhausted(CommonErrorReason::Overloaded, "too many are signing in", BUSY_RETRY_AFTER)
        }
        HashError::Failed(_) => status::internal(error),
    }
}
