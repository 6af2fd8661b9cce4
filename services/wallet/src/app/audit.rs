//! Everything once more, from the log alone.
//!
//! The log is read stream by stream, not in the order of time, so nothing here depends on the order of two streams: sums are
//! compared at the end, and the running balances recorded with the entries of an account must form one chain from zero to
//! what stands there now.

mod again;

use std::collections::{BTreeMap, HashMap, HashSet};

use domain_ledger::{
    Account, Balances, Currency, Hold, PlayerId, Transfer, TransferId, TransferKind, verify_holds,
};
use uuid::Uuid;

use super::match_money::MatchMoney;
use super::posting::{BookedTransfer, Posting, WalletEvent, keeps_balance};
use super::{fund_uuid, player_uuid, standing_uuid};
use again::{is_decided_on, is_funding, is_opposite};

/// The first thing that does not add up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Difference {
    /// A transfer stands in the log twice.
    #[error("transfer {} was booked twice", Uuid::from_u128(.0.value()))]
    BookedTwice(TransferId),
    /// An event is not what the rules give for the state before it, with exactly these transfers.
    #[error("stream {stream_id}, version {version}: not what the rules decide there")]
    NotDecided {
        /// The stream.
        stream_id: Uuid,
        /// The event's place.
        version: i64,
    },
    /// An entry has a running balance where none belongs, or none where one does, or one below zero.
    #[error("transfer {}: the balance recorded with an entry cannot be", Uuid::from_u128(.0.value()))]
    ImpossibleBalance(TransferId),
    /// The running balances of an account do not follow from each other.
    #[error("{account:?} in {currency}: the balances recorded with its entries leave a gap")]
    BrokenChain {
        /// Whose.
        account: Account,
        /// In which currency.
        currency: Currency,
    },
    /// What stands on an account is not what the log adds up to.
    #[error("{account:?} in {currency} stands at {recorded_minor}, the log says {computed_minor}")]
    Balance {
        /// Whose.
        account: Account,
        /// In which currency.
        currency: Currency,
        /// What stands there.
        recorded_minor: i64,
        /// What the log adds up to.
        computed_minor: i128,
    },
    /// The sum over all accounts is not zero.
    #[error("all accounts in {currency} sum to {sum_minor}, not to zero")]
    Sum {
        /// In which currency.
        currency: Currency,
        /// What they sum to.
        sum_minor: i128,
    },
    /// Held money is not the stakes of the open holds.
    #[error(transparent)]
    Holds(#[from] domain_ledger::Difference),
}

/// What was read and what it came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Totals {
    /// Events of the log.
    pub events: u64,
    /// Transfers among them.
    pub transfers: u64,
    /// Entries of those.
    pub entries: u64,
    /// Matches whose stakes are held and not settled.
    pub open_holds: u64,
    /// The sum of all entries of each currency; zero, if all is well.
    pub sums_minor: BTreeMap<Currency, i128>,
}

/// What the entries of one account come to.
#[derive(Debug, Default)]
struct Tally {
    sum_minor: i128,
    /// How often each balance was come to, less how often it was left. Zeros are taken out.
    visits: HashMap<i64, i64>,
}

impl Tally {
    fn visit(&mut self, balance_minor: i64, times: i64) {
        let count = self.visits.entry(balance_minor).or_default();
        *count += times;
        if *count == 0 {
            self.visits.remove(&balance_minor);
        }
    }

    /// Whether the visits are a chain from zero to the sum.
    fn is_chain(&self) -> bool {
        let Ok(sum) = i64::try_from(self.sum_minor) else {
            return false;
        };
        if sum == 0 {
            return self.visits.is_empty();
        }
        self.visits.len() == 2 && self.visits.get(&0) == Some(&-1) && self.visits.get(&sum) == Some(&1)
    }
}

/// An audit under way.
#[derive(Debug, Default)]
pub struct Audit {
    totals: Totals,
    booked: HashSet<TransferId>,
    tallies: HashMap<(Account, Currency), Tally>,
    open_holds: Vec<Hold>,
    /// What the account that is being read can reverse.
    movements: HashMap<TransferId, Transfer>,
    /// The match that is being read: streams come one after the other, whole.
    current: Option<(Uuid, MatchMoney)>,
    /// The stream that is being read.
    stream_id: Option<Uuid>,
}

