//! Refusals and failures as statuses, in one place.

use domain_chess::{Ended, Refusal};
use pb::ErrorReason;
use proto::{game::v1 as pb, types::v1::CommonErrorReason};
use service_kit::status::{self as kit, RETRY_AFTER};
use tonic::Status;

use crate::{
    app::{ActError, AdditionRefused, JournalError, ReadError, Refused, WatchError},
    wire,
};

/// Of a player's request.
pub(super) fn of_act(error: ActError) -> Status {
    match error {
        ActError::Refused(refused) => of_refused(refused),
        ActError::Overloaded => kit::overloaded(),
        ActError::Unreachable => kit::unavailable("the game cannot be reached for the moment", RETRY_AFTER),
        ActError::Journal(error) => of_journal(error),
    }
}

/// Of reading a game.
pub(super) fn of_read(error: ReadError) -> Status {
    match error {
        ReadError::Unknown => unknown(),
        ReadError::Journal(error) => of_journal(error),
    }
}

/// Of following a game.
pub(super) fn of_watch(error: WatchError) -> Status {
    match error {
        WatchError::Unknown => unknown(),
        WatchError::BeyondLog { last } => kit::out_of_range(
            ErrorReason::ResumeBeyondLog,
            "resume_after is beyond the log of the game",
            [("last_sequence", last.to_string())],
        ),
        WatchError::TooMany => {
            kit::exhausted(CommonErrorReason::Overloaded, "too many are watching this game", RETRY_AFTER)
        }
        WatchError::Journal(error) => of_journal(error),
    }
}

fn unknown() -> Status {
    kit::not_found(ErrorReason::GameUnknown, "there is no such game")
}

pub(super) fn of_journal(error: JournalError) -> Status {
    match error {
        JournalError::Refused(AdditionRefused::Overloaded) => kit::overloaded(),
        JournalError::Refused(AdditionRefused::Conflict { .. } | AdditionRefused::NotOwner) => {
            kit::unavailable("the game has just changed; try again", RETRY_AFTER)
        }
        JournalError::Unavailable(cause) => {
            tracing::warn!(?cause, "the log did not do it");
            kit::unavailable(
                "the log of games is not available; try again with the same request id",
                RETRY_AFTER,
            )
        }
        error @ (JournalError::Faulty(_) | JournalError::Damaged { .. }) => kit::internal(error),
    }
}

fn of_refused(refused: Refused) -> Status {
    let message = refused.to_string();
    match refused {
        Refused::GameUnknown => unknown(),
        Refused::NotAPlayer => kit::permission_denied(ErrorReason::NotAPlayer, message),
        Refused::RequestIdReused => kit::request_id_reused(ErrorReason::RequestIdReused),
        Refused::GameOver { ended } => {
            kit::failed_precondition(ErrorReason::GameOver, message, ending(ended))
        }
        Refused::PlyStale { current_ply, fen, last_uci } => {
            let last = last_uci.map(|uci| ("last_uci", uci));
            let now = [("current_ply", current_ply.to_string()), ("fen", fen)];
            kit::aborted(ErrorReason::PlyStale, message, now.into_iter().chain(last))
        }
        Refused::IllegalMove { uci, fen } => {
            kit::failed_precondition(ErrorReason::IllegalMove, message, [("uci", uci), ("fen", fen)])
        }
        Refused::PromotionMissing { uci } => {
            kit::failed_precondition(ErrorReason::PromotionMissing, message, [("uci", uci)])
        }
        Refused::ByRule(refusal) => match reason(refusal) {
            Some(reason) => kit::failed_precondition(reason, message, []),
            None => kit::internal(refusal),
        },
    }
}

/// The names of the wire without their prefixes, as everywhere in an `ErrorInfo`.
fn ending(ended: Ended) -> [(&'static str, String); 2] {
    let result = wire::result(ended.outcome).as_str_name();
    let reason = wire::end_reason(ended.reason).as_str_name();
    [
        ("result", result.trim_start_matches("GAME_RESULT_").to_owned()),
        ("end_reason", reason.trim_start_matches("END_REASON_").to_owned()),
    ]
}

/// `None` for what no request of a player can lead to.
fn reason(refusal: Refusal) -> Option<ErrorReason> {
    match refusal {
        Refusal::NotYourTurn => Some(ErrorReason::NotYourTurn),
        Refusal::NoDrawOffer | Refusal::OwnDrawOffer => Some(ErrorReason::NoDrawOffer),
        Refusal::DrawOfferLimit => Some(ErrorReason::DrawOffersUsedUp),
        Refusal::DrawOfferTooSoon { .. } | Refusal::DrawOfferOpen => Some(ErrorReason::DrawOfferNotAllowed),
        Refusal::NotAllowedByRuleSet => Some(ErrorReason::NotAllowedByRuleSet),
        Refusal::NothingToClaim => Some(ErrorReason::NothingToClaim),
        Refusal::NotStarted
        | Refusal::AlreadyStarted
        | Refusal::GameOver
        | Refusal::MalformedMove
        | Refusal::IllegalMove
        | Refusal::MissingPromotion
        | Refusal::StalePly { .. } => None,
    }
}
