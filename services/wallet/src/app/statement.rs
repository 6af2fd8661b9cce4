//! What a posting looks like on the statements of the players it touches.

use std::collections::BTreeMap;

use domain_ledger::{Account, Balances, Currency, MatchId, PlayerId, TransferId};

use super::GameId;
use super::posting::{Posting, WalletEvent};

/// Why a line stands on a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// Money came in.
    Deposit,
    /// A stake was held.
    Hold,
    /// A game was won or lost.
    Payout,
    /// A stake went back.
    Refund,
    /// A prize waits for fair play.
    PrizeWithheld,
    /// It came after all.
    PrizeReleased,
    /// The house made good what was lost to a cheat.
    Restitution,
    /// Money went out.
    Withdrawal,
    /// An operator corrected something.
    Adjustment,
    /// Something was undone.
    Reversal,
}

/// A line of a player's statement. Collecting the pot and paying it out are one step to a player, so they are one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Whose statement.
    pub player: PlayerId,
    /// The transfer; the last one where a posting has two.
    pub transfer: TransferId,
    /// Why.
    pub kind: LineKind,
    /// Of all the amounts.
    pub currency: Currency,
    /// In minor units.
    pub available_change_minor: i64,
    /// In minor units.
    pub held_change_minor: i64,
    /// In minor units.
    pub available_after_minor: i64,
    /// The match, if there is one.
    pub match_id: Option<MatchId>,
    /// Its game.
    pub game: Option<GameId>,
    /// What the house took, on the winner's line, in minor units.
    pub fee_minor: Option<i64>,
}

/// What a line says besides the amounts.
struct Heading {
    kind: LineKind,
    match_id: Option<MatchId>,
    game: Option<GameId>,
}

#[derive(Default)]
struct Change {
    available_minor: i64,
    held_minor: i64,
}

/// The lines of a posting, one for each player whose money it moved, given the balances after it.
#[must_use]
pub fn lines(posting: &Posting, balances: &Balances) -> Vec<Line> {
    let (Some(heading), Some(last)) = (heading(&posting.event), posting.transfers.last()) else {
        return Vec::new();
    };
    let currency = last.transfer.currency();
    changes(posting)
        .into_iter()
        .map(|(player, change)| Line {
            player,
            transfer: last.transfer.id(),
            kind: heading.kind,
            currency,
            available_change_minor: change.available_minor,
            held_change_minor: change.held_minor,
            available_after_minor: balances.of(Account::Available(player), currency),
            match_id: heading.match_id,
            game: heading.game,
            fee_minor: fee_of(&posting.event, player),
        })
        .collect()
}

fn heading(event: &WalletEvent) -> Option<Heading> {
    let (kind, match_id, game) = match event {
        WalletEvent::MoneyWithdrawn { .. } => (LineKind::Withdrawal, None, None),
        WalletEvent::MoneyAdjusted { .. } => (LineKind::Adjustment, None, None),
        WalletEvent::TransferReversed { .. } => (LineKind::Reversal, None, None),
        WalletEvent::MoneyDeposited { .. } => (LineKind::Deposit, None, None),
        WalletEvent::StakesHeld { hold, game } => (LineKind::Hold, Some(hold.match_id), Some(*game)),
        WalletEvent::PotPaid { match_id, game, .. } => (LineKind::Payout, Some(*match_id), Some(*game)),
        WalletEvent::StakesRefunded { match_id, game, .. } => {
            (LineKind::Refund, Some(*match_id), Some(*game))
        }
        WalletEvent::PrizeWithheld { match_id, game, .. } => {
            (LineKind::PrizeWithheld, Some(*match_id), Some(*game))
        }
        WalletEvent::PrizeReleased { match_id, game, .. } => {
            (LineKind::PrizeReleased, Some(*match_id), Some(*game))
        }
        WalletEvent::VictimRefunded { match_id, game, .. } => {
            (LineKind::Restitution, Some(*match_id), Some(*game))
        }
        // These move no money of a player's.
        WalletEvent::AccountOpened { .. }
        | WalletEvent::FundAdjusted { .. }
        | WalletEvent::StakesRefused { .. }
        | WalletEvent::DepositRequested { .. }
        | WalletEvent::PaymentConcluded { .. }
        | WalletEvent::AdjustmentProposed { .. }
        | WalletEvent::AdjustmentDecided { .. }
        | WalletEvent::StandingChanged { .. } => return None,
    };
    Some(Heading { kind, match_id, game })
}

/// The sums of the changes of each player. A step moves a player's own money to and fro between two accounts at most, so
/// the sums are as small as the entries.
fn changes(posting: &Posting) -> BTreeMap<PlayerId, Change> {
    let mut changes: BTreeMap<PlayerId, Change> = BTreeMap::new();
    for booked in &posting.transfers {
        for entry in booked.transfer.entries() {
            match entry.account {
                Account::Available(player) => {
                    changes.entry(player).or_default().available_minor += entry.minor_signed;
                }
                Account::Held(player) => {
                    changes.entry(player).or_default().held_minor += entry.minor_signed;
                }
                Account::Withheld(_)
                | Account::Pot(_)
                | Account::Fees
                | Account::Fund
                | Account::External => {}
            }
        }
    }
    changes
}

fn fee_of(event: &WalletEvent, player: PlayerId) -> Option<i64> {
    match event {
        WalletEvent::PotPaid { winner, split, .. } if *winner == player => Some(split.fee_minor),
        _ => None,
    }
}
