//! The events of a player's own money and of what a player may do, both ways.

use domain_ledger::eligibility::{BirthDate, Exclusion, Identity, LimitKind, Region, StandingEvent};
use domain_ledger::{Amount, Currency, Direction, PlayerId, TransferId};
use prost::Message;
use proto::wallet::v1 as wire;
use uuid::Uuid;

use super::decode::{Reason, Subject, booked, money as read_money, player, reason};
use super::encode::{Encoded, encoded, money, player_text};
use super::kinds;
use crate::app::posting::{AdjustmentDecision, DepositSource, PaymentOutcome, Posting, WalletEvent};

/// Writes the events that the parent does not.
pub(super) fn write(event: &WalletEvent, transfer: Option<wire::LedgerTransfer>) -> Encoded {
    match event {
        WalletEvent::MoneyDeposited { player, source } => {
            let message = wire::MoneyDeposited {
                player_id: player_text(*player),
                transfer,
                provider: source.provider.clone(),
                provider_event_id: source.provider_event_id.clone(),
            };
            encoded(kinds::MONEY_DEPOSITED, &message)
        }
        WalletEvent::MoneyWithdrawn { player, provider } => {
            let provider = provider.clone();
            let message = wire::MoneyWithdrawn { player_id: player_text(*player), transfer, provider };
            encoded(kinds::MONEY_WITHDRAWN, &message)
        }
        WalletEvent::MoneyAdjusted { player, adjustment, reason, proposed_by, approved_by } => {
            let message = wire::MoneyAdjusted {
                player_id: player_text(*player),
                transfer,
                reason: reason.clone(),
                proposed_by: proposed_by.to_string(),
                approved_by: approved_by.map(|id| id.to_string()).unwrap_or_default(),
                adjustment_id: adjustment.to_string(),
            };
            encoded(kinds::MONEY_ADJUSTED, &message)
        }
        WalletEvent::TransferReversed { player, reversed, reason, reversed_by } => {
            let message = wire::TransferReversed {
                player_id: player_text(*player),
                transfer,
                reversed_transfer_id: Uuid::from_u128(reversed.value()).to_string(),
                reason: reason.clone(),
                reversed_by: reversed_by.clone(),
            };
            encoded(kinds::TRANSFER_REVERSED, &message)
        }
        WalletEvent::StandingChanged { player, change, changed_by } => {
            write_standing(*player, change, *changed_by)
        }
        event => write_process(event),
    }
}

/// Writes the events of payments and adjustments on their way.
fn write_process(event: &WalletEvent) -> Encoded {
    match event {
        WalletEvent::DepositRequested { payment, player, amount, currency, provider } => {
            let message = wire::DepositRequested {
                payment_id: payment.to_string(),
                player_id: player_text(*player),
                amount: Some(money(amount.minor(), *currency)),
                provider: provider.clone(),
            };
            encoded(kinds::DEPOSIT_REQUESTED, &message)
        }
        WalletEvent::PaymentConcluded { payment, player, outcome, provider_event_id } => {
            let outcome = match outcome {
                PaymentOutcome::Settled => wire::PaymentOutcome::Settled,
                PaymentOutcome::Failed => wire::PaymentOutcome::Failed,
            };
            let message = wire::PaymentConcluded {
                payment_id: payment.to_string(),
                player_id: player_text(*player),
                outcome: outcome as i32,
                provider_event_id: provider_event_id.clone(),
            };
            encoded(kinds::PAYMENT_CONCLUDED, &message)
        }
        WalletEvent::AdjustmentProposed {
            adjustment,
            player,
            direction,
            amount,
            currency,
            reason,
            proposed_by,
        } => {
            let message = wire::AdjustmentProposed {
                adjustment_id: adjustment.to_string(),
                player_id: player_text(*player),
                amount: Some(money(signed(*direction, *amount), *currency)),
                reason: reason.clone(),
                proposed_by: proposed_by.to_string(),
            };
            encoded(kinds::ADJUSTMENT_PROPOSED, &message)
        }
        WalletEvent::AdjustmentDecided { adjustment, decision, decided_by } => {
            let message = wire::AdjustmentDecided {
                adjustment_id: adjustment.to_string(),
                approved: *decision == AdjustmentDecision::Approved,
                decided_by: decided_by.to_string(),
            };
            encoded(kinds::ADJUSTMENT_DECIDED, &message)
        }
        other => unreachable!("the parents write {}", other.name()),
    }
}

