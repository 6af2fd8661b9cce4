//! The refusals of this service.

use proto::rating::v1::ErrorReason;
use service_kit::status::{
    failed_precondition, from_append, from_sqlx, internal, not_found, refused, request_id_reused,
};
use tonic::{Code, Status};

use crate::app::game_record::Refusal;
use crate::corrections::CorrectError;
use crate::preview::PREVIEW_CHANGES_MAX;
use crate::store::book::BookError;
use crate::store::record::RecordError;

/// The longest name of a pool that is repeated in an answer.
const POOL_SHOWN_CHARS_MAX: usize = 32;

pub(super) fn pool_unknown(pool: &str) -> Status {
    let shown: String = pool.chars().take(POOL_SHOWN_CHARS_MAX).collect();
    refused(Code::NotFound, ErrorReason::PoolUnknown, "there is no such pool", [("pool", shown)])
}

pub(super) fn game_not_rated() -> Status {
    not_found(ErrorReason::GameNotRated, "no such game was rated")
}

pub(super) fn player_not_listed() -> Status {
    not_found(ErrorReason::PlayerNotListed, "the player is not on this leaderboard")
}

pub(super) fn recomputation_too_long(changes: u64) -> Status {
    let metadata = [("changes", changes.to_string()), ("changes_max", PREVIEW_CHANGES_MAX.to_string())];
    failed_precondition(ErrorReason::RecomputationTooLong, "too much has been played since", metadata)
}

pub(super) fn of_record(error: RecordError) -> Status {
    match error {
        RecordError::Store(error) => from_sqlx(&error),
        error @ (RecordError::Codec(_) | RecordError::Damaged(_)) => internal(error),
    }
}

pub(super) fn of_correct(error: CorrectError) -> Status {
    match error {
        CorrectError::Refused(refusal @ Refusal::Voided) => {
            failed_precondition(ErrorReason::GameVoided, refusal.to_string(), [])
        }
        CorrectError::Refused(refusal @ Refusal::NotAPlayer) => {
            failed_precondition(ErrorReason::NotAPlayer, refusal.to_string(), [])
        }
        CorrectError::NotRated => game_not_rated(),
        CorrectError::RequestReused => request_id_reused(ErrorReason::RequestIdReused),
        CorrectError::Record(error) => of_record(error),
        CorrectError::Book(BookError::Store(error)) => from_sqlx(&error),
        CorrectError::Book(BookError::Append(error)) => from_append(&error),
    }
}
