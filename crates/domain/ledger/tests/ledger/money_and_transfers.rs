//! Amounts, splits, transfers, movements, ids that are used twice, and the check of the log.

use crate::scenario::{BLACK, Ledger, MATCH, WHITE, amount, hold};
use domain_ledger::idempotency::{Idempotency, InputHash, KeyReused, Turn, turn_of};
use domain_ledger::money::AmountError;
use domain_ledger::split::{SPLIT_PARTS_MAX, SplitError};
use domain_ledger::transfer::{ENTRIES_MAX, TransferError};
use domain_ledger::{
    Account, Amount, Balances, BasisPoints, Currency, Difference, Entry, MatchId, PlayerId, PotSplit,
    Refusal, Transfer, TransferId, TransferKind, TransferParts, Unbookable, split, split_pot, verify,
    verify_holds,
};

fn parts(entries: Vec<Entry>) -> TransferParts {
    TransferParts { id: TransferId::new(1), kind: TransferKind::Deposit, currency: Currency::XPL, entries }
}

fn deposit(id: u128, player: PlayerId, minor: i64) -> Transfer {
    Transfer::new(TransferParts {
        id: TransferId::new(id),
        ..parts(vec![
            Entry::debit(Account::External, amount(minor)),
            Entry::credit(Account::Available(player), amount(minor)),
        ])
    })
    .unwrap()
}

/// F21
#[test]
fn only_whole_positive_amounts_that_fit_are_amounts() {
    for minor in [0, -1, -5, i64::MIN] {
        assert_eq!(Amount::new(minor), Err(AmountError::NotPositive));
        assert_eq!(Amount::try_from(i128::from(minor)), Err(AmountError::NotPositive));
    }
    assert_eq!(Amount::try_from(1_i128 << 63), Err(AmountError::TooLarge));
    for minor in [1, 2, i64::MAX] {
        assert_eq!(Amount::new(minor).map(Amount::minor), Ok(minor));
        assert_eq!(Amount::try_from(i128::from(minor)).map(Amount::minor), Ok(minor));
    }
}

/// F21
#[test]
fn only_three_capital_letters_are_a_currency() {
    for code in ["", " ", "   ", "XP", "XPLX", "xpl", "Xpl", "X1L", "XP ", "€", "ÄBC", "X\0L"] {
        assert!(Currency::parse(code).is_err(), "{code:?}");
    }
    for code in ["XPL", "EUR", "JPY"] {
        assert_eq!(Currency::parse(code).unwrap().as_str(), code);
        assert_eq!(Currency::parse(code).unwrap().to_string(), code);
    }
    assert_eq!(Currency::parse("XPL"), Ok(Currency::XPL));
}

#[test]
fn a_fee_rate_is_at_most_the_whole() {
    for rate in [0, 1, 9_999, 10_000] {
        assert_eq!(BasisPoints::new(rate).map(|fee| u32::from(fee.get())), Ok(rate));
    }
    for rate in [10_001, 65_536, 75_536, u32::MAX] {
        assert!(BasisPoints::new(rate).is_err(), "{rate}");
    }
}

/// F06
#[test]
fn a_split_by_per_cent_adds_up_to_the_whole() {
    assert_eq!(split(amount(250), &[50, 45, 5]).unwrap(), [125, 113, 12]);
}

/// F07
#[test]
fn a_split_that_does_not_divide_loses_nothing() {
    assert_eq!(split(amount(100), &[1, 1, 1]).unwrap(), [34, 33, 33]);
    let pot = split_pot(amount(202), BasisPoints::new(500).unwrap());
    assert_eq!(pot, PotSplit { payout_minor: 192, fee_minor: 10 });
    assert_eq!(split(amount(192), &[1, 1]).unwrap(), [96, 96]);
    assert_eq!(split(amount(1), &[1, 1]).unwrap(), [1, 0]);
    assert_eq!(split(amount(5), &[0, 3, 0]).unwrap(), [0, 5, 0]);
}

#[test]
fn a_split_without_weights_or_with_too_many_is_refused() {
    assert_eq!(split(amount(5), &[]), Err(SplitError::NoWeight));
    assert_eq!(split(amount(5), &[0, 0]), Err(SplitError::NoWeight));
    assert_eq!(split(amount(5), &[1; SPLIT_PARTS_MAX + 1]), Err(SplitError::TooManyParts));
    let parts = split(amount(i64::MAX), &[u32::MAX; SPLIT_PARTS_MAX]).unwrap();
    assert_eq!(parts.iter().sum::<i64>(), i64::MAX);
}

