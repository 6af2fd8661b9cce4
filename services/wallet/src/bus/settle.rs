//! Carrying out an order on a match's money.

use domain_ledger::idempotency::{Idempotency, InputHash, Turn, turn_of};
use domain_ledger::{Balances, MatchId, RefundReason, Settlement};
use event_bus::{HandleError, Message};
use event_store::Metadata;
use sha2::{Digest, Sha256};
use sqlx::PgConnection;

use crate::app::match_money::{MatchMoney, Order, Verdict};
use crate::app::posting::{Draft, WalletEvent};
use crate::app::{match_uuid, player_uuid, step_uuid};
use crate::store::log::LoadError;
use crate::store::operations::{self, OperationOutcome};
use crate::store::posting::{Place, PostError, post};
use crate::store::{balances, log};
use crate::{SERVICE, telemetry};

/// Does what the order says, unless it was done, and stores what came of it (`WALLET-2`).
pub(super) async fn settle(
    conn: &mut PgConnection,
    match_id: MatchId,
    order: &Order,
    cause: &Message,
) -> Result<(), HandleError> {
    let stream_id = match_uuid(match_id);
    log::lock_stream(conn, stream_id).await?;
    let operation = step_uuid(stream_id, order.step());
    let input_hash = digest(order);
    let stored = operations::find(conn, operation).await?;
    match turn_of(stored.as_ref(), input_hash) {
        Ok(Turn::First) => {}
        Ok(Turn::Repeat(_)) => {
            metrics::counter!(telemetry::REPEATS, "step" => order.step()).increment(1);
            return Ok(());
        }
        Err(reused) => return contradiction(order, &reused),
    }
    let (money, expected) = log::load_match(conn, match_id).await?;
    let locked = match money.accounts(order) {
        Some((currency, accounts)) => balances::lock(conn, &accounts, currency).await?,
        None => Balances::new(),
    };
    let outcome = match money.decide(&locked, order) {
        Err(contradicts) => return contradiction(order, &contradicts),
        Ok(Verdict::NotYet) => {
            return Err(HandleError::Transient("the stakes of the match are not held yet".to_owned()));
        }
        Ok(Verdict::Nothing) => outcome_of(&money),
        Ok(Verdict::Post(draft)) => {
            let outcome = outcome_of(&money.evolve(&draft.event));
            count(&draft);
            let place = Place { expected, metadata: Metadata::caused_by(cause, SERVICE) };
            post(conn, vec![draft], locked, place).await?;
            outcome
        }
    };
    let first = Idempotency { input_hash, outcome };
    operations::insert(conn, operation, &first).await?;
    Ok(())
}

/// Parks the message, where an operator finds it: nobody else can tell which of the two is right.
fn contradiction(order: &Order, cause: &impl std::error::Error) -> Result<(), HandleError> {
    metrics::counter!(telemetry::CONTRADICTIONS, "step" => order.step()).increment(1);
    Err(HandleError::Permanent(cause.to_string()))
}

fn outcome_of(money: &MatchMoney) -> OperationOutcome {
    match money.settlement() {
        Settlement::Refused(_) => OperationOutcome::Refused,
        _ => OperationOutcome::Done,
    }
}

fn count(draft: &Draft) {
    let event = match draft.event {
        WalletEvent::AccountOpened { .. } => "account_opened",
        WalletEvent::MoneyDeposited { .. } => "money_deposited",
        WalletEvent::StakesHeld { .. } => "stakes_held",
        WalletEvent::StakesRefused { .. } => "stakes_refused",
        WalletEvent::PotPaid { .. } => "pot_paid",
        WalletEvent::StakesRefunded { .. } => "stakes_refunded",
    };
    metrics::counter!(telemetry::POSTINGS, "event" => event).increment(1);
}

/// The digest of what an order asks. It names every field, so that two orders have one digest only if they are one order.
fn digest(order: &Order) -> InputHash {
    let text = match order {
        Order::Hold { hold, game } => format!(
            "hold white={} black={} stake={} {} fee={} game={}",
            player_uuid(hold.white),
            player_uuid(hold.black),
            hold.stake.minor(),
            hold.currency,
            hold.fee.get(),
            game.0,
        ),
        Order::HoldMalformed => "hold malformed".to_owned(),
        Order::Cancel => "cancel".to_owned(),
        Order::Pay { game, winner } => {
            format!("pay game={} winner={}", game.0, player_uuid(*winner))
        }
        Order::Refund { game, reason } => {
            let reason = match reason {
                RefundReason::Drawn => "drawn",
                RefundReason::Aborted => "aborted",
                RefundReason::Cancelled => "cancelled",
            };
            format!("refund game={} reason={reason}", game.0)
        }
    };
    InputHash(Sha256::digest(text.as_bytes()).into())
}

impl From<LoadError> for HandleError {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Store(error) => error.into(),
            LoadError::Codec(error) => Self::Permanent(error.to_string()),
        }
    }
}

impl From<PostError> for HandleError {
    fn from(error: PostError) -> Self {
        match error {
            PostError::Store(error) => error.into(),
            PostError::Append(error) => error.into(),
            PostError::Unbookable(_) | PostError::RowsMissing { .. } => Self::Permanent(error.to_string()),
        }
    }
}
