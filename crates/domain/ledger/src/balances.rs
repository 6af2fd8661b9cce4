//! What a sequence of transfers adds up to: all balances, or a view of the few a decision touches.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::{Account, Currency, Entry, PlayerId, Transfer};

/// Balances by account and currency, in minor units. An account that was never touched holds zero.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Balances {
    minor: BTreeMap<(Account, Currency), i64>,
}

/// A transfer cannot be booked on these balances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Unbookable {
    /// A debit would take the account below zero (`LEDGER-2`).
    #[error("an account would fall below zero")]
    BelowZero(Account),
    /// The balance would not fit 64 bits (`LEDGER-7`).
    #[error("a balance would overflow")]
    Overflow(Account),
}

impl Balances {
    /// No money anywhere.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Loads one stored balance. A stored balance is taken as it is, even one that should not exist: a broken account must
    /// stop its owner's debits, not everybody's (case F22).
    pub fn load(&mut self, account: Account, currency: Currency, minor: i64) {
        self.minor.insert((account, currency), minor);
    }

    /// The balance of an account.
    #[must_use]
    pub fn of(&self, account: Account, currency: Currency) -> i64 {
        self.minor.get(&(account, currency)).copied().unwrap_or(0)
    }

    /// Books a transfer: all of it or, on an error, none of it.
    ///
    /// # Errors
    /// When a debit would take an account below zero, or a balance would not fit.
    pub fn apply(&mut self, transfer: &Transfer) -> Result<(), Unbookable> {
        let currency = transfer.currency();
        let mut after = Vec::with_capacity(transfer.entries().len());
        for entry in transfer.entries() {
            after.push((entry.account, self.after(entry, currency)?));
        }
        for (account, minor) in after {
            self.load(account, currency, minor);
        }
        Ok(())
    }

    /// Every account that was touched, in a fixed order, with its balance.
    pub fn iter(&self) -> impl Iterator<Item = (Account, Currency, i64)> + '_ {
        self.minor.iter().map(|(&(account, currency), &minor)| (account, currency, minor))
    }

    /// The sum of all balances of a currency; zero for any set that was made by transfers (`LEDGER-1`).
    #[must_use]
    pub fn sum(&self, currency: Currency) -> i128 {
        self.iter().filter(|&(_, other, _)| other == currency).map(|(_, _, minor)| i128::from(minor)).sum()
    }

    /// Whether the player's money is known to be in other currencies only, so that a refusal can say so.
    pub(crate) fn holds_only_other_currencies(&self, player: PlayerId, currency: Currency) -> bool {
        let account = Account::Available(player);
        let mut owned = self.iter().filter(|&(owner, _, _)| owner == account).peekable();
        owned.peek().is_some() && owned.all(|(_, other, _)| other != currency)
    }

    /// Whether this much more fits on the account.
    pub(crate) fn fits(&self, entry: &Entry, currency: Currency) -> bool {
        !matches!(self.after(entry, currency), Err(Unbookable::Overflow(_)))
    }

    fn after(&self, entry: &Entry, currency: Currency) -> Result<i64, Unbookable> {
        let account = entry.account;
        let after = self
            .of(account, currency)
            .checked_add(entry.minor_signed)
            .ok_or(Unbookable::Overflow(account))?;
        if after < 0 && entry.minor_signed < 0 && !account.may_be_negative() {
            return Err(Unbookable::BelowZero(account));
        }
        Ok(after)
    }
}