fn write_standing(player: PlayerId, change: &StandingEvent, changed_by: Option<Uuid>) -> Encoded {
    let player_id = player_text(player);
    match *change {
        StandingEvent::IdentityVerified(identity) => {
            let (year, month, day) = identity.born.parts();
            let message = wire::IdentityVerified {
                player_id,
                born: format!("{year:04}-{month:02}-{day:02}"),
                region: identity.region.code(),
                verified_by: changed_by.map(|id| id.to_string()).unwrap_or_default(),
            };
            encoded(kinds::IDENTITY_VERIFIED, &message)
        }
        StandingEvent::Excluded { exclusion, excluded_ms } => {
            let until_ms = match exclusion {
                Exclusion::Until(until_ms) => until_ms,
                Exclusion::ForEver => 0,
            };
            let message = wire::PlayerExcluded { player_id, until_ms, excluded_at_ms: excluded_ms };
            encoded(kinds::PLAYER_EXCLUDED, &message)
        }
        StandingEvent::LimitSet { kind, limit, asked_ms, from_ms } => {
            let message = wire::LimitSet {
                player_id,
                kind: limit_code(kind) as i32,
                limit_minor_units: limit,
                asked_at_ms: asked_ms,
                counts_from_ms: from_ms,
            };
            encoded(kinds::LIMIT_SET, &message)
        }
    }
}

/// The wire's name of a limit.
pub fn limit_code(kind: LimitKind) -> wire::LimitKind {
    match kind {
        LimitKind::DepositDay => wire::LimitKind::DepositDay,
        LimitKind::DepositWeek => wire::LimitKind::DepositWeek,
        LimitKind::DepositMonth => wire::LimitKind::DepositMonth,
        LimitKind::LossDay => wire::LimitKind::LossDay,
    }
}

fn signed(direction: Direction, amount: Amount) -> i64 {
    match direction {
        Direction::Credit => amount.minor(),
        Direction::Debit => -amount.minor(),
    }
}

/// Reads the events that the parent does not.
pub(super) fn read(kind: &str, data: &[u8]) -> Result<Posting, Reason> {
    match kind {
        kinds::MONEY_DEPOSITED => {
            let message = wire::MoneyDeposited::decode(data)?;
            let player = player(&message.player_id)?;
            let source =
                DepositSource { provider: message.provider, provider_event_id: message.provider_event_id };
            movement(WalletEvent::MoneyDeposited { player, source }, message.transfer, Subject::Account)
        }
        kinds::MONEY_WITHDRAWN => {
            let message = wire::MoneyWithdrawn::decode(data)?;
            let player = player(&message.player_id)?;
            let event = WalletEvent::MoneyWithdrawn { player, provider: message.provider };
            movement(event, message.transfer, Subject::Account)
        }
        kinds::MONEY_ADJUSTED => {
            let message = wire::MoneyAdjusted::decode(data)?;
            let event = WalletEvent::MoneyAdjusted {
                player: player(&message.player_id)?,
                adjustment: message.adjustment_id.parse()?,
                reason: message.reason,
                proposed_by: message.proposed_by.parse()?,
                approved_by: if_given(&message.approved_by)?,
            };
            movement(event, message.transfer, Subject::Account)
        }
        kinds::TRANSFER_REVERSED => {
            let message = wire::TransferReversed::decode(data)?;
            let reversed = TransferId::new(message.reversed_transfer_id.parse::<Uuid>()?.as_u128());
            let event = WalletEvent::TransferReversed {
                player: player(&message.player_id)?,
                reversed,
                reason: message.reason,
                reversed_by: message.reversed_by,
            };
            movement(event, message.transfer, Subject::Reversal(reversed))
        }
        _ => Ok(Posting { event: read_process(kind, data)?, transfers: Vec::new() }),
    }
}