impl Audit {
    /// Takes the next event, streams one after the other and each in its order.
    ///
    /// # Errors
    /// The first difference.
    pub fn take(&mut self, stream_id: Uuid, version: i64, posting: &Posting) -> Result<(), Difference> {
        self.totals.events += 1;
        if self.stream_id.replace(stream_id) != Some(stream_id) {
            self.leave_match();
            self.movements.clear();
        }
        if !self.is_decided(stream_id, posting) {
            return Err(Difference::NotDecided { stream_id, version });
        }
        for booked in &posting.transfers {
            self.take_transfer(booked)?;
        }
        Ok(())
    }

    /// What was read so far.
    #[must_use]
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// Compares what stands on the accounts of players with the log, after the last event.
    ///
    /// # Errors
    /// The first difference.
    pub fn finish(
        mut self,
        standing: impl IntoIterator<Item = (Account, Currency, i64)>,
    ) -> Result<Totals, Difference> {
        self.leave_match();
        let mut held = Balances::new();
        for (account, currency, recorded_minor) in standing {
            let tally = self.tallies.remove(&(account, currency)).unwrap_or_default();
            self.compare(account, currency, &tally, recorded_minor)?;
            if matches!(account, Account::Held(_)) {
                held.load(account, currency, recorded_minor);
            }
        }
        // What has no row stands at nothing; fees and the outside world have no row and are only summed.
        let mut rest: Vec<_> = std::mem::take(&mut self.tallies).into_iter().collect();
        rest.sort_by_key(|((account, currency), _)| (*account, *currency));
        for ((account, currency), tally) in rest {
            if keeps_balance(account) {
                self.compare(account, currency, &tally, 0)?;
            } else {
                self.add_to_sum(currency, tally.sum_minor);
            }
        }
        verify_holds(&self.open_holds, &held)?;
        for (currency, sum_minor) in &self.totals.sums_minor {
            if *sum_minor != 0 {
                return Err(Difference::Sum { currency: *currency, sum_minor: *sum_minor });
            }
        }
        Ok(self.totals)
    }

    fn compare(
        &mut self,
        account: Account,
        currency: Currency,
        tally: &Tally,
        recorded_minor: i64,
    ) -> Result<(), Difference> {
        if tally.sum_minor != i128::from(recorded_minor) {
            return Err(Difference::Balance {
                account,
                currency,
                recorded_minor,
                computed_minor: tally.sum_minor,
            });
        }
        if !tally.is_chain() {
            return Err(Difference::BrokenChain { account, currency });
        }
        self.add_to_sum(currency, i128::from(recorded_minor));
        Ok(())
    }

    fn add_to_sum(&mut self, currency: Currency, minor: i128) {
        *self.totals.sums_minor.entry(currency).or_default() += minor;
    }

    fn leave_match(&mut self) {
        if let Some((_, money)) = self.current.take()
            && let Some(hold) = money.settlement().open_hold()
        {
            self.totals.open_holds += 1;
            self.open_holds.push(*hold);
        }
    }

    fn take_transfer(&mut self, booked: &BookedTransfer) -> Result<(), Difference> {
        let transfer = &booked.transfer;
        if !self.booked.insert(transfer.id()) {
            return Err(Difference::BookedTwice(transfer.id()));
        }
        self.totals.transfers += 1;
        for (entry, after_minor) in transfer.entries().iter().zip(&booked.after_minor) {
            self.totals.entries += 1;
            let impossible = Difference::ImpossibleBalance(transfer.id());
            if after_minor.is_some() != keeps_balance(entry.account) {
                return Err(impossible);
            }
            let key = (entry.account, transfer.currency());
            let tally = self.tallies.entry(key).or_default();
            tally.sum_minor += i128::from(entry.minor_signed);
            if let Some(after) = *after_minor {
                let before = after.checked_sub(entry.minor_signed);
                let (Some(before), true) = (before, after >= 0) else {
                    return Err(impossible);
                };
                tally.visit(before, -1);
                tally.visit(after, 1);
            }
            // A pot comes and goes; forgetting it keeps the audit as small as the number of players.
            if tally.sum_minor == 0 && tally.visits.is_empty() {
                self.tallies.remove(&key);
            }
        }
        Ok(())
    }

