//! Deciding once more what an event says was decided.

use domain_ledger::{Account, Balances, Claim, Settlement, Transfer, TransferKind};

use crate::app::GameId;
use crate::app::match_money::{MatchMoney, Order, Verdict};
use crate::app::posting::{BookedTransfer, Draft, Posting, WalletEvent};

/// Whether the transfer is between the house's fund and where the event says.
pub(super) fn is_funding(posting: &Posting) -> bool {
    let (WalletEvent::FundAdjusted { source, .. }, [BookedTransfer { transfer, .. }]) =
        (&posting.event, posting.transfers.as_slice())
    else {
        return false;
    };
    let accounts: Vec<Account> = transfer.entries().iter().map(|entry| entry.account).collect();
    let (from, to) = (source.account(), Account::Fund);
    transfer.kind() == TransferKind::Funding && (accounts == [from, to] || accounts == [to, from])
}

/// Whether one transfer undoes the other.
pub(super) fn is_opposite(original: &Transfer, reversal: &Transfer) -> bool {
    original.currency() == reversal.currency()
        && original.entries().len() == reversal.entries().len()
        && original.entries().iter().zip(reversal.entries()).all(|(one, other)| {
            one.account == other.account && one.minor_signed.checked_neg() == Some(other.minor_signed)
        })
}

/// Decides once more what the event says was asked, on balances that allow it, and compares.
pub(super) fn is_decided_on(money: &MatchMoney, posting: &Posting) -> bool {
    let order = match &posting.event {
        WalletEvent::StakesHeld { hold, game } => Order::Hold { hold: *hold, game: *game },
        WalletEvent::StakesRefused { .. } => {
            return *money.settlement() == Settlement::Open && posting.transfers.is_empty();
        }
        WalletEvent::PotPaid { game, winner, .. } => Order::Pay { game: *game, winner: *winner },
        WalletEvent::StakesRefunded { game, reason, .. } => refund_order(*game, *reason),
        WalletEvent::PrizeWithheld { prize_hold, until_ms, .. } => {
            return money
                .withhold(*prize_hold, *until_ms)
                .is_some_and(|draft| is_as_drafted(&draft, posting));
        }
        WalletEvent::PrizeReleased { .. } => {
            return money.release().is_some_and(|draft| is_as_drafted(&draft, posting));
        }
        WalletEvent::VictimRefunded { .. } => return is_restitution(money, posting),
        _ => return false,
    };
    let Ok(Verdict::Post(draft)) = money.decide(&enough_for(&order), &order) else {
        return false;
    };
    is_as_drafted(&draft, posting)
}

/// Decides once more to make the loser whole, with a fund that allows it: what was lost stands in the match's own money.
fn is_restitution(money: &MatchMoney, posting: &Posting) -> bool {
    let (WalletEvent::VictimRefunded { game, victim, winner, ruling, .. }, Settlement::Paid { hold, .. }) =
        (&posting.event, money.settlement())
    else {
        return false;
    };
    let claim = Claim { victim: *victim, winner: *winner, stake: hold.stake, currency: hold.currency };
    let mut balances = Balances::new();
    balances.load(Account::Fund, hold.currency, hold.stake.minor());
    money
        .make_whole(&balances, *game, claim, ruling.clone())
        .is_ok_and(|draft| is_as_drafted(&draft, posting))
}

fn is_as_drafted(draft: &Draft, posting: &Posting) -> bool {
    let same_transfers = draft.transfers.len() == posting.transfers.len()
        && draft
            .transfers
            .iter()
            .zip(&posting.transfers)
            .all(|(decided, booked)| *decided == booked.transfer);
    draft.event == posting.event && same_transfers
}

fn refund_order(game: GameId, reason: domain_ledger::RefundReason) -> Order {
    match reason {
        domain_ledger::RefundReason::Cancelled => Order::Cancel,
        reason => Order::Refund { game, reason },
    }
}

/// Balances that just cover a hold; whether the real ones did is what the chains of running balances show.
fn enough_for(order: &Order) -> Balances {
    let mut balances = Balances::new();
    if let Order::Hold { hold, .. } = order {
        for player in [hold.white, hold.black] {
            balances.load(Account::Available(player), hold.currency, hold.stake.minor());
        }
    }
    balances
}