fn read_process(kind: &str, data: &[u8]) -> Result<WalletEvent, Reason> {
    match kind {
        kinds::DEPOSIT_REQUESTED => {
            let message = wire::DepositRequested::decode(data)?;
            let (minor, currency) = read_money(message.amount)?;
            Ok(WalletEvent::DepositRequested {
                payment: message.payment_id.parse()?,
                player: player(&message.player_id)?,
                amount: Amount::new(minor)?,
                currency,
                provider: message.provider,
            })
        }
        kinds::PAYMENT_CONCLUDED => {
            let message = wire::PaymentConcluded::decode(data)?;
            let outcome = match message.outcome() {
                wire::PaymentOutcome::Settled => PaymentOutcome::Settled,
                wire::PaymentOutcome::Failed => PaymentOutcome::Failed,
                wire::PaymentOutcome::Unspecified => return reason("no outcome of the payment"),
            };
            Ok(WalletEvent::PaymentConcluded {
                payment: message.payment_id.parse()?,
                player: player(&message.player_id)?,
                outcome,
                provider_event_id: message.provider_event_id,
            })
        }
        kinds::ADJUSTMENT_PROPOSED => {
            let message = wire::AdjustmentProposed::decode(data)?;
            let (minor, currency): (i64, Currency) = read_money(message.amount)?;
            let direction = if minor < 0 { Direction::Debit } else { Direction::Credit };
            Ok(WalletEvent::AdjustmentProposed {
                adjustment: message.adjustment_id.parse()?,
                player: player(&message.player_id)?,
                direction,
                amount: Amount::try_from(i128::from(minor).abs())?,
                currency,
                reason: message.reason,
                proposed_by: message.proposed_by.parse()?,
            })
        }
        kinds::ADJUSTMENT_DECIDED => {
            let message = wire::AdjustmentDecided::decode(data)?;
            Ok(WalletEvent::AdjustmentDecided {
                adjustment: message.adjustment_id.parse()?,
                decision: match message.approved {
                    true => AdjustmentDecision::Approved,
                    false => AdjustmentDecision::Rejected,
                },
                decided_by: message.decided_by.parse()?,
            })
        }
        _ => read_standing(kind, data),
    }
}

fn read_standing(kind: &str, data: &[u8]) -> Result<WalletEvent, Reason> {
    let (player_id, change, changed_by) = match kind {
        kinds::IDENTITY_VERIFIED => {
            let message = wire::IdentityVerified::decode(data)?;
            let Some(born) = BirthDate::parse(&message.born) else {
                return reason("no date of birth");
            };
            let identity = Identity { born, region: Region::parse(&message.region)? };
            let verified_by = if_given(&message.verified_by)?;
            (message.player_id, StandingEvent::IdentityVerified(identity), verified_by)
        }
        kinds::PLAYER_EXCLUDED => {
            let message = wire::PlayerExcluded::decode(data)?;
            let exclusion = match message.until_ms {
                0 => Exclusion::ForEver,
                until_ms => Exclusion::Until(until_ms),
            };
            let excluded_ms = message.excluded_at_ms;
            (message.player_id, StandingEvent::Excluded { exclusion, excluded_ms }, None)
        }
        kinds::LIMIT_SET => {
            let message = wire::LimitSet::decode(data)?;
            let Some(kind) = limit_kind(message.kind()) else {
                return reason("no kind of limit");
            };
            let change = StandingEvent::LimitSet {
                kind,
                limit: message.limit_minor_units,
                asked_ms: message.asked_at_ms,
                from_ms: message.counts_from_ms,
            };
            (message.player_id, change, None)
        }
        _ => return reason("unknown event"),
    };
    Ok(WalletEvent::StandingChanged { player: player(&player_id)?, change, changed_by })
}

/// A limit by its name on the wire; nothing if it has none.
pub fn limit_kind(code: wire::LimitKind) -> Option<LimitKind> {
    LimitKind::ALL.into_iter().find(|kind| limit_code(*kind) == code)
}

fn movement(
    event: WalletEvent,
    transfer: Option<wire::LedgerTransfer>,
    subject: Subject,
) -> Result<Posting, Reason> {
    let Some(transfer) = transfer else {
        return reason("no transfer");
    };
    Ok(Posting { event, transfers: vec![booked(transfer, subject)?] })
}

fn if_given(text: &str) -> Result<Option<Uuid>, Reason> {
    if text.is_empty() { Ok(None) } else { Ok(Some(text.parse()?)) }
}
