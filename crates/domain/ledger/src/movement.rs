//! Deposits, withdrawals, adjustments and reversals: money of one player that crosses the edge of the ledger.

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

/// Which way an adjustment goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// To the player.
    Credit,
    /// From the player.
    Debit,
}

/// The entries of `of` with the opposite signs: how something is undone, since nothing booked is ever changed.
///
/// # Errors
/// [`Refusal::NotReversible`] when it moved the money of a match (how a match ended stays, `LEDGER-5`) or is a reversal
/// itself; [`Refusal::InsufficientFunds`] when the player no longer has it, [`Refusal::Overflow`] when it no longer fits.
pub fn reversal(of: &Transfer, id: TransferId, balances: &Balances) -> Result<Transfer, Refusal> {
    match of.kind() {
        TransferKind::Deposit | TransferKind::Withdrawal | TransferKind::Adjustment => {}
        TransferKind::Hold(_)
        | TransferKind::Collect(_)
        | TransferKind::Payout(_)
        | TransferKind::Refund(_)
        | TransferKind::Withhold(_)
        | TransferKind::Release(_)
        | TransferKind::Restitution(_)
        | TransferKind::Funding
        | TransferKind::Reversal(_) => return Err(Refusal::NotReversible),
    }
    let currency = of.currency();
    let mut entries = Vec::with_capacity(of.entries().len());
    for entry in of.entries() {
        let minor_signed = entry.minor_signed.checked_neg().ok_or(Refusal::Overflow)?;
        if let Account::Available(player) = entry.account {
            if minor_signed < 0 && balances.of(entry.account, currency) < -minor_signed {
                return Err(Refusal::cannot_pay(balances, player, currency));
            }
            if minor_signed > 0 && owned(balances, player, currency) + i128::from(minor_signed) > MOST {
                return Err(Refusal::Overflow);
            }
        }
        entries.push(Entry { account: entry.account, minor_signed });
    }
    let parts = TransferParts { id, kind: TransferKind::Reversal(of.id()), currency, entries };
    Ok(Transfer::new(parts).expect("the opposite of a balanced transfer is balanced"))
}

/// The most that stands on one account.
pub(crate) const MOST: i128 = i64::MAX as i128;

/// What a player has available, held and withheld: a stake that is held now comes back later, and so does a prize.
pub(crate) fn owned(balances: &Balances, player: PlayerId, currency: Currency) -> i128 {
    [Account::Available(player), Account::Held(player), Account::Withheld(player)]
        .map(|account| i128::from(balances.of(account, currency)))
        .iter()
        .sum()
}

impl Movement {
    /// The transfer of a deposit, given at least the player's available and held balances.
    ///
    /// # Errors
    /// [`Refusal::Overflow`] when the two together would not fit one account: a stake that is held now comes back later.
    pub fn deposit(&self, balances: &Balances) -> Result<Transfer, Refusal> {
        self.inward(TransferKind::Deposit, balances)
    }

    /// The transfer of a correction by an operator, given at least the player's available and held balances. Its other side is
    /// the outside world, as if the money had come or gone that way.
    ///
    /// # Errors
    /// As a deposit or a withdrawal.
    pub fn adjustment(&self, direction: Direction, balances: &Balances) -> Result<Transfer, Refusal> {
        match direction {
            Direction::Credit => self.inward(TransferKind::Adjustment, balances),
            Direction::Debit => self.outward(TransferKind::Adjustment, balances),
        }
    }

    fn inward(&self, kind: TransferKind, balances: &Balances) -> Result<Transfer, Refusal> {
        let owned = owned(balances, self.player, self.currency);
        if owned + i128::from(self.amount.minor()) > MOST {
            return Err(Refusal::Overflow);
        }
        let credit = Entry::credit(Account::Available(self.player), self.amount);
        let debit = Entry::debit(Account::External, self.amount);
        Ok(self.transfer(kind, [debit, credit]))
    }

    /// The transfer of a withdrawal, given at least the player's available balance.
    ///
    /// # Errors
    /// [`Refusal::InsufficientFunds`] or [`Refusal::WrongCurrency`] when the player cannot pay it from what is available.
    pub fn withdrawal(&self, balances: &Balances) -> Result<Transfer, Refusal> {
        self.outward(TransferKind::Withdrawal, balances)
    }

    fn outward(&self, kind: TransferKind, balances: &Balances) -> Result<Transfer, Refusal> {
        can_pay(balances, self)?;
        let debit = Entry::debit(Account::Available(self.player), self.amount);
        let credit = Entry::credit(Account::External, self.amount);
        Ok(self.transfer(kind, [debit, credit]))
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
