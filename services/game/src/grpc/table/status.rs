//! Refusals and failures at tables as statuses.

use pb::ErrorReason;
use proto::{game::v1 as pb, types::v1::CommonErrorReason};
use service_kit::status::{self as kit, RETRY_AFTER};
use tonic::Status;

use super::super::status::{of_act, of_journal};
use crate::app::{TableError, TableRefusal};

pub(super) fn of_table(error: TableError) -> Status {
    let message = error.to_string();
    match error {
        TableError::Unknown => kit::not_found(ErrorReason::TableUnknown, message),
        TableError::Refused(refusal) => of_refusal(refusal, message),
        TableError::TermsNotAllowed => kit::failed_precondition(ErrorReason::TermsNotAllowed, message, []),
        TableError::TooManyTables => kit::failed_precondition(ErrorReason::TooManyTables, message, []),
        TableError::RequestIdReused => kit::request_id_reused(ErrorReason::RequestIdReused),
        TableError::Busy => kit::exhausted(CommonErrorReason::Overloaded, message, RETRY_AFTER),
        TableError::Game(error) => of_act(error),
        TableError::Journal(error) => of_journal(error),
    }
}

fn of_refusal(refusal: TableRefusal, message: String) -> Status {
    let reason = match refusal {
        TableRefusal::NotSeated => return kit::permission_denied(ErrorReason::NotSeated, message),
        TableRefusal::GameRunning { game_id } => {
            let metadata = [("game_id", game_id.to_string())];
            return kit::failed_precondition(ErrorReason::GameRunning, message, metadata);
        }
        TableRefusal::Closed => ErrorReason::TableClosed,
        TableRefusal::Full => ErrorReason::TableFull,
        TableRefusal::AlreadySeated => ErrorReason::AlreadySeated,
        TableRefusal::NoRematch => ErrorReason::NoRematch,
        TableRefusal::NoRematchOffer => ErrorReason::NoRematchOffer,
        TableRefusal::RematchOfferOpen => ErrorReason::RematchOfferOpen,
    };
    kit::failed_precondition(reason, message, [])
}
