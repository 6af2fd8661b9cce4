//! The answers of owners on the wire: what was done, refused, or could not be decided.

use domain_chess::Refusal;
use proto::game::v1::{self as pb, owner_reply::Outcome};

use super::words;
use crate::app::{ActError, AdditionRefused, JournalError, Receipt, Refused};

/// The owner's answer.
pub fn reply(answer: Result<Receipt, ActError>) -> pb::OwnerReply {
    let outcome = match answer {
        Ok(receipt) => Outcome::Done(words::done(&receipt)),
        Err(ActError::Refused(refused)) => match refusal(&refused) {
            Some(refusal) => Outcome::Refused(refusal),
            None => {
                tracing::error!(%refused, "a request was refused for a reason that no request can have");
                Outcome::Failure(pb::ActFailure::Internal.into())
            }
        },
        Err(error) => Outcome::Failure(failure(error).into()),
    };
    pb::OwnerReply { outcome: Some(outcome) }
}

/// Reads an owner's answer. One that makes no sense is no answer.
pub fn read_reply(message: &pb::OwnerReply) -> Result<Receipt, ActError> {
    match &message.outcome {
        Some(Outcome::Done(done)) => words::read_done(done).ok_or(ActError::Unreachable),
        Some(Outcome::Refused(refused)) => {
            Err(read_refusal(refused).map_or(ActError::Unreachable, ActError::Refused))
        }
        Some(Outcome::Failure(failure)) => Err(read_failure(*failure)),
        None => Err(ActError::Unreachable),
    }
}

fn failure(error: ActError) -> pb::ActFailure {
    match error {
        ActError::Unreachable | ActError::Refused(_) => pb::ActFailure::NotOwner,
        ActError::Overloaded | ActError::Journal(JournalError::Refused(AdditionRefused::Overloaded)) => {
            pb::ActFailure::Overloaded
        }
        ActError::Journal(JournalError::Refused(_)) => pb::ActFailure::NotOwner,
        ActError::Journal(error @ JournalError::Unavailable(_)) => {
            tracing::warn!(%error, "the log did not do what another instance asked for");
            pb::ActFailure::LogUnavailable
        }
        ActError::Journal(error) => {
            tracing::error!(%error, "the log failed for another instance");
            pb::ActFailure::Internal
        }
    }
}

fn read_failure(failure: i32) -> ActError {
    match pb::ActFailure::try_from(failure) {
        Ok(pb::ActFailure::Overloaded) => ActError::Overloaded,
        Ok(pb::ActFailure::LogUnavailable) => {
            JournalError::Unavailable("the owner cannot reach the log".into()).into()
        }
        Ok(pb::ActFailure::Internal) => JournalError::Faulty("the owner failed".into()).into(),
        Ok(pb::ActFailure::NotOwner | pb::ActFailure::Unspecified) | Err(_) => ActError::Unreachable,
    }
}

/// `None` for what no request of a player can lead to.
fn refusal(refused: &Refused) -> Option<pb::ActRefused> {
    let because = |reason: pb::ActRefusal| pb::ActRefused { reason: reason.into(), ..Default::default() };
    Some(match refused {
        Refused::GameUnknown => because(pb::ActRefusal::GameUnknown),
        Refused::NotAPlayer => because(pb::ActRefusal::NotAPlayer),
        Refused::RequestIdReused => because(pb::ActRefusal::RequestIdReused),
        Refused::GameOver { ended } => pb::ActRefused {
            ended: Some(words::ended(ended)),
            has_clocks: ended.clocks.is_some(),
            ..because(pb::ActRefusal::GameOver)
        },
        Refused::PlyStale { current_ply, fen, last_uci } => pb::ActRefused {
            count: *current_ply,
            fen: fen.clone(),
            uci: last_uci.clone().unwrap_or_default(),
            ..because(pb::ActRefusal::PlyStale)
        },
        Refused::IllegalMove { uci, fen } => {
            pb::ActRefused { fen: fen.clone(), uci: uci.clone(), ..because(pb::ActRefusal::IllegalMove) }
        }
        Refused::PromotionMissing { uci } => {
            pb::ActRefused { uci: uci.clone(), ..because(pb::ActRefusal::PromotionMissing) }
        }
        Refused::ByRule(refusal) => by_rule(*refusal)?,
    })
}

fn by_rule(refusal: Refusal) -> Option<pb::ActRefused> {
    let (reason, count) = match refusal {
        Refusal::NotYourTurn => (pb::ActRefusal::NotYourTurn, 0),
        Refusal::NoDrawOffer => (pb::ActRefusal::NoDrawOffer, 0),
        Refusal::DrawOfferLimit => (pb::ActRefusal::DrawOfferLimit, 0),
        Refusal::DrawOfferTooSoon { own_moves_left } => (pb::ActRefusal::DrawOfferTooSoon, own_moves_left),
        Refusal::DrawOfferOpen => (pb::ActRefusal::DrawOfferOpen, 0),
        Refusal::OwnDrawOffer => (pb::ActRefusal::OwnDrawOffer, 0),
        Refusal::NothingToClaim => (pb::ActRefusal::NothingToClaim, 0),
        Refusal::NotAllowedByRuleSet => (pb::ActRefusal::NotAllowedByRuleSet, 0),
        Refusal::NotStarted
        | Refusal::AlreadyStarted
        | Refusal::GameOver
        | Refusal::MalformedMove
        | Refusal::IllegalMove
        | Refusal::MissingPromotion
        | Refusal::StalePly { .. } => return None,
    };
    Some(pb::ActRefused { reason: reason.into(), count, ..Default::default() })
}

fn read_refusal(message: &pb::ActRefused) -> Option<Refused> {
    let (fen, uci) = (message.fen.clone(), message.uci.clone());
    Some(match message.reason() {
        pb::ActRefusal::GameUnknown => Refused::GameUnknown,
        pb::ActRefusal::NotAPlayer => Refused::NotAPlayer,
        pb::ActRefusal::RequestIdReused => Refused::RequestIdReused,
        pb::ActRefusal::GameOver => {
            Refused::GameOver { ended: words::read_ended(message.ended.as_ref()?, message.has_clocks)? }
        }
        pb::ActRefusal::PlyStale => {
            let last_uci = Some(uci).filter(|uci| !uci.is_empty());
            Refused::PlyStale { current_ply: message.count, fen, last_uci }
        }
        pb::ActRefusal::IllegalMove => Refused::IllegalMove { uci, fen },
        pb::ActRefusal::PromotionMissing => Refused::PromotionMissing { uci },
        pb::ActRefusal::NotYourTurn => Refused::ByRule(Refusal::NotYourTurn),
        pb::ActRefusal::NoDrawOffer => Refused::ByRule(Refusal::NoDrawOffer),
        pb::ActRefusal::DrawOfferLimit => Refused::ByRule(Refusal::DrawOfferLimit),
        pb::ActRefusal::DrawOfferTooSoon => {
            Refused::ByRule(Refusal::DrawOfferTooSoon { own_moves_left: message.count })
        }
        pb::ActRefusal::DrawOfferOpen => Refused::ByRule(Refusal::DrawOfferOpen),
        pb::ActRefusal::OwnDrawOffer => Refused::ByRule(Refusal::OwnDrawOffer),
        pb::ActRefusal::NothingToClaim => Refused::ByRule(Refusal::NothingToClaim),
        pb::ActRefusal::NotAllowedByRuleSet => Refused::ByRule(Refusal::NotAllowedByRuleSet),
        pb::ActRefusal::Unspecified => return None,
    })
}
