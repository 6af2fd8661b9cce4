//! Both stakes of a match: whether they can be held, and the transfers that move them.

use crate::split::PotSplit;
use crate::{
    Account, Amount, Balances, BasisPoints, Currency, Entry, MatchId, PlayerId, Refusal, Transfer,
    TransferId, TransferKind, TransferParts,
};

/// Both stakes of a match and the terms they are held under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hold {
    /// The match.
    pub match_id: MatchId,
    /// Who plays White.
    pub white: PlayerId,
    /// Who plays Black.
    pub black: PlayerId,
    /// What each of the two stakes.
    pub stake: Amount,
    /// In which currency.
    pub currency: Currency,
    /// What the house takes of the pot when there is a winner.
    pub fee: BasisPoints,
}

impl Hold {
    /// Both stakes together.
    ///
    /// # Errors
    /// [`Refusal::Overflow`] when twice the stake does not fit; such a hold is never made.
    pub fn pot(&self) -> Result<Amount, Refusal> {
        let pot = i128::from(self.stake.minor()) * 2;
        Amount::try_from(pot).map_err(|_| Refusal::Overflow)
    }

    pub(crate) fn check(&self, balances: &Balances) -> Result<(), Refusal> {
        if self.white == self.black {
            return Err(Refusal::SamePlayer);
        }
        self.pot()?;
        for player in [self.white, self.black] {
            if balances.of(Account::Available(player), self.currency) < self.stake.minor() {
                return Err(Refusal::cannot_pay(balances, player, self.currency));
            }
            let credit = Entry::credit(Account::Held(player), self.stake);
            if !balances.fits(&credit, self.currency) {
                return Err(Refusal::Overflow);
            }
        }
        Ok(())
    }

    pub(crate) fn hold_transfer(&self, id: TransferId) -> Transfer {
        let entries = [self.white, self.black].into_iter().flat_map(|player| {
            [
                Entry::debit(Account::Available(player), self.stake),
                Entry::credit(Account::Held(player), self.stake),
            ]
        });
        self.transfer(id, TransferKind::Hold(self.match_id), entries.collect())
    }

    pub(crate) fn refund_transfer(&self, id: TransferId) -> Transfer {
        let entries = [self.white, self.black].into_iter().flat_map(|player| {
            [
                Entry::debit(Account::Held(player), self.stake),
                Entry::credit(Account::Available(player), self.stake),
            ]
        });
        self.transfer(id, TransferKind::Refund(self.match_id), entries.collect())
    }

    pub(crate) fn collect_transfer(&self, id: TransferId, pot: Amount) -> Transfer {
        let entries = vec![
            Entry::debit(Account::Held(self.white), self.stake),
            Entry::debit(Account::Held(self.black), self.stake),
            Entry::credit(Account::Pot(self.match_id), pot),
        ];
        self.transfer(id, TransferKind::Collect(self.match_id), entries)
    }

    pub(crate) fn payout_transfer(&self, id: TransferId, pot: Amount, payee: Payee) -> Transfer {
        let mut entries = vec![Entry::debit(Account::Pot(self.match_id), pot)];
        // A fee of nothing, or of everything, leaves no entry: an entry always moves something.
        if let Ok(payout) = Amount::new(payee.split.payout_minor) {
            entries.push(Entry::credit(Account::Available(payee.winner), payout));
        }
        if let Ok(fee) = Amount::new(payee.split.fee_minor) {
            entries.push(Entry::credit(Account::Fees, fee));
        }
        self.transfer(id, TransferKind::Payout(self.match_id), entries)
    }

    fn transfer(&self, id: TransferId, kind: TransferKind, entries: Vec<Entry>) -> Transfer {
        Transfer::new(TransferParts { id, kind, currency: self.currency, entries })
            .expect("the entries of a match are balanced, and its players are two")
    }
}

/// Who gets what of a pot.
pub(crate) struct Payee {
    pub(crate) winner: PlayerId,
    pub(crate) split: PotSplit,
}