    /// Whether the rules give this event, with these transfers, in this place.
    fn is_decided(&mut self, stream_id: Uuid, posting: &Posting) -> bool {
        match &posting.event {
            WalletEvent::AccountOpened { player, .. } => {
                player_uuid(*player) == stream_id && posting.transfers.is_empty()
            }
            WalletEvent::MoneyDeposited { player, .. }
            | WalletEvent::MoneyWithdrawn { player, .. }
            | WalletEvent::MoneyAdjusted { player, .. }
            | WalletEvent::TransferReversed { player, .. } => {
                player_uuid(*player) == stream_id && self.is_movement(*player, posting)
            }
            WalletEvent::DepositRequested { payment, .. } | WalletEvent::PaymentConcluded { payment, .. } => {
                *payment == stream_id && posting.transfers.is_empty()
            }
            WalletEvent::AdjustmentProposed { adjustment, .. }
            | WalletEvent::AdjustmentDecided { adjustment, .. } => {
                *adjustment == stream_id && posting.transfers.is_empty()
            }
            WalletEvent::StandingChanged { player, .. } => {
                standing_uuid(*player) == stream_id && posting.transfers.is_empty()
            }
            WalletEvent::FundAdjusted { .. } => stream_id == fund_uuid() && is_funding(posting),
            WalletEvent::StakesHeld { hold, .. } => {
                self.is_next_of_match(stream_id, hold.match_id.value(), posting)
            }
            WalletEvent::StakesRefused { match_id, .. }
            | WalletEvent::PotPaid { match_id, .. }
            | WalletEvent::PrizeWithheld { match_id, .. }
            | WalletEvent::PrizeReleased { match_id, .. }
            | WalletEvent::VictimRefunded { match_id, .. }
            | WalletEvent::StakesRefunded { match_id, .. } => {
                self.is_next_of_match(stream_id, match_id.value(), posting)
            }
        }
    }

    /// Whether the transfer is one that the event can have led to, and a reversal the opposite of an earlier one of the account.
    fn is_movement(&mut self, player: PlayerId, posting: &Posting) -> bool {
        let [BookedTransfer { transfer, .. }] = posting.transfers.as_slice() else { return false };
        let accounts: Vec<Account> = transfer.entries().iter().map(|entry| entry.account).collect();
        let inward = [Account::External, Account::Available(player)];
        let outward = [Account::Available(player), Account::External];
        let fits = match (&posting.event, transfer.kind()) {
            (WalletEvent::MoneyDeposited { .. }, TransferKind::Deposit) => accounts == inward,
            (WalletEvent::MoneyWithdrawn { .. }, TransferKind::Withdrawal) => accounts == outward,
            (WalletEvent::MoneyAdjusted { .. }, TransferKind::Adjustment) => {
                accounts == inward || accounts == outward
            }
            (WalletEvent::TransferReversed { reversed, .. }, TransferKind::Reversal(of)) => {
                let original = self.movements.remove(reversed);
                of == *reversed && original.is_some_and(|original| is_opposite(&original, transfer))
            }
            _ => false,
        };
        let is_reversal = matches!(transfer.kind(), TransferKind::Reversal(_));
        if fits && !is_reversal {
            self.movements.insert(transfer.id(), transfer.clone());
        }
        fits
    }

    fn is_next_of_match(&mut self, stream_id: Uuid, match_value: u128, posting: &Posting) -> bool {
        if stream_id.as_u128() != match_value {
            return false;
        }
        let (_, money) = self.current.get_or_insert_with(|| {
            let match_id = domain_ledger::MatchId::new(match_value);
            (stream_id, MatchMoney::new(match_id))
        });
        if !is_decided_on(money, posting) {
            return false;
        }
        *money = money.evolve(&posting.event);
        true
    }
}
