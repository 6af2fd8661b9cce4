//! Deposits and withdrawals: money of one player that crosses the edge of the ledger.

use crate::settlement::Refusal;
use crate::{
    Account, Amount, Balances, Currency, Entry, PlayerId, Transfer, TransferId, TransferKind, TransferParts,
};

/// Money that comes in from the outside world or goes out to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Movement {
    /// The transfer to be booked. Two movements are the same when their ids are, never because their amounts are (case F16).
    pub transfer: TransferId,
    /// Whose money.
    pub player: PlayerId,
    /// How much.
    pub amount: Amount,
    /// In which currency.
    pub currency: Currency,
}

impl Movement {
    /// The transfer of a deposit, given at least the player's available and held balances.
    ///
    /// # Errors
    /// [`Refusal::Overflow`] when the two together would not fit one account: a stake that is held now comes back later.
    pub fn deposit(&self, balances: &Balances) -> Result<Transfer, Refusal> {
        let owned: i128 = [Account::Available(self.player), Account::Held(self.player)]
            .map(|account| i128::from(balances.of(account, self.currency)))
            .iter()
            .sum();
        if owned + i128::from(self.amount.minor()) > i128::from(i64::MAX) {
            return Err(Refusal::Overflow);
        }
        let credit = Entry::credit(Account::Available(self.player), self.amount);
        let debit = Entry::debit(Account::External, self.amount);
        Ok(self.transfer(TransferKind::Deposit, [debit, credit]))
    }

    /// The transfer of a withdrawal, given at least the player's available balance.
    ///
    /// # Errors
    /// [`Refusal::InsufficientFunds`] or [`Refusal::WrongCurrency`] when the player cannot pay it from what is available.
    pub fn withdrawal(&self, balances: &Balances) -> Result<Transfer, Refusal> {
        can_pay(balances, self)?;
        let debit = Entry::debit(Account::Available(self.player), self.amount);
        let credit = Entry::credit(Account::External, self.amount);
        Ok(self.transfer(TransferKind::Withdrawal, [debit, credit]))
    }

    fn transfer(&self, kind: TransferKind, entries: [Entry; 2]) -> Transfer {
        Transfer::new(TransferParts {
            id: self.transfer,
            kind,
            currency: self.currency,
            entries: entries.to_vec(),
        })
        .expect("a credit and a debit of one amount on two accounts balance")
    }
}

fn can_pay(balances: &Balances, movement: &Movement) -> Result<(), Refusal> {
    let available = balances.of(Account::Available(movement.player), movement.currency);
    if available >= movement.amount.minor() {
        return Ok(());
    }
    Err(Refusal::cannot_pay(balances, movement.player, movement.currency))
}