/// F14 (LEDGER-6)
#[test]
fn a_transfer_to_oneself_cannot_be_written_down() {
    let account = Account::Available(WHITE);
    let to_oneself = vec![Entry::debit(account, amount(1000)), Entry::credit(account, amount(1000))];
    assert_eq!(Transfer::new(parts(to_oneself)), Err(TransferError::AccountTwice(account)));
}

/// LEDGER-1
#[test]
fn a_transfer_that_makes_or_loses_money_cannot_be_written_down() {
    let entry = |account, minor_signed| Entry { account, minor_signed };
    let (a, b) = (Account::Available(WHITE), Account::Available(BLACK));
    for (entries, error) in [
        (vec![], TransferError::Empty),
        (vec![entry(a, 5)], TransferError::Unbalanced(5)),
        (vec![entry(a, 5), entry(b, -4)], TransferError::Unbalanced(1)),
        (vec![entry(a, 0), entry(b, 0)], TransferError::ZeroEntry(a)),
        (vec![entry(a, i64::MIN), entry(b, i64::MIN)], TransferError::Unbalanced(2 * i128::from(i64::MIN))),
        (vec![entry(a, 1); ENTRIES_MAX + 1], TransferError::TooManyEntries),
    ] {
        assert_eq!(Transfer::new(parts(entries)), Err(error));
    }
}

#[test]
fn a_transfer_survives_its_parts() {
    let transfer = deposit(7, WHITE, 50);
    assert_eq!(Transfer::new(transfer.clone().into_parts()), Ok(transfer.clone()));
    assert_eq!(transfer.kind().match_id(), None);
    assert_eq!(TransferKind::Payout(MATCH).match_id(), Some(MATCH));
}

/// LEDGER-2, and a transfer is booked whole or not at all.
#[test]
fn a_debit_below_zero_books_nothing_of_its_transfer() {
    let mut balances = Balances::new();
    balances.apply(&deposit(1, WHITE, 50)).unwrap();
    let before = balances.clone();
    let too_much = Transfer::new(parts(vec![
        Entry::credit(Account::External, amount(51)),
        Entry::debit(Account::Available(WHITE), amount(51)),
    ]))
    .unwrap();
    assert_eq!(balances.apply(&too_much), Err(Unbookable::BelowZero(Account::Available(WHITE))));
    assert_eq!(balances, before);
}

/// LEDGER-7
#[test]
fn a_balance_that_would_overflow_books_nothing() {
    let mut balances = Balances::new();
    balances.apply(&deposit(1, WHITE, i64::MAX)).unwrap();
    let before = balances.clone();
    assert!(matches!(balances.apply(&deposit(2, WHITE, 1)), Err(Unbookable::Overflow(_))));
    assert_eq!(balances, before);
}

/// F21 (LEDGER-7): the largest amount is taken once, and not a unit more, held money included.
#[test]
fn a_deposit_that_does_not_fit_beside_what_is_owned_is_refused() {
    let mut ledger = Ledger::given(&[(WHITE, i64::MAX)]);
    assert_eq!(ledger.deposit(WHITE, 1, Currency::XPL), Err(Refusal::Overflow));
    ledger.assert_sound();

    let mut ledger = Ledger::given(&[(WHITE, 100), (BLACK, 100)]);
    ledger.hold(hold(MATCH, 100, 500));
    assert_eq!(ledger.deposit(WHITE, i64::MAX - 99, Currency::XPL), Err(Refusal::Overflow));
    ledger.assert_sound();
}

#[test]
fn a_withdrawal_takes_only_what_is_available() {
    let mut ledger = Ledger::given(&[(WHITE, 300), (BLACK, 300)]);
    ledger.hold(hold(MATCH, 200, 500));
    assert_eq!(ledger.withdraw(WHITE, 101, Currency::XPL), Err(Refusal::InsufficientFunds { player: WHITE }));
    ledger.withdraw(WHITE, 100, Currency::XPL).unwrap();
    assert_eq!((ledger.available(WHITE), ledger.held(WHITE)), (0, 200));
    ledger.assert_sound();
}

