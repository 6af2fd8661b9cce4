//! The decider of one match's stakes: held, then either paid or refunded, once.

use thiserror::Error;

use crate::hold::Payee;
use crate::split::{PotSplit, split_pot};
use crate::{Balances, Currency, Hold, PlayerId, Transfer, TransferId};

/// Why both stakes go back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RefundReason {
    /// The game was drawn.
    Drawn,
    /// The game was aborted.
    Aborted,
    /// The match was cancelled before there was a game.
    Cancelled,
}

/// What is asked of the ledger for a match. The ids of the transfers are derived from the match by the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Hold both stakes, or none.
    HoldStakes {
        /// The match, the players and the terms.
        hold: Hold,
        /// The id of the hold's transfer.
        transfer: TransferId,
    },
    /// Pay the pot less the fee to the winner.
    PayWinner {
        /// Who won.
        winner: PlayerId,
        /// The id of the transfer that gathers the stakes in the pot.
        collect: TransferId,
        /// The id of the transfer that empties it.
        payout: TransferId,
    },
    /// Give both stakes back in full.
    RefundStakes {
        /// Why.
        reason: RefundReason,
        /// The id of the refund's transfer.
        transfer: TransferId,
    },
}

/// What happened to a match's stakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Both stakes are held.
    StakesHeld(Hold),
    /// Nothing is held, for this reason, and nothing ever will be. [`decide`](Settlement::decide) does not produce it: the
    /// caller records the refusal of a hold with it, so that a repeat gets the same answer (`LEDGER-5`).
    StakesRefused(Refusal),
    /// The winner has the payout, the house the fee.
    PotPaid {
        /// Who won.
        winner: PlayerId,
        /// What the two got.
        split: PotSplit,
    },
    /// Both players have their stakes back.
    StakesRefunded(RefundReason),
}

/// The state of a match's stakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Settlement {
    /// Nothing has been asked for yet.
    #[default]
    Open,
    /// Both stakes are held.
    Held(Hold),
    /// The pot was paid.
    Paid {
        /// What had been held.
        hold: Hold,
        /// Who won.
        winner: PlayerId,
        /// What the winner and the house got.
        split: PotSplit,
    },
    /// Both stakes were given back.
    Refunded {
        /// What had been held.
        hold: Hold,
        /// Why.
        reason: RefundReason,
    },
    /// The hold was refused.
    Refused(Refusal),
}

/// How a match's money ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The pot went to this player.
    Paid(PlayerId),
    /// Both stakes went back.
    Refunded(RefundReason),
}

/// Why the ledger does not do what was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The house's fund holds less than is to be paid from it.
    #[error("the house's fund holds only {holds_minor} minor units")]
    FundTooSmall {
        /// What it holds.
        holds_minor: i64,
    },
    /// The house has earned less than is to be taken from its fees.
    #[error("the house's fees come to only {holds_minor} minor units")]
    FeesTooSmall {
        /// What they come to.
        holds_minor: i64,
    },
    /// The player has less available than is needed.
    #[error("not enough available money")]
    InsufficientFunds {
        /// Who.
        player: PlayerId,
    },
    /// The player has money, but none in this currency; nothing is converted.
    #[error("no money in {currency}")]
    WrongCurrency {
        /// Who.
        player: PlayerId,
        /// What was asked for.
        currency: Currency,
    },
    /// Nobody plays himself.
    #[error("both stakes are of one player")]
    SamePlayer,
    /// The winner did not play this match.
    #[error("the winner is not a player of the match")]
    NotAPlayer {
        /// Who.
        player: PlayerId,
    },
    /// A sum would not fit 64 bits.
    #[error("a sum does not fit 64 bits")]
    Overflow,
    /// The stakes are held under other terms.
    #[error("the stakes are held under other terms")]
    HeldOtherwise,
    /// The transfer moved the money of a match, or is a reversal: it stays.
    #[error("the transfer cannot be reversed")]
    NotReversible,
    /// There is nothing to pay or to refund.
    #[error("nothing is held")]
    NothingHeld,
    /// The match's money is settled, otherwise than asked.
    #[error("the match is settled")]
    AlreadySettled {
        /// How.
        outcome: Outcome,
    },
}

impl Refusal {
    pub(crate) fn cannot_pay(balances: &Balances, player: PlayerId, currency: Currency) -> Self {
        if balances.holds_only_other_currencies(player, currency) {
            Self::WrongCurrency { player, currency }
        } else {
            Self::InsufficientFunds { player }
        }
    }
}

/// What to do about a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Record the event and book the transfers in this order, all in one transaction.
    Record {
        /// What happened.
        event: Event,
        /// The money that moves.
        transfers: Vec<Transfer>,
    },
    /// It was done before, exactly so: there is nothing to do, and the answer is the first one.
    Unchanged,
}

