//! The money of one match: what has happened to it, and what an order does to it.

use domain_ledger::{
    Account, Balances, Claim, Command, Currency, Decision, Event, Hold, MatchId, NotOwed, PlayerId, Prize,
    RefundReason, Refusal, Restitution, Settlement, Transfer,
};
use uuid::Uuid;

use super::posting::{Draft, Ruling, StakesRefusal, WalletEvent};
use super::{GameId, match_uuid, step_transfer};

/// What another service's event asks of a match's money.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Hold both stakes.
    Hold {
        /// The terms.
        hold: Hold,
        /// For which game.
        game: GameId,
    },
    /// Hold stakes whose terms no ledger can hold: no amount, no currency, more than the whole as fee.
    HoldMalformed,
    /// The match came to nothing.
    Cancel,
    /// The game was won.
    Pay {
        /// Which game.
        game: GameId,
        /// By whom.
        winner: PlayerId,
    },
    /// The game was drawn or aborted.
    Refund {
        /// Which game.
        game: GameId,
        /// Why the stakes go back.
        reason: RefundReason,
    },
}

impl Order {
    /// The step of the match that this is. Each step has one id and so one outcome.
    #[must_use]
    pub fn step(&self) -> &'static str {
        match self {
            Self::Hold { .. } | Self::HoldMalformed => "hold",
            Self::Cancel => "cancel",
            Self::Pay { .. } => "pay",
            Self::Refund { .. } => "refund",
        }
    }
}

/// What an order comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// This happens.
    Post(Draft),
    /// It was done or refused before; nothing happens.
    Nothing,
    /// What it presupposes has not happened yet. Events of two streams may overtake each other, so it is to come again.
    NotYet,
}

/// The order contradicts what was done. Nobody should send such a thing, so a person has to look at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Contradiction {
    /// The ledger's rules do not allow it.
    #[error("the money of the match does not allow it: {0}")]
    Refused(#[from] Refusal),
    /// The stakes are held for another game.
    #[error("the stakes are held for game {}, not for {}", .held_for.0, .ordered.0)]
    OtherGame {
        /// For which.
        held_for: GameId,
        /// What the order says.
        ordered: GameId,
    },
    /// A request with impossible terms follows one with possible ones.
    #[error("the stakes were held before, under terms that can be held")]
    HeldBefore,
}

/// The state of a match's money, folded from its stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchMoney {
    match_id: MatchId,
    settlement: Settlement,
    game: Option<GameId>,
    prize: PrizeState,
    loser: LoserState,
}

/// Whether the house has made good what was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LoserState {
    /// It has not.
    Lost,
    /// It has.
    MadeWhole,
}

/// Why a loser is not made whole, or not now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unpaid {
    /// He was, whoever asked for it.
    #[error("it was paid before")]
    MadeWhole,
    /// The stakes were held for another game.
    #[error("the claim is not for the game of the match")]
    OtherGame,
    /// The ledger knows of no such loss, or not yet.
    #[error(transparent)]
    NotOwed(#[from] NotOwed),
    /// The fund does not allow it.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

/// What was done to the winner's prize.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PrizeState {
    /// Nothing: it is paid with the stake.
    Untouched,
    /// It is withheld, under this hold of fair play.
    Withheld(Uuid),
    /// It was withheld, and is not any more.
    Released,
}

impl MatchMoney {
    /// Before anything happened.
    #[must_use]
    pub fn new(match_id: MatchId) -> Self {
        let (prize, loser) = (PrizeState::Untouched, LoserState::Lost);
        Self { match_id, settlement: Settlement::Open, game: None, prize, loser }
    }

    /// How the match's money stands.
    #[must_use]
    pub fn settlement(&self) -> &Settlement {
        &self.settlement
    }

    /// After an event of the match's stream.
    #[must_use]
    pub fn evolve(mut self, event: &WalletEvent) -> Self {
        let settled = match event {
            WalletEvent::StakesHeld { hold, game } => {
                self.game = Some(*game);
                Event::StakesHeld(*hold)
            }
            WalletEvent::StakesRefused { refusal, .. } => Event::StakesRefused(ledger_refusal(*refusal)),
            WalletEvent::PotPaid { winner, split, .. } => Event::PotPaid { winner: *winner, split: *split },
            WalletEvent::StakesRefunded { reason, .. } => Event::StakesRefunded(*reason),
            WalletEvent::PrizeWithheld { prize_hold, .. } => {
                self.prize = PrizeState::Withheld(*prize_hold);
                return self;
            }
            WalletEvent::PrizeReleased { .. } => {
                self.prize = PrizeState::Released;
                return self;
            }
            WalletEvent::VictimRefunded { .. } => {
                self.loser = LoserState::MadeWhole;
                return self;
            }
            // Nothing else stands in the stream of a match.
            _ => return self,
        };
        self.settlement = self.settlement.evolve(&settled);
        self
    }

