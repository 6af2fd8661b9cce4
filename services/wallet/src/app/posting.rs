//! What a decision comes to: one event, with the transfers that it books.

use domain_ledger::{
    Account, Balances, Currency, Hold, MatchId, PlayerId, PotSplit, RefundReason, Transfer, Unbookable,
};

use super::GameId;

/// What happened, without the transfers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WalletEvent {
    /// A player has an account.
    AccountOpened {
        /// Who.
        player: PlayerId,
        /// The name he signed up with.
        name: String,
    },
    /// Money came in.
    MoneyDeposited {
        /// Whose.
        player: PlayerId,
    },
    /// Both stakes of a match are held.
    StakesHeld {
        /// The terms.
        hold: Hold,
        /// The game it is for.
        game: GameId,
    },
    /// Neither is, nor ever will be.
    StakesRefused {
        /// Of which match.
        match_id: MatchId,
        /// Why.
        refusal: StakesRefusal,
    },
    /// The pot went to the winner, less the fee.
    PotPaid {
        /// Of which match.
        match_id: MatchId,
        /// The game.
        game: GameId,
        /// Who won it.
        winner: PlayerId,
        /// The currency of the split.
        currency: Currency,
        /// What the winner and the house got.
        split: PotSplit,
    },
    /// Both stakes went back.
    StakesRefunded {
        /// Of which match.
        match_id: MatchId,
        /// The game it was held for.
        game: GameId,
        /// Why.
        reason: RefundReason,
    },
}

impl WalletEvent {
    /// The event's name in metrics.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::AccountOpened { .. } => "account_opened",
            Self::MoneyDeposited { .. } => "money_deposited",
            Self::StakesHeld { .. } => "stakes_held",
            Self::StakesRefused { .. } => "stakes_refused",
            Self::PotPaid { .. } => "pot_paid",
            Self::StakesRefunded { .. } => "stakes_refunded",
        }
    }
}

/// Why stakes are not held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StakesRefusal {
    /// The player's balance does not cover the stake.
    InsufficientFunds(PlayerId),
    /// The request itself was wrong.
    Invalid,
    /// The match was cancelled first.
    MatchCancelled,
}

/// A decision: the event, and the transfers to book in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// What happens.
    pub event: WalletEvent,
    /// The money that moves.
    pub transfers: Vec<Transfer>,
}

/// A transfer with what stood on the account of each of its entries afterwards; nothing for those that keep no balance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookedTransfer {
    /// The transfer.
    pub transfer: Transfer,
    /// One for each entry, in minor units.
    pub after_minor: Vec<Option<i64>>,
}

/// A decision that has been booked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Posting {
    /// What happened.
    pub event: WalletEvent,
    /// The money that moved.
    pub transfers: Vec<BookedTransfer>,
}

/// Books the transfers on the balances, which must hold at least the accounts of players that the transfers touch.
///
/// # Errors
/// When the balances do not allow what was decided on them; then some of the transfers may have been booked and the
/// balances are of no more use.
pub fn book(draft: Draft, balances: &mut Balances) -> Result<Posting, Unbookable> {
    let mut booked = Vec::with_capacity(draft.transfers.len());
    for transfer in draft.transfers {
        balances.apply(&transfer)?;
        let after_minor = transfer
            .entries()
            .iter()
            .map(|entry| {
                keeps_balance(entry.account).then(|| balances.of(entry.account, transfer.currency()))
            })
            .collect();
        booked.push(BookedTransfer { transfer, after_minor });
    }
    Ok(Posting { event: draft.event, transfers: booked })
}

/// Whether what stands on the account is recorded with each entry. Fees and the outside world are touched by everybody, so
/// a running balance would have to be locked by everybody.
#[must_use]
pub fn keeps_balance(account: Account) -> bool {
    matches!(account, Account::Available(_) | Account::Held(_) | Account::Pot(_))
}