impl Settlement {
    /// Decides a command, given at least the available and held balances of the players of the match in its currency.
    ///
    /// # Errors
    /// The [`Refusal`]; nothing changes then. The caller records a refused hold with [`Event::StakesRefused`].
    pub fn decide(&self, balances: &Balances, command: &Command) -> Result<Decision, Refusal> {
        match *command {
            Command::HoldStakes { hold, transfer } => self.hold_stakes(balances, hold, transfer),
            Command::PayWinner { winner, collect, payout } => {
                self.pay_winner(balances, winner, PayoutIds { collect, payout })
            }
            Command::RefundStakes { reason, transfer } => self.refund_stakes(balances, reason, transfer),
        }
    }

    /// The state after an event. An event that cannot follow this state was not decided from it and changes nothing, so that
    /// an event delivered twice does no harm.
    #[must_use]
    pub fn evolve(self, event: &Event) -> Self {
        match (self, *event) {
            (Self::Open, Event::StakesHeld(hold)) => Self::Held(hold),
            (Self::Open, Event::StakesRefused(refusal)) => Self::Refused(refusal),
            (Self::Held(hold), Event::PotPaid { winner, split }) => Self::Paid { hold, winner, split },
            (Self::Held(hold), Event::StakesRefunded(reason)) => Self::Refunded { hold, reason },
            (unchanged, _) => unchanged,
        }
    }

    /// The open hold, when there is one.
    #[must_use]
    pub const fn open_hold(&self) -> Option<&Hold> {
        match self {
            Self::Held(hold) => Some(hold),
            _ => None,
        }
    }

    fn hold_stakes(
        &self,
        balances: &Balances,
        hold: Hold,
        transfer: TransferId,
    ) -> Result<Decision, Refusal> {
        match *self {
            Self::Open => hold.check(balances)?,
            Self::Refused(first) => return Err(first),
            Self::Held(held) | Self::Paid { hold: held, .. } | Self::Refunded { hold: held, .. }
                if held == hold =>
            {
                return Ok(Decision::Unchanged);
            }
            Self::Held(_) => return Err(Refusal::HeldOtherwise),
            Self::Paid { winner, .. } => return settled(Outcome::Paid(winner)),
            Self::Refunded { reason, .. } => return settled(Outcome::Refunded(reason)),
        }
        Ok(Decision::Record { event: Event::StakesHeld(hold), transfers: vec![hold.hold_transfer(transfer)] })
    }

    fn pay_winner(&self, balances: &Balances, winner: PlayerId, ids: PayoutIds) -> Result<Decision, Refusal> {
        let hold = match *self {
            Self::Held(hold) => hold,
            Self::Paid { winner: paid, .. } if paid == winner => return Ok(Decision::Unchanged),
            Self::Paid { winner: paid, .. } => return settled(Outcome::Paid(paid)),
            Self::Refunded { reason, .. } => return settled(Outcome::Refunded(reason)),
            Self::Open | Self::Refused(_) => return Err(Refusal::NothingHeld),
        };
        if winner != hold.white && winner != hold.black {
            return Err(Refusal::NotAPlayer { player: winner });
        }
        let pot = hold.pot()?;
        let split = split_pot(pot, hold.fee);
        let payout = hold.payout_transfer(ids.payout, pot, Payee { winner, split });
        if !payout.entries().iter().all(|entry| balances.fits(entry, hold.currency)) {
            return Err(Refusal::Overflow);
        }
        Ok(Decision::Record {
            event: Event::PotPaid { winner, split },
            transfers: vec![hold.collect_transfer(ids.collect, pot), payout],
        })
    }

    fn refund_stakes(
        &self,
        balances: &Balances,
        reason: RefundReason,
        transfer: TransferId,
    ) -> Result<Decision, Refusal> {
        let hold = match *self {
            Self::Held(hold) => hold,
            Self::Refunded { reason: first, .. } if first == reason => {
                return Ok(Decision::Unchanged);
            }
            Self::Refunded { reason, .. } => return settled(Outcome::Refunded(reason)),
            Self::Paid { winner, .. } => return settled(Outcome::Paid(winner)),
            Self::Open | Self::Refused(_) => return Err(Refusal::NothingHeld),
        };
        let refund = hold.refund_transfer(transfer);
        if !refund.entries().iter().all(|entry| balances.fits(entry, hold.currency)) {
            return Err(Refusal::Overflow);
        }
        Ok(Decision::Record { event: Event::StakesRefunded(reason), transfers: vec![refund] })
    }
}

fn settled(outcome: Outcome) -> Result<Decision, Refusal> {
    Err(Refusal::AlreadySettled { outcome })
}

/// The ids of the two transfers of a payout.
struct PayoutIds {
    collect: TransferId,
    payout: TransferId,
}
