//! What players lost to cheats, made good by the house (`LEDGER-11`).

use std::collections::BTreeSet;

use domain_ledger::{
    Account, Balances, Claim, Currency, Direction, FundSource, NotOwed, RefundReason, Refusal, Restitution,
    RestitutionPolicy, TransferId, reversal, verify,
};

use crate::scenario::{BLACK, Ledger, MATCH, STRANGER, WHITE, amount, currency, hold};

/// Black has won White's 333 at a fee of 2.5 %, and the house has put so much into its fund.
fn given(fund_minor: i64) -> Ledger {
    let mut ledger = Ledger::given(&[(WHITE, 1_000), (BLACK, 1_000)]);
    ledger.hold(hold(MATCH, 333, 250));
    ledger.pay(MATCH, BLACK);
    if fund_minor > 0 {
        ledger.fund(Direction::Credit, FundSource::Outside, fund_minor).expect("it comes from outside");
    }
    ledger
}

fn lost_by_white() -> Claim {
    Claim { victim: WHITE, winner: BLACK, stake: amount(333), currency: Currency::XPL }
}

#[test]
fn a_victim_gets_his_whole_stake_from_the_fund_and_nobody_else_pays() {
    let mut ledger = given(500);
    let before = (ledger.available(BLACK), ledger.fees());
    ledger.make_whole(MATCH, lost_by_white()).expect("covered");
    assert_eq!((ledger.available(WHITE), ledger.fund_minor()), (1_000, 167));
    assert_eq!((ledger.available(BLACK), ledger.fees()), before);
    ledger.assert_sound();
}

#[test]
fn a_fund_that_is_too_small_pays_nothing_until_there_is_enough() {
    let mut ledger = given(332);
    let too_small = Refusal::FundTooSmall { holds_minor: 332 };
    assert_eq!(ledger.make_whole(MATCH, lost_by_white()), Err(too_small));
    assert_eq!((ledger.available(WHITE), ledger.fund_minor()), (667, 332), "nothing in part");
    ledger.fund(Direction::Credit, FundSource::Fees, 1).expect("the house has earned 16");
    ledger.make_whole(MATCH, lost_by_white()).expect("covered to the last unit");
    assert_eq!((ledger.available(WHITE), ledger.fund_minor(), ledger.fees()), (1_000, 0, 15));
    ledger.assert_sound();
}

#[test]
fn the_ledger_pays_what_it_knows_and_not_what_it_is_told() {
    let ledger = given(10_000);
    let settlement = &ledger.matches[&MATCH];
    for wrong in [
        Claim { victim: BLACK, winner: WHITE, ..lost_by_white() },
        Claim { victim: STRANGER, ..lost_by_white() },
        Claim { winner: STRANGER, ..lost_by_white() },
        Claim { stake: amount(334), ..lost_by_white() },
        Claim { currency: currency("EUR"), ..lost_by_white() },
    ] {
        assert_eq!(Restitution::of(settlement, wrong), Err(NotOwed::OtherLoss), "{wrong:?}");
    }
}

#[test]
fn where_nobody_lost_nothing_is_owed_and_a_match_that_goes_on_may_still_come_to_it() {
    let mut ledger = Ledger::given(&[(WHITE, 1_000), (BLACK, 1_000)]);
    let of = |ledger: &Ledger| {
        let settlement = ledger.matches.get(&MATCH).copied().unwrap_or_default();
        Restitution::of(&settlement, lost_by_white()).map(|_| ())
    };
    assert_eq!(of(&ledger), Err(NotOwed::NotSettled));
    ledger.hold(hold(MATCH, 333, 250));
    assert_eq!(of(&ledger), Err(NotOwed::NotSettled));
    ledger.refund(MATCH, RefundReason::Drawn);
    assert_eq!(of(&ledger), Err(NotOwed::NothingLost));
}

#[test]
fn the_house_moves_its_fund_to_and_fro_and_never_owes_it() {
    let mut ledger = given(0);
    assert_eq!(
        ledger.fund(Direction::Credit, FundSource::Fees, 17),
        Err(Refusal::FeesTooSmall { holds_minor: 16 })
    );
    ledger.fund(Direction::Credit, FundSource::Fees, 16).expect("all that was earned");
    let too_small = Refusal::FundTooSmall { holds_minor: 16 };
    assert_eq!(ledger.fund(Direction::Debit, FundSource::Outside, 17), Err(too_small));
    ledger.fund(Direction::Debit, FundSource::Fees, 6).expect("covered");
    ledger.fund(Direction::Debit, FundSource::Outside, 10).expect("covered");
    assert_eq!((ledger.fund_minor(), ledger.fees()), (0, 6));
    ledger.assert_sound();
}

#[test]
fn what_was_made_good_is_never_clawed_back_by_a_reversal() {
    let mut ledger = given(500);
    ledger.make_whole(MATCH, lost_by_white()).expect("covered");
    let paid = ledger.log.last().expect("booked").clone();
    assert_eq!(reversal(&paid, TransferId::new(900), &ledger.balances), Err(Refusal::NotReversible));
    assert_eq!(paid.kind().match_id(), Some(MATCH));
}

#[test]
fn a_fund_below_zero_is_found_by_the_check() {
    let mut ledger = given(500);
    ledger.make_whole(MATCH, lost_by_white()).expect("covered");
    // The same transfers without the one that put the money there.
    let without: Vec<_> = ledger
        .log
        .iter()
        .filter(|transfer| {
            !transfer.entries().iter().any(|entry| entry.account == Account::Fund && entry.minor_signed > 0)
        })
        .cloned()
        .collect();
    assert!(verify(&without, &Balances::new()).is_err());
}

#[test]
fn the_policy_says_which_currencies_are_made_good() {
    let (xpl, eur) = (Currency::XPL, currency("EUR"));
    let only = RestitutionPolicy::Only(BTreeSet::from([eur]));
    let covered = |policy: RestitutionPolicy| (policy.covers(xpl), policy.covers(eur));
    assert_eq!(covered(RestitutionPolicy::default()), (true, true));
    assert_eq!(covered(only), (false, true));
    assert_eq!(covered(RestitutionPolicy::Nothing), (false, false));
}
