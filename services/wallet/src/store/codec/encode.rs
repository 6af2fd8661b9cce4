//! From decisions to bytes.

use domain_ledger::{Currency, Entry, Hold, MatchId, PlayerId, RefundReason as LedgerReason, TransferKind};
use proto::types::v1::Money;
use proto::wallet::v1 as wire;
use uuid::Uuid;

use super::{account, house, kinds};
use crate::app::posting::{BookedTransfer, Posting, StakesRefusal, WalletEvent};
use crate::app::{GameId, match_uuid, player_uuid};
use crate::store::AccountKey;

/// An event ready for the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded {
    /// Its stable name.
    pub kind: &'static str,
    /// Its bytes.
    pub data: Vec<u8>,
}

/// Writes an event with its transfers.
#[must_use]
pub fn write(posting: &Posting) -> Encoded {
    let transfers: Vec<_> = posting.transfers.iter().map(transfer).collect();
    match &posting.event {
        WalletEvent::AccountOpened { player, name } => {
            let message = wire::AccountOpened { player_id: player_text(*player), name: name.clone() };
            encoded(kinds::ACCOUNT_OPENED, &message)
        }
        WalletEvent::StakesHeld { hold, game } => {
            encoded(kinds::STAKES_HELD, &stakes_held(hold, *game, transfers))
        }
        WalletEvent::StakesRefused { match_id, refusal } => {
            encoded(kinds::STAKES_REFUSED, &stakes_refused(*match_id, *refusal))
        }
        WalletEvent::PotPaid { match_id, game, winner, currency, split } => {
            let message = wire::PotPaid {
                match_id: match_text(*match_id),
                game_id: game.0.to_string(),
                winner_player_id: player_text(*winner),
                payout: Some(money(split.payout_minor, *currency)),
                fee: Some(money(split.fee_minor, *currency)),
                transfers,
            };
            encoded(kinds::POT_PAID, &message)
        }
        WalletEvent::StakesRefunded { match_id, game, reason } => {
            let message = wire::StakesRefunded {
                match_id: match_text(*match_id),
                game_id: game.0.to_string(),
                transfers,
                reason: refund_reason(*reason) as i32,
            };
            encoded(kinds::STAKES_REFUNDED, &message)
        }
        WalletEvent::PrizeWithheld { match_id, game, player, prize_hold, until_ms } => {
            let message = wire::PrizeWithheld {
                match_id: match_text(*match_id),
                game_id: game.0.to_string(),
                player_id: player_text(*player),
                prize_hold_id: prize_hold.to_string(),
                until_ms: *until_ms,
                transfers,
            };
            encoded(kinds::PRIZE_WITHHELD, &message)
        }
        WalletEvent::PrizeReleased { match_id, game, player, prize_hold } => {
            let message = wire::PrizeReleased {
                match_id: match_text(*match_id),
                game_id: game.0.to_string(),
                player_id: player_text(*player),
                prize_hold_id: prize_hold.to_string(),
                transfers,
            };
            encoded(kinds::PRIZE_RELEASED, &message)
        }
        WalletEvent::VictimRefunded { .. } | WalletEvent::FundAdjusted { .. } => {
            house::write(&posting.event, transfers)
        }
        event => account::write(event, transfers.into_iter().next()),
    }
}

pub(super) fn encoded(kind: &'static str, message: &impl prost::Message) -> Encoded {
    Encoded { kind, data: message.encode_to_vec() }
}

fn stakes_held(hold: &Hold, game: GameId, transfers: Vec<wire::LedgerTransfer>) -> wire::StakesHeld {
    wire::StakesHeld {
        match_id: match_text(hold.match_id),
        game_id: game.0.to_string(),
        white_player_id: player_text(hold.white),
        black_player_id: player_text(hold.black),
        stake: Some(money(hold.stake.minor(), hold.currency)),
        fee_basis_points: u32::from(hold.fee.get()),
        transfers,
    }
}

fn stakes_refused(match_id: MatchId, refusal: StakesRefusal) -> wire::StakesRefused {
    let (reason, player) = match refusal {
        StakesRefusal::InsufficientFunds(player) => (wire::RefusalReason::InsufficientFunds, Some(player)),
        StakesRefusal::Invalid => (wire::RefusalReason::Invalid, None),
        StakesRefusal::MatchCancelled => (wire::RefusalReason::MatchCancelled, None),
        StakesRefusal::NotEligible(player) => (wire::RefusalReason::NotEligible, Some(player)),
    };
    wire::StakesRefused {
        match_id: match_text(match_id),
        player_id: player.map(player_text).unwrap_or_default(),
        reason: reason as i32,
    }
}

fn transfer(booked: &BookedTransfer) -> wire::LedgerTransfer {
    let transfer = &booked.transfer;
    let entries =
        transfer.entries().iter().zip(&booked.after_minor).map(|(one, after)| entry(one, *after)).collect();
    wire::LedgerTransfer {
        transfer_id: Uuid::from_u128(transfer.id().value()).to_string(),
        kind: transfer_kind(transfer.kind()) as i32,
        currency: transfer.currency().as_str().to_owned(),
        entries,
    }
}

fn entry(entry: &Entry, after_minor: Option<i64>) -> wire::LedgerEntry {
    let key = AccountKey::from(entry.account);
    let owner_id = if key.owner_id.is_nil() { String::new() } else { key.owner_id.to_string() };
    wire::LedgerEntry {
        account: i32::from(key.kind),
        owner_id,
        change_minor_units: entry.minor_signed,
        balance_after_minor_units: after_minor,
    }
}

fn transfer_kind(kind: TransferKind) -> wire::TransferKind {
    match kind {
        TransferKind::Deposit => wire::TransferKind::Deposit,
        TransferKind::Hold(_) => wire::TransferKind::Hold,
        TransferKind::Collect(_) => wire::TransferKind::Collect,
        TransferKind::Payout(_) => wire::TransferKind::Payout,
        TransferKind::Refund(_) => wire::TransferKind::Refund,
        TransferKind::Withhold(_) => wire::TransferKind::PrizeWithheld,
        TransferKind::Release(_) => wire::TransferKind::PrizeReleased,
        TransferKind::Restitution(_) => wire::TransferKind::Restitution,
        TransferKind::Funding => wire::TransferKind::Funding,
        TransferKind::Withdrawal => wire::TransferKind::Withdrawal,
        TransferKind::Adjustment => wire::TransferKind::Adjustment,
        TransferKind::Reversal(_) => wire::TransferKind::Reversal,
    }
}

fn refund_reason(reason: LedgerReason) -> wire::RefundReason {
    match reason {
        LedgerReason::Drawn => wire::RefundReason::Drawn,
        LedgerReason::Aborted => wire::RefundReason::Aborted,
        LedgerReason::Cancelled => wire::RefundReason::Cancelled,
    }
}

pub(super) fn money(minor_units: i64, currency: Currency) -> Money {
    Money { minor_units, currency: currency.as_str().to_owned() }
}

pub(super) fn player_text(player: PlayerId) -> String {
    player_uuid(player).to_string()
}

pub(super) fn match_text(match_id: MatchId) -> String {
    match_uuid(match_id).to_string()
}
