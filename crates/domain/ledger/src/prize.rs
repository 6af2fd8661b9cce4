//! What of a payout is a prize, and the transfers that withhold it and let it go.

use crate::{
    Account, Amount, Currency, Entry, MatchId, PlayerId, Settlement, Transfer, TransferId, TransferKind,
    TransferParts,
};

/// What the winner of a match got beyond his own stake. His stake is his, whatever is thought of his play (`LEDGER-10`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prize {
    /// Of which match.
    pub match_id: MatchId,
    /// Whose.
    pub winner: PlayerId,
    /// How much.
    pub amount: Amount,
    /// Of what.
    pub currency: Currency,
}

impl Prize {
    /// The prize that a match's money came to; none while it is not paid, when it went back, or when the fee has eaten it.
    #[must_use]
    pub fn of(settlement: &Settlement) -> Option<Self> {
        let Settlement::Paid { hold, winner, split } = settlement else { return None };
        let prize_minor = split.payout_minor.checked_sub(hold.stake.minor())?;
        let amount = Amount::new(prize_minor).ok()?;
        Some(Self { match_id: hold.match_id, winner: *winner, amount, currency: hold.currency })
    }

    /// Takes it from what the winner can use.
    #[must_use]
    pub fn withhold(&self, id: TransferId) -> Transfer {
        let (available, withheld) = (Account::Available(self.winner), Account::Withheld(self.winner));
        self.transfer(id, TransferKind::Withhold(self.match_id), available, withheld)
    }

    /// Gives it to him.
    #[must_use]
    pub fn release(&self, id: TransferId) -> Transfer {
        let (available, withheld) = (Account::Available(self.winner), Account::Withheld(self.winner));
        self.transfer(id, TransferKind::Release(self.match_id), withheld, available)
    }

    fn transfer(&self, id: TransferId, kind: TransferKind, from: Account, to: Account) -> Transfer {
        let entries = vec![Entry::debit(from, self.amount), Entry::credit(to, self.amount)];
        Transfer::new(TransferParts { id, kind, currency: self.currency, entries })
            .expect("two entries of one amount on two accounts are balanced")
    }
}
