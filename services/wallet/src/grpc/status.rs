//! The refusals of this service.

use domain_ledger::Refusal;
use domain_ledger::eligibility::{Ineligible, StandingRefusal};
use proto::wallet::v1::ErrorReason;
use service_kit::status::{failed_precondition, from_append, from_sqlx, internal, not_found};
use sqlx::PgPool;
use tonic::Status;
use uuid::Uuid;

use super::command::Failure;
use crate::cashier::CashierError;
use crate::store::accounts;
use crate::store::codec::limit_code;
use crate::store::log::LoadError;
use crate::store::posting::PostError;

/// Refuses a player who has no account (yet): an empty answer would look like an empty account.
pub(super) async fn check_account(pool: &PgPool, player_id: Uuid) -> Result<(), Status> {
    let exists = accounts::all_exist(pool, &[player_id]).await.map_err(|error| from_sqlx(&error))?;
    if exists { Ok(()) } else { Err(account_unknown()) }
}

fn account_unknown() -> Status {
    not_found(
        ErrorReason::AccountUnknown,
        "there is no account yet; it is opened within moments of signing up",
    )
}

/// What was not done at the desk. That an account is missing is no answer for ever: it may come any moment.
pub(super) fn of_cashier(error: CashierError) -> Failure {
    match error {
        CashierError::Refused(refusal) => Failure::Refused(of_refusal(&refusal)),
        CashierError::Ineligible(Ineligible::Undecidable) => {
            Failure::Broken(of_ineligible(&Ineligible::Undecidable))
        }
        CashierError::Ineligible(reason) => Failure::Refused(of_ineligible(&reason)),
        CashierError::NoAccount => Failure::Broken(account_unknown()),
        CashierError::Unknown => {
            Failure::Refused(not_found(ErrorReason::TransferUnknown, "the player has no such transfer"))
        }
        CashierError::Concluded => Failure::Refused(failed_precondition(
            ErrorReason::TransferReversed,
            "the transfer was reversed before",
            [],
        )),
        CashierError::OtherAmount => Failure::Broken(internal("a provider's word reached a command")),
        CashierError::Load(LoadError::Store(error)) | CashierError::Store(error) => {
            Failure::Broken(from_sqlx(&error))
        }
        CashierError::Load(LoadError::Codec(error)) => Failure::Broken(internal(error)),
        CashierError::Post(PostError::Store(error)) => Failure::Broken(from_sqlx(&error)),
        CashierError::Post(PostError::Append(error)) => Failure::Broken(from_append(&error)),
        CashierError::Post(error) => Failure::Broken(internal(error)),
    }
}

fn of_refusal(refusal: &Refusal) -> Status {
    let reason = match refusal {
        Refusal::InsufficientFunds { .. } | Refusal::WrongCurrency { .. } => ErrorReason::InsufficientFunds,
        Refusal::Overflow => ErrorReason::BalanceTooLarge,
        Refusal::NotReversible => ErrorReason::TransferNotReversible,
        Refusal::FundTooSmall { .. } | Refusal::FeesTooSmall { .. } => ErrorReason::FundTooSmall,
        other => return internal(other),
    };
    failed_precondition(reason, refusal.to_string(), [])
}

/// Why somebody may not do something.
pub(super) fn of_ineligible(reason: &Ineligible) -> Status {
    let rule = match reason {
        Ineligible::IdentityUnknown => "IDENTITY",
        Ineligible::TooYoung => "AGE",
        Ineligible::Region => "REGION",
        Ineligible::Excluded => "EXCLUDED",
        Ineligible::Limit { .. } => "LIMIT",
        Ineligible::Undecidable => "UNDECIDABLE",
    };
    let mut metadata = vec![("rule", rule.to_owned())];
    if let Ineligible::Limit { kind, left_minor } = reason {
        let name = limit_code(*kind).as_str_name();
        metadata.push(("limit", name.strip_prefix("LIMIT_KIND_").unwrap_or(name).to_owned()));
        metadata.push(("left_minor_units", left_minor.to_string()));
    }
    failed_precondition(ErrorReason::NotEligible, reason.to_string(), metadata)
}

/// Why a wish of a player's is not done.
pub(super) fn of_standing(refusal: StandingRefusal) -> Failure {
    let reason = match refusal {
        StandingRefusal::TooShort => ErrorReason::ExclusionTooShort,
        StandingRefusal::Shortens => ErrorReason::ExclusionStands,
        StandingRefusal::NegativeLimit => return Failure::Broken(internal(refusal)),
    };
    Failure::Refused(failed_precondition(reason, refusal.to_string(), []))
}