    /// The accounts whose balances [`MatchMoney::decide`] has to be given, with their currency; none when no money can move.
    #[must_use]
    pub fn accounts(&self, order: &Order) -> Option<(Currency, [Account; 4])> {
        let hold = match (order, &self.settlement) {
            (Order::Hold { hold, .. }, Settlement::Open) => hold,
            (_, Settlement::Held(hold)) => hold,
            _ => return None,
        };
        let accounts = [
            Account::Available(hold.white),
            Account::Held(hold.white),
            Account::Available(hold.black),
            Account::Held(hold.black),
        ];
        Some((hold.currency, accounts))
    }

    /// Decides an order, given the balances of [`MatchMoney::accounts`].
    ///
    /// # Errors
    /// When the order contradicts what was done (`WALLET-3`).
    pub fn decide(&self, balances: &Balances, order: &Order) -> Result<Verdict, Contradiction> {
        match (*order, &self.settlement) {
            // A refusal is final, whatever comes after it; only a game that runs all the same is a contradiction.
            (Order::Hold { .. } | Order::HoldMalformed | Order::Cancel, Settlement::Refused(_)) => {
                Ok(Verdict::Nothing)
            }
            (Order::Hold { hold, game }, _) => self.hold(balances, hold, game),
            (Order::HoldMalformed, Settlement::Open) => Ok(self.refused(StakesRefusal::Invalid)),
            (Order::HoldMalformed, _) => Err(Contradiction::HeldBefore),
            (Order::Cancel, Settlement::Open) => Ok(self.refused(StakesRefusal::MatchCancelled)),
            (Order::Cancel, _) => self.refund(balances, RefundReason::Cancelled),
            (Order::Pay { .. } | Order::Refund { .. }, Settlement::Open) => Ok(Verdict::NotYet),
            (Order::Pay { game, winner }, _) => {
                self.check_game(game)?;
                self.pay(balances, winner)
            }
            (Order::Refund { game, reason }, _) => {
                self.check_game(game)?;
                self.refund(balances, reason)
            }
        }
    }

    fn hold(&self, balances: &Balances, hold: Hold, game: GameId) -> Result<Verdict, Contradiction> {
        let command =
            Command::HoldStakes { hold, transfer: step_transfer(match_uuid(self.match_id), "hold") };
        let is_open = self.is_open();
        match self.settlement.decide(balances, &command) {
            Ok(Decision::Unchanged) => Ok(Verdict::Nothing),
            Ok(Decision::Record { transfers, .. }) => {
                Ok(Verdict::Post(Draft { event: WalletEvent::StakesHeld { hold, game }, transfers }))
            }
            Err(refusal) if is_open => Ok(self.refused(stakes_refusal(refusal))),
            Err(refusal) => Err(refusal.into()),
        }
    }

    fn pay(&self, balances: &Balances, winner: PlayerId) -> Result<Verdict, Contradiction> {
        let subject = match_uuid(self.match_id);
        let command = Command::PayWinner {
            winner,
            collect: step_transfer(subject, "collect"),
            payout: step_transfer(subject, "payout"),
        };
        self.settle(balances, &command)
    }

    fn refund(&self, balances: &Balances, reason: RefundReason) -> Result<Verdict, Contradiction> {
        let command =
            Command::RefundStakes { reason, transfer: step_transfer(match_uuid(self.match_id), "refund") };
        self.settle(balances, &command)
    }

    fn settle(&self, balances: &Balances, command: &Command) -> Result<Verdict, Contradiction> {
        match self.settlement.decide(balances, command)? {
            Decision::Unchanged => Ok(Verdict::Nothing),
            Decision::Record { event, transfers } => Ok(self.settled(event, transfers)),
        }
    }

    fn settled(&self, event: Event, transfers: Vec<Transfer>) -> Verdict {
        let hold = self.settlement.open_hold().expect("only held stakes are settled");
        let game = self.game.expect("held stakes are held for a game");
        let match_id = self.match_id;
        let event = match event {
            Event::PotPaid { winner, split } => {
                WalletEvent::PotPaid { match_id, game, winner, currency: hold.currency, split }
            }
            Event::StakesRefunded(reason) => WalletEvent::StakesRefunded { match_id, game, reason },
            Event::StakesHeld(_) | Event::StakesRefused(_) => {
                unreachable!("paying and refunding hold and refuse nothing")
            }
        };
        Verdict::Post(Draft { event, transfers })
    }