/// F16: equal amounts under different ids are different movements.
#[test]
fn four_equal_deposits_with_four_ids_all_count() {
    let mut ledger = Ledger::given(&[(WHITE, 250), (WHITE, 250), (WHITE, 250), (WHITE, 250)]);
    assert_eq!(ledger.available(WHITE), 1000);
    for _ in 0..4 {
        ledger.withdraw(WHITE, 250, Currency::XPL).unwrap();
    }
    assert_eq!(ledger.available(WHITE), 0);
    ledger.assert_sound();
}

/// F11: the same id with the same input is answered as at first, with another input it is refused.
#[test]
fn an_id_used_for_another_input_is_refused_and_keeps_its_outcome() {
    let (hundred, two_hundred) = (InputHash([1; 32]), InputHash([2; 32]));
    assert_eq!(turn_of::<u8>(None, hundred), Ok(Turn::First));

    for outcome in [Ok(100), Err(Refusal::Overflow)] {
        let stored = Idempotency { input_hash: hundred, outcome };
        assert_eq!(turn_of(Some(&stored), two_hundred), Err(KeyReused));
        assert_eq!(turn_of(Some(&stored), hundred), Ok(Turn::Repeat(&outcome)));
    }
}

#[test]
fn the_check_names_the_first_balance_that_differs() {
    let log = [deposit(1, WHITE, 50), deposit(2, BLACK, 70), deposit(3, WHITE, 5)];
    let mut recorded = verify(&log, &Balances::new()).unwrap_err();
    assert!(matches!(recorded, Difference::Balance { .. }));

    let mut balances = Balances::new();
    log.iter().for_each(|transfer| balances.apply(transfer).unwrap());
    assert_eq!(verify(&log, &balances), Ok(balances.clone()));

    balances.load(Account::Available(BLACK), Currency::XPL, 71);
    recorded = verify(&log, &balances).unwrap_err();
    assert_eq!(
        recorded,
        Difference::Balance {
            account: Account::Available(BLACK),
            currency: Currency::XPL,
            recorded_minor: 71,
            computed_minor: 70,
        }
    );
}

#[test]
fn the_check_names_a_transfer_that_stands_twice_or_cannot_stand() {
    let twice = [deposit(1, WHITE, 50), deposit(1, WHITE, 50)];
    assert_eq!(verify(&twice, &Balances::new()), Err(Difference::BookedTwice(TransferId::new(1))));
    let from_nothing = Transfer::new(parts(vec![
        Entry::debit(Account::Pot(MatchId::new(9)), amount(5)),
        Entry::credit(Account::Fees, amount(5)),
    ]))
    .unwrap();
    assert_eq!(
        verify([&from_nothing], &Balances::new()),
        Err(Difference::Unbookable {
            transfer: TransferId::new(1),
            reason: Unbookable::BelowZero(Account::Pot(MatchId::new(9))),
        })
    );
}

/// LEDGER-4
#[test]
fn the_check_names_held_money_without_a_match_and_a_match_without_money() {
    let mut balances = Balances::new();
    let terms = hold(MATCH, 100, 500);
    let missing = |held_minor, staked_minor| Difference::Held {
        player: WHITE,
        currency: Currency::XPL,
        held_minor,
        staked_minor,
    };
    assert_eq!(verify_holds([&terms], &balances), Err(missing(0, 100)));
    balances.load(Account::Held(WHITE), Currency::XPL, 100);
    assert_eq!(verify_holds([], &balances), Err(missing(100, 0)));
    balances.load(Account::Held(BLACK), Currency::XPL, 100);
    assert_eq!(verify_holds([&terms], &balances), Ok(()));
}

/// F22: a broken account stops its owner's debits and nobody else's money.
#[test]
fn a_broken_account_does_not_stop_the_others() {
    let broken = PlayerId::new(66);
    let mut ledger = Ledger::given(&[(WHITE, 500), (BLACK, 500)]);
    ledger.balances.load(Account::Available(broken), Currency::XPL, -40);

    assert_eq!(ledger.withdraw(broken, 1, Currency::XPL), Err(Refusal::InsufficientFunds { player: broken }));
    ledger.hold(hold(MATCH, 100, 500));
    ledger.pay(MATCH, WHITE);
    assert_eq!(ledger.available(WHITE), 590);
    ledger.deposit(broken, 30, Currency::XPL).unwrap();
    assert_eq!(ledger.available(broken), -10);
}
