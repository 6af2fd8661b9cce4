//! From bytes to what was decided.

use domain_ledger::{
    Amount, BasisPoints, Currency, Entry, Hold, MatchId, PlayerId, PotSplit, RefundReason as LedgerReason,
    Transfer, TransferId, TransferKind, TransferParts,
};
use event_store::RecordedEvent;
use prost::Message;
use proto::types::v1::Money;
use proto::wallet::v1 as wire;
use uuid::Uuid;

use super::{SCHEMA, account, house, kinds};
use crate::app::GameId;
use crate::app::posting::{BookedTransfer, Posting, StakesRefusal, WalletEvent};
use crate::store::AccountKey;

/// What is wrong with an event, in words.
pub(super) struct Reason(pub(super) String);

impl<E: std::error::Error> From<E> for Reason {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

pub(super) fn reason<T>(what: &str) -> Result<T, Reason> {
    Err(Reason(what.to_owned()))
}

pub(super) fn posting(event: &RecordedEvent) -> Result<Posting, Reason> {
    if event.schema != SCHEMA {
        return reason("unknown schema");
    }
    let data = event.data.as_slice();
    match event.kind.as_str() {
        kinds::ACCOUNT_OPENED => account_opened(wire::AccountOpened::decode(data)?),
        kinds::STAKES_HELD => stakes_held(wire::StakesHeld::decode(data)?),
        kinds::STAKES_REFUSED => stakes_refused(&wire::StakesRefused::decode(data)?),
        kinds::POT_PAID => pot_paid(wire::PotPaid::decode(data)?),
        kinds::PRIZE_WITHHELD => prize_withheld(wire::PrizeWithheld::decode(data)?),
        kinds::PRIZE_RELEASED => prize_released(wire::PrizeReleased::decode(data)?),
        kinds::STAKES_REFUNDED => stakes_refunded(wire::StakesRefunded::decode(data)?),
        kinds::VICTIM_REFUNDED | kinds::FUND_ADJUSTED => house::read(&event.kind, data),
        kind => account::read(kind, data),
    }
}

fn account_opened(message: wire::AccountOpened) -> Result<Posting, Reason> {
    let event = WalletEvent::AccountOpened { player: player(&message.player_id)?, name: message.name };
    Ok(Posting { event, transfers: Vec::new() })
}

fn stakes_held(message: wire::StakesHeld) -> Result<Posting, Reason> {
    let match_id = match_id(&message.match_id)?;
    let (stake_minor, currency) = money(message.stake)?;
    let hold = Hold {
        match_id,
        white: player(&message.white_player_id)?,
        black: player(&message.black_player_id)?,
        stake: Amount::new(stake_minor)?,
        currency,
        fee: BasisPoints::new(message.fee_basis_points)?,
    };
    Ok(Posting {
        event: WalletEvent::StakesHeld { hold, game: game(&message.game_id)? },
        transfers: all_booked(message.transfers, match_id)?,
    })
}

fn stakes_refused(message: &wire::StakesRefused) -> Result<Posting, Reason> {
    let refusal = match message.reason() {
        wire::RefusalReason::InsufficientFunds => {
            StakesRefusal::InsufficientFunds(player(&message.player_id)?)
        }
        wire::RefusalReason::Invalid => StakesRefusal::Invalid,
        wire::RefusalReason::MatchCancelled => StakesRefusal::MatchCancelled,
        wire::RefusalReason::NotEligible => StakesRefusal::NotEligible(player(&message.player_id)?),
        wire::RefusalReason::Unspecified => return reason("no reason of the refusal"),
    };
    Ok(Posting {
        event: WalletEvent::StakesRefused { match_id: match_id(&message.match_id)?, refusal },
        transfers: Vec::new(),
    })
}

fn pot_paid(message: wire::PotPaid) -> Result<Posting, Reason> {
    let match_id = match_id(&message.match_id)?;
    let (payout_minor, currency) = money(message.payout)?;
    let (fee_minor, fee_currency) = money(message.fee)?;
    if currency != fee_currency {
        return reason("payout and fee in two currencies");
    }
    Ok(Posting {
        event: WalletEvent::PotPaid {
            match_id,
            game: game(&message.game_id)?,
            winner: player(&message.winner_player_id)?,
            currency,
            split: PotSplit { payout_minor, fee_minor },
        },
        transfers: all_booked(message.transfers, match_id)?,
    })
}

fn prize_withheld(message: wire::PrizeWithheld) -> Result<Posting, Reason> {
    let match_id = match_id(&message.match_id)?;
    let event = WalletEvent::PrizeWithheld {
        match_id,
        game: game(&message.game_id)?,
        player: player(&message.player_id)?,
        prize_hold: message.prize_hold_id.parse()?,
        until_ms: message.until_ms,
    };
    Ok(Posting { event, transfers: all_booked(message.transfers, match_id)? })
}

fn prize_released(message: wire::PrizeReleased) -> Result<Posting, Reason> {
    let match_id = match_id(&message.match_id)?;
    let event = WalletEvent::PrizeReleased {
        match_id,
        game: game(&message.game_id)?,
        player: player(&message.player_id)?,
        prize_hold: message.prize_hold_id.parse()?,
    };
    Ok(Posting { event, transfers: all_booked(message.transfers, match_id)? })
}

fn stakes_refunded(message: wire::StakesRefunded) -> Result<Posting, Reason> {
    let match_id = match_id(&message.match_id)?;
    let refund_reason = match message.reason() {
        wire::RefundReason::Drawn => LedgerReason::Drawn,
        wire::RefundReason::Aborted => LedgerReason::Aborted,
        wire::RefundReason::Cancelled => LedgerReason::Cancelled,
        wire::RefundReason::Unspecified => return reason("no reason of the refund"),
    };
    Ok(Posting {
        event: WalletEvent::StakesRefunded { match_id, game: game(&message.game_id)?, reason: refund_reason },
        transfers: all_booked(message.transfers, match_id)?,
    })
}

pub(super) fn all_booked(
    transfers: Vec<wire::LedgerTransfer>,
    match_id: MatchId,
) -> Result<Vec<BookedTransfer>, Reason> {
    transfers.into_iter().map(|transfer| booked(transfer, Subject::Match(match_id))).collect()
}

/// What a transfer is about, which stands in the event around it.
#[derive(Clone, Copy)]
pub(super) enum Subject {
    /// A player's own money.
    Account,
    /// An earlier transfer.
    Reversal(TransferId),
    /// The money of a match.
    Match(MatchId),
    /// The house's fund.
    Fund,
}

pub(super) fn booked(message: wire::LedgerTransfer, subject: Subject) -> Result<BookedTransfer, Reason> {
    let kind = match (message.kind(), subject) {
        (wire::TransferKind::Deposit, Subject::Account) => TransferKind::Deposit,
        (wire::TransferKind::Withdrawal, Subject::Account) => TransferKind::Withdrawal,
        (wire::TransferKind::Adjustment, Subject::Account) => TransferKind::Adjustment,
        (wire::TransferKind::Reversal, Subject::Reversal(of)) => TransferKind::Reversal(of),
        (wire::TransferKind::Hold, Subject::Match(id)) => TransferKind::Hold(id),
        (wire::TransferKind::Collect, Subject::Match(id)) => TransferKind::Collect(id),
        (wire::TransferKind::Payout, Subject::Match(id)) => TransferKind::Payout(id),
        (wire::TransferKind::Refund, Subject::Match(id)) => TransferKind::Refund(id),
        (wire::TransferKind::PrizeWithheld, Subject::Match(id)) => TransferKind::Withhold(id),
        (wire::TransferKind::PrizeReleased, Subject::Match(id)) => TransferKind::Release(id),
        (wire::TransferKind::Restitution, Subject::Match(id)) => TransferKind::Restitution(id),
        (wire::TransferKind::Funding, Subject::Fund) => TransferKind::Funding,
        _ => return reason("a transfer of a kind that does not belong here"),
    };
    let after_minor = message.entries.iter().map(|entry| entry.balance_after_minor_units).collect();
    let entries: Result<Vec<Entry>, Reason> = message.entries.iter().map(entry).collect();
    let parts = TransferParts {
        id: TransferId::new(message.transfer_id.parse::<Uuid>()?.as_u128()),
        kind,
        currency: Currency::parse(&message.currency)?,
        entries: entries?,
    };
    Ok(BookedTransfer { transfer: Transfer::new(parts)?, after_minor })
}

fn entry(message: &wire::LedgerEntry) -> Result<Entry, Reason> {
    let owner_id = if message.owner_id.is_empty() { Uuid::nil() } else { message.owner_id.parse()? };
    let key = AccountKey { kind: i16::try_from(message.account)?, owner_id };
    match key.account() {
        Some(account) => Ok(Entry { account, minor_signed: message.change_minor_units }),
        None => reason("an entry on no known account"),
    }
}

pub(super) fn money(message: Option<Money>) -> Result<(i64, Currency), Reason> {
    let Some(money) = message else {
        return reason("an amount is missing");
    };
    Ok((money.minor_units, Currency::parse(&money.currency)?))
}

pub(super) fn player(text: &str) -> Result<PlayerId, Reason> {
    Ok(PlayerId::new(text.parse::<Uuid>()?.as_u128()))
}

pub(super) fn match_id(text: &str) -> Result<MatchId, Reason> {
    Ok(MatchId::new(text.parse::<Uuid>()?.as_u128()))
}

pub(super) fn game(text: &str) -> Result<GameId, Reason> {
    Ok(GameId(text.parse()?))
}