    /// Withholds the winner's prize under a hold of fair play, in the moment in which the pot is paid (`WALLET-14`); nothing when
    /// there is no prize. The stake stays with him.
    #[must_use]
    pub fn withhold(&self, prize_hold: Uuid, until_ms: i64) -> Option<Draft> {
        let (PrizeState::Untouched, Some(game)) = (self.prize, self.game) else { return None };
        let prize = Prize::of(&self.settlement)?;
        let (match_id, player) = (self.match_id, prize.winner);
        Some(Draft {
            event: WalletEvent::PrizeWithheld { match_id, game, player, prize_hold, until_ms },
            transfers: vec![prize.withhold(step_transfer(match_uuid(match_id), "withhold"))],
        })
    }

    /// Gives the winner his prize; nothing when it is not withheld.
    #[must_use]
    pub fn release(&self) -> Option<Draft> {
        let (PrizeState::Withheld(prize_hold), Some(game)) = (self.prize, self.game) else { return None };
        let prize = Prize::of(&self.settlement)?;
        let (match_id, player) = (self.match_id, prize.winner);
        Some(Draft {
            event: WalletEvent::PrizeReleased { match_id, game, player, prize_hold },
            transfers: vec![prize.release(step_transfer(match_uuid(match_id), "release"))],
        })
    }

    /// What the loser of the game is to be given by the house, if the claim is what he lost; nothing is given twice (`WALLET-15`).
    ///
    /// # Errors
    /// When it was given before, or is not owed, or not yet.
    pub fn owed(&self, game: GameId, claim: Claim) -> Result<Restitution, Unpaid> {
        if self.loser == LoserState::MadeWhole {
            return Err(Unpaid::MadeWhole);
        }
        let owed = Restitution::of(&self.settlement, claim)?;
        if self.game == Some(game) { Ok(owed) } else { Err(Unpaid::OtherGame) }
    }

    /// Gives the loser of the game his stake from the house's fund, given the balances of [`Restitution::accounts`].
    ///
    /// # Errors
    /// As [`MatchMoney::owed`], and when the fund does not hold as much.
    pub fn make_whole(
        &self,
        balances: &Balances,
        game: GameId,
        claim: Claim,
        ruling: Ruling,
    ) -> Result<Draft, Unpaid> {
        let match_id = self.match_id;
        let id = step_transfer(match_uuid(match_id), "restitution");
        let transfer = self.owed(game, claim)?.pay(id, balances)?;
        let Claim { victim, winner, .. } = claim;
        let event = WalletEvent::VictimRefunded { match_id, game, victim, winner, ruling };
        Ok(Draft { event, transfers: vec![transfer] })
    }

    /// Whether the stakes have not been asked for before, so that whoever asks must be allowed to.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.settlement == Settlement::Open
    }

    /// The refusal of the stakes, for ever.
    #[must_use]
    pub fn refuse(&self, refusal: StakesRefusal) -> Draft {
        Draft {
            event: WalletEvent::StakesRefused { match_id: self.match_id, refusal },
            transfers: Vec::new(),
        }
    }

    fn refused(&self, refusal: StakesRefusal) -> Verdict {
        Verdict::Post(self.refuse(refusal))
    }

    fn check_game(&self, ordered: GameId) -> Result<(), Contradiction> {
        match self.game {
            Some(held_for) if held_for != ordered => Err(Contradiction::OtherGame { held_for, ordered }),
            _ => Ok(()),
        }
    }
}

/// What is recorded for a refusal of the rules.
fn stakes_refusal(refusal: Refusal) -> StakesRefusal {
    match refusal {
        Refusal::InsufficientFunds { player } | Refusal::WrongCurrency { player, .. } => {
            StakesRefusal::InsufficientFunds(player)
        }
        Refusal::SamePlayer
        | Refusal::NotAPlayer { .. }
        | Refusal::Overflow
        | Refusal::HeldOtherwise
        | Refusal::NothingHeld
        | Refusal::NotReversible
        | Refusal::FundTooSmall { .. }
        | Refusal::FeesTooSmall { .. }
        | Refusal::AlreadySettled { .. } => StakesRefusal::Invalid,
    }
}

/// The rules' name for a recorded refusal. They only need to know that there was one.
fn ledger_refusal(refusal: StakesRefusal) -> Refusal {
    match refusal {
        StakesRefusal::InsufficientFunds(player) => Refusal::InsufficientFunds { player },
        StakesRefusal::Invalid | StakesRefusal::MatchCancelled | StakesRefusal::NotEligible(_) => {
            Refusal::NothingHeld
        }
    }
}

#[cfg(test)]
mod tests;
