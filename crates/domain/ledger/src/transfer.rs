//! Accounts, entries and transfers: the only way money moves.

use std::collections::BTreeSet;

use thiserror::Error;

use crate::{Amount, Currency, MatchId, PlayerId, TransferId};

/// The most entries of one transfer. The largest one of ours has three.
pub const ENTRIES_MAX: usize = 16;

/// A place money can be. It exists once in every currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Account {
    /// What a player can stake or withdraw.
    Available(PlayerId),
    /// What a player has staked in matches that are not settled.
    Held(PlayerId),
    /// What a player has won and cannot have yet, because somebody looks into how he plays.
    Withheld(PlayerId),
    /// A match's pot: filled and emptied within one settlement.
    Pot(MatchId),
    /// What the house has earned.
    Fees,
    /// What the house has set aside to make good what players lost to cheats.
    Fund,
    /// The world outside: its balance is minus all the money inside.
    External,
}

impl Account {
    /// Only the outside world may owe: everything inside came from there.
    #[must_use]
    pub const fn may_be_negative(self) -> bool {
        matches!(self, Self::External)
    }
}

/// What happens to one account in a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entry {
    /// The account.
    pub account: Account,
    /// Minor units: more than zero comes in, less than zero goes out.
    pub minor_signed: i64,
}

impl Entry {
    /// Money that comes in.
    #[must_use]
    pub const fn credit(account: Account, amount: Amount) -> Self {
        Self { account, minor_signed: amount.minor() }
    }

    /// Money that goes out.
    #[must_use]
    pub const fn debit(account: Account, amount: Amount) -> Self {
        Self { account, minor_signed: -amount.minor() }
    }
}

/// Why money moved, and for which match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TransferKind {
    /// From the outside world to a player.
    Deposit,
    /// From a player to the outside world.
    Withdrawal,
    /// Both stakes, from available to held.
    Hold(MatchId),
    /// Both stakes, from held to the pot.
    Collect(MatchId),
    /// The pot, to the winner and the house.
    Payout(MatchId),
    /// Both stakes, from held back to available.
    Refund(MatchId),
    /// The winner's prize, from available to withheld.
    Withhold(MatchId),
    /// The winner's prize, from withheld to available.
    Release(MatchId),
    /// A stake that was lost to a cheat, from the house's fund to who had lost it.
    Restitution(MatchId),
    /// Between the house's fund and its fees or the outside world.
    Funding,
    /// An operator's correction.
    Adjustment,
    /// The opposite of an earlier transfer.
    Reversal(TransferId),
}

impl TransferKind {
    /// The match the money moved for.
    #[must_use]
    pub const fn match_id(self) -> Option<MatchId> {
        match self {
            Self::Deposit | Self::Withdrawal | Self::Funding | Self::Adjustment | Self::Reversal(_) => None,
            Self::Hold(id)
            | Self::Collect(id)
            | Self::Payout(id)
            | Self::Refund(id)
            | Self::Withhold(id)
            | Self::Release(id)
            | Self::Restitution(id) => Some(id),
        }
    }
}

/// The parts of a transfer that nobody has checked: what a store holds. [`Transfer::new`] checks them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransferParts {
    /// The id.
    pub id: TransferId,
    /// Why the money moves.
    pub kind: TransferKind,
    /// The one currency of all entries.
    pub currency: Currency,
    /// What happens to each account.
    pub entries: Vec<Entry>,
}

/// The parts do not make a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum TransferError {
    /// Money would appear or vanish; the number is the surplus in minor units.
    #[error("entries sum to {0}, not to zero")]
    Unbalanced(i128),
    /// An account is named twice, as in a transfer to oneself (`LEDGER-6`).
    #[error("an account is named twice")]
    AccountTwice(Account),
    /// An entry moves nothing.
    #[error("an entry is zero")]
    ZeroEntry(Account),
    /// There is nothing in it.
    #[error("there is no entry")]
    Empty,
    /// More entries than [`ENTRIES_MAX`].
    #[error("more than {ENTRIES_MAX} entries")]
    TooManyEntries,
}

/// A movement of money in one currency. The private fields are balanced (`LEDGER-1`) and name no account twice (`LEDGER-6`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transfer {
    parts: TransferParts,
}

impl Transfer {
    /// Checks the parts.
    ///
    /// # Errors
    /// When the entries do not sum to zero, name an account twice, contain a zero, or are none or too many.
    pub fn new(parts: TransferParts) -> Result<Self, TransferError> {
        if parts.entries.is_empty() {
            return Err(TransferError::Empty);
        }
        if parts.entries.len() > ENTRIES_MAX {
            return Err(TransferError::TooManyEntries);
        }
        let mut seen = BTreeSet::new();
        let mut sum: i128 = 0;
        for entry in &parts.entries {
            if entry.minor_signed == 0 {
                return Err(TransferError::ZeroEntry(entry.account));
            }
            if !seen.insert(entry.account) {
                return Err(TransferError::AccountTwice(entry.account));
            }
            sum += i128::from(entry.minor_signed);
        }
        if sum != 0 {
            return Err(TransferError::Unbalanced(sum));
        }
        Ok(Self { parts })
    }

    /// The id.
    #[must_use]
    pub const fn id(&self) -> TransferId {
        self.parts.id
    }

    /// Why the money moves.
    #[must_use]
    pub const fn kind(&self) -> TransferKind {
        self.parts.kind
    }

    /// The one currency of all entries.
    #[must_use]
    pub const fn currency(&self) -> Currency {
        self.parts.currency
    }

    /// What happens to each account.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.parts.entries
    }

    /// The parts, to be stored or sent.
    #[must_use]
    pub fn into_parts(self) -> TransferParts {
        self.parts
    }
}
