//! What the house makes good to a player who lost a stake to somebody whom fair play found out, and the fund it pays that from.
//!
//! The fund is an account of the house that owes nothing: it holds what the house has put there, and when that is not enough
//! nobody is paid until there is more (`LEDGER-11`). What was paid stays paid: a decision that is taken back later was the
//! house's mistake, and not that of who was made whole by it.

use std::collections::BTreeSet;

use thiserror::Error;

use crate::movement::{MOST, owned};
use crate::settlement::Refusal;
use crate::{
    Account, Amount, Balances, Currency, Direction, Entry, MatchId, PlayerId, Settlement, Transfer,
    TransferId, TransferKind, TransferParts,
};

/// For which currencies the house makes good what players lost to cheats.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum RestitutionPolicy {
    /// For all.
    #[default]
    Everything,
    /// For these.
    Only(BTreeSet<Currency>),
    /// For none.
    Nothing,
}

impl RestitutionPolicy {
    /// Whether stakes in this currency are made good.
    #[must_use]
    pub fn covers(&self, currency: Currency) -> bool {
        match self {
            Self::Everything => true,
            Self::Only(currencies) => currencies.contains(&currency),
            Self::Nothing => false,
        }
    }
}

/// What somebody says was lost in a match. The ledger pays what it knows itself, so a claim that differs is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    /// Who lost.
    pub victim: PlayerId,
    /// To whom.
    pub winner: PlayerId,
    /// How much.
    pub stake: Amount,
    /// Of what.
    pub currency: Currency,
}

/// Why a claim is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NotOwed {
    /// The match has no end yet: it may become one.
    #[error("the match is not settled")]
    NotSettled,
    /// Both have their stakes.
    #[error("nobody lost a stake in the match")]
    NothingLost,
    /// The match was won and lost, but not by these, or not for that much.
    #[error("the claim is not what was lost in the match")]
    OtherLoss,
}

/// A loser's stake, as the ledger knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restitution {
    match_id: MatchId,
    claim: Claim,
}

impl Restitution {
    /// Compares a claim with how the match's money ended.
    ///
    /// # Errors
    /// See [`NotOwed`].
    pub fn of(settlement: &Settlement, claim: Claim) -> Result<Self, NotOwed> {
        let (hold, winner) = match settlement {
            Settlement::Open | Settlement::Held(_) => return Err(NotOwed::NotSettled),
            Settlement::Refunded { .. } | Settlement::Refused(_) => return Err(NotOwed::NothingLost),
            Settlement::Paid { hold, winner, .. } => (hold, *winner),
        };
        let loser = if winner == hold.white { hold.black } else { hold.white };
        let lost = Claim { victim: loser, winner, stake: hold.stake, currency: hold.currency };
        if claim == lost { Ok(Self { match_id: hold.match_id, claim }) } else { Err(NotOwed::OtherLoss) }
    }

    /// The accounts whose balances [`Restitution::pay`] has to be given.
    #[must_use]
    pub fn accounts(&self) -> [Account; 4] {
        let victim = self.claim.victim;
        [Account::Fund, Account::Available(victim), Account::Held(victim), Account::Withheld(victim)]
    }

    /// The transfer from the house's fund.
    ///
    /// # Errors
    /// [`Refusal::FundTooSmall`] when the fund does not hold as much, [`Refusal::Overflow`] when it would not fit the player's account.
    pub fn pay(&self, id: TransferId, balances: &Balances) -> Result<Transfer, Refusal> {
        let Claim { victim, stake, currency, .. } = self.claim;
        let holds_minor = balances.of(Account::Fund, currency);
        if holds_minor < stake.minor() {
            return Err(Refusal::FundTooSmall { holds_minor });
        }
        if owned(balances, victim, currency) + i128::from(stake.minor()) > MOST {
            return Err(Refusal::Overflow);
        }
        let entries =
            vec![Entry::debit(Account::Fund, stake), Entry::credit(Account::Available(victim), stake)];
        Ok(balanced(TransferParts { id, kind: TransferKind::Restitution(self.match_id), currency, entries }))
    }
}

/// Where the money of the fund comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FundSource {
    /// What the house has earned.
    Fees,
    /// The outside world: the house brings money of its own.
    Outside,
}

impl FundSource {
    /// Its account.
    #[must_use]
    pub const fn account(self) -> Account {
        match self {
            Self::Fees => Account::Fees,
            Self::Outside => Account::External,
        }
    }
}

/// Money that the house puts into its fund, or takes out of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FundMovement {
    /// The transfer to be booked.
    pub transfer: TransferId,
    /// Where it comes from, or goes to.
    pub source: FundSource,
    /// Into the fund, or out of it.
    pub direction: Direction,
    /// How much.
    pub amount: Amount,
    /// In which currency.
    pub currency: Currency,
}

impl FundMovement {
    /// The transfer, given what the fund holds and, when it comes from there, what the fees come to.
    ///
    /// # Errors
    /// [`Refusal::FundTooSmall`] when the fund does not hold as much, [`Refusal::FeesTooSmall`] when the house has not earned as much,
    /// [`Refusal::Overflow`] when it would not fit.
    pub fn decide(&self, balances: &Balances) -> Result<Transfer, Refusal> {
        let (from, to) = match self.direction {
            Direction::Credit => (self.source.account(), Account::Fund),
            Direction::Debit => (Account::Fund, self.source.account()),
        };
        let holds_minor = balances.of(from, self.currency);
        if !from.may_be_negative() && holds_minor < self.amount.minor() {
            return Err(match from {
                Account::Fund => Refusal::FundTooSmall { holds_minor },
                _ => Refusal::FeesTooSmall { holds_minor },
            });
        }
        let entries = vec![Entry::debit(from, self.amount), Entry::credit(to, self.amount)];
        if entries.iter().any(|entry| !balances.fits(entry, self.currency)) {
            return Err(Refusal::Overflow);
        }
        let kind = TransferKind::Funding;
        Ok(balanced(TransferParts { id: self.transfer, kind, currency: self.currency, entries }))
    }
}

fn balanced(parts: TransferParts) -> Transfer {
    Transfer::new(parts).expect("a debit and a credit of one amount on two accounts balance")
}
