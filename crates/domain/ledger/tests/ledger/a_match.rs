//! The money of a match, from the hold to its settlement.

use crate::scenario::{Answer, BLACK, Ledger, MATCH, STRANGER, WHITE, amount, currency, hold};
use domain_ledger::{BasisPoints, Currency, Event, Hold, MatchId, Outcome, PotSplit, RefundReason, Refusal};

#[test]
fn the_winner_gets_the_pot_less_the_fee() {
    let mut ledger = Ledger::given(&[(WHITE, 1000), (BLACK, 1000)]);
    let terms = hold(MATCH, 400, 500);

    assert_eq!(ledger.hold(terms), Answer::Recorded(Event::StakesHeld(terms)));
    assert_eq!((ledger.available(WHITE), ledger.held(WHITE)), (600, 400));
    assert_eq!((ledger.available(BLACK), ledger.held(BLACK)), (600, 400));
    ledger.assert_sound();

    let split = PotSplit { payout_minor: 760, fee_minor: 40 };
    assert_eq!(ledger.pay(MATCH, BLACK), Answer::Recorded(Event::PotPaid { winner: BLACK, split }));
    assert_eq!((ledger.available(WHITE), ledger.held(WHITE)), (600, 0));
    assert_eq!((ledger.available(BLACK), ledger.held(BLACK)), (1360, 0));
    assert_eq!(ledger.fees(), 40);
    ledger.assert_sound();
}

#[test]
fn a_draw_and_an_abort_return_exactly_what_was_held() {
    for reason in [RefundReason::Drawn, RefundReason::Aborted, RefundReason::Cancelled] {
        let mut ledger = Ledger::given(&[(WHITE, 101), (BLACK, 150)]);
        ledger.hold(hold(MATCH, 101, 500));
        assert_eq!(ledger.available(WHITE), 0);

        assert_eq!(ledger.refund(MATCH, reason), Answer::Recorded(Event::StakesRefunded(reason)));
        assert_eq!((ledger.available(WHITE), ledger.available(BLACK)), (101, 150));
        assert_eq!(ledger.fees(), 0);
        ledger.assert_sound();
    }
}

/// F01: a repeated refund is a pure no-op, whatever it answers. (LEDGER-5)
#[test]
fn a_refund_asked_for_three_times_is_made_once() {
    let mut ledger = Ledger::given(&[(WHITE, 50_000), (BLACK, 50_000)]);
    ledger.hold(hold(MATCH, 100, 500));
    assert_eq!(ledger.available(WHITE), 49_900);

    for _ in 0..3 {
        ledger.refund(MATCH, RefundReason::Aborted);
        assert_eq!(ledger.available(WHITE), 50_000);
        ledger.assert_sound();
    }
    assert_eq!(ledger.refund(MATCH, RefundReason::Aborted), Answer::Unchanged);
}

/// F02: a hold looks at what is available, not at what is owned.
#[test]
fn a_sixth_hold_of_a_fifth_of_the_money_is_refused() {
    let mut ledger = Ledger::given(&[(WHITE, 5000), (BLACK, 100_000)]);
    for number in 0..5 {
        let answer = ledger.hold(hold(MatchId::new(number), 1000, 500));
        assert!(matches!(answer, Answer::Recorded(_)), "{answer:?}");
    }

    assert_eq!(
        ledger.hold(hold(MatchId::new(5), 1000, 500)),
        Answer::Refused(Refusal::InsufficientFunds { player: WHITE })
    );
    assert_eq!((ledger.available(WHITE), ledger.held(WHITE)), (0, 5000));
    assert_eq!(ledger.held(BLACK), 5000, "nothing of the sixth is held");
    ledger.assert_sound();
}

/// LEDGER-4: both stakes or none.
#[test]
fn a_hold_one_player_cannot_pay_takes_nothing_from_the_other() {
    for (white, black, short_of_money) in [(99, 500, WHITE), (500, 99, BLACK)] {
        let mut ledger = Ledger::given(&[(WHITE, white), (BLACK, black)]);
        assert_eq!(
            ledger.hold(hold(MATCH, 100, 500)),
            Answer::Refused(Refusal::InsufficientFunds { player: short_of_money })
        );
        assert_eq!((ledger.available(WHITE), ledger.available(BLACK)), (white, black));
        ledger.assert_sound();
    }
}

/// LEDGER-5: a refusal is as final as a hold.
#[test]
fn a_refused_hold_stays_refused_after_money_has_come() {
    let mut ledger = Ledger::given(&[(WHITE, 500)]);
    let refused = Answer::Refused(Refusal::InsufficientFunds { player: BLACK });
    assert_eq!(ledger.hold(hold(MATCH, 100, 500)), refused);

    ledger.deposit(BLACK, 500, Currency::XPL).unwrap();
    assert_eq!(ledger.hold(hold(MATCH, 100, 500)), refused);
    assert_eq!(ledger.refund(MATCH, RefundReason::Cancelled), Answer::Refused(Refusal::NothingHeld));
    assert_eq!(ledger.available(WHITE), 500);
    ledger.assert_sound();
}

/// F04: after the release nothing can be captured and nothing is released twice. (LEDGER-5)
#[test]
fn a_settled_match_refuses_another_settlement() {
    let mut ledger = Ledger::given(&[(WHITE, 500), (BLACK, 500)]);
    ledger.hold(hold(MATCH, 100, 500));
    ledger.refund(MATCH, RefundReason::Aborted);

    let settled =
        Answer::Refused(Refusal::AlreadySettled { outcome: Outcome::Refunded(RefundReason::Aborted) });
    assert_eq!(ledger.refund(MATCH, RefundReason::Aborted), Answer::Unchanged);
    assert_eq!(ledger.refund(MATCH, RefundReason::Drawn), settled);
    assert_eq!(ledger.pay(MATCH, WHITE), settled);
    assert_eq!((ledger.available(WHITE), ledger.available(BLACK)), (500, 500));
    ledger.assert_sound();
}

/// LEDGER-5: an answer can be repeated, never flipped.
#[test]
fn a_paid_match_is_neither_refunded_nor_paid_to_the_other() {
    let mut ledger = Ledger::given(&[(WHITE, 500), (BLACK, 500)]);
    let terms = hold(MATCH, 100, 500);
    ledger.hold(terms);
    ledger.pay(MATCH, WHITE);

    let settled = Answer::Refused(Refusal::AlreadySettled { outcome: Outcome::Paid(WHITE) });
    assert_eq!(ledger.pay(MATCH, WHITE), Answer::Unchanged);
    assert_eq!(ledger.pay(MATCH, BLACK), settled);
    assert_eq!(ledger.refund(MATCH, RefundReason::Drawn), settled);
    assert_eq!(ledger.hold(terms), Answer::Unchanged);
    assert_eq!(ledger.hold(hold(MATCH, 200, 500)), settled);
    assert_eq!((ledger.available(WHITE), ledger.available(BLACK)), (590, 400));
    ledger.assert_sound();
}

#[test]
fn a_repeated_hold_changes_nothing_and_one_on_other_terms_is_refused() {
    let mut ledger = Ledger::given(&[(WHITE, 500), (BLACK, 500)]);
    let terms = hold(MATCH, 100, 500);
    ledger.hold(terms);
    assert_eq!(ledger.hold(terms), Answer::Unchanged);
    for other in [
        hold(MATCH, 101, 500),
        hold(MATCH, 100, 501),
        Hold { currency: currency("EUR"), ..terms },
        Hold { white: STRANGER, ..terms },
    ] {
        assert_eq!(ledger.hold(other), Answer::Refused(Refusal::HeldOtherwise));
    }
    assert_eq!(ledger.held(WHITE), 100);
    ledger.assert_sound();
}

#[test]
fn a_match_without_a_hold_has_nothing_to_pay_or_refund() {
    let mut ledger = Ledger::given(&[(WHITE, 500), (BLACK, 500)]);
    let nothing = Answer::Refused(Refusal::NothingHeld);
    assert_eq!(ledger.pay(MATCH, WHITE), nothing);
    assert_eq!(ledger.refund(MATCH, RefundReason::Drawn), nothing);
    ledger.assert_sound();
}

#[test]
fn a_stranger_cannot_win_the_pot() {
    let mut ledger = Ledger::given(&[(WHITE, 500), (BLACK, 500)]);
    ledger.hold(hold(MATCH, 100, 500));
    assert_eq!(ledger.pay(MATCH, STRANGER), Answer::Refused(Refusal::NotAPlayer { player: STRANGER }));
    assert_eq!(ledger.held(WHITE), 100);
    ledger.assert_sound();
}

/// E01, F14: nobody plays himself for money.
#[test]
fn a_hold_with_one_player_on_both_sides_is_refused() {
    let mut ledger = Ledger::given(&[(WHITE, 500)]);
    let alone = Hold { black: WHITE, ..hold(MATCH, 100, 500) };
    assert_eq!(ledger.hold(alone), Answer::Refused(Refusal::SamePlayer));
    assert_eq!(ledger.available(WHITE), 500);
    ledger.assert_sound();
}

/// F09: the fee is rounded down, and fee and payout are the pot. (LEDGER-3)
#[test]
fn odd_stakes_lose_and_make_no_minor_unit() {
    for (stake, fee, payout_minor, fee_minor) in [
        (333, 250, 650, 16),
        (1, 500, 2, 0),
        (101, 500, 192, 10),
        (1, 0, 2, 0),
        (7, 10_000, 0, 14),
        (i64::MAX / 2, 10_000, 0, i64::MAX - 1),
    ] {
        let mut ledger = Ledger::given(&[(WHITE, stake), (BLACK, stake)]);
        ledger.hold(hold(MATCH, stake, fee));
        ledger.pay(MATCH, WHITE);
        assert_eq!(ledger.available(WHITE), payout_minor, "stake {stake}");
        assert_eq!(ledger.fees(), fee_minor, "stake {stake}");
        assert_eq!(payout_minor + fee_minor, 2 * stake);
        ledger.assert_sound();
    }
}

/// F19: a match has one currency, and money in another does not count.
#[test]
fn a_stake_is_not_paid_from_money_in_another_currency() {
    let (usd, eur) = (currency("USD"), currency("EUR"));
    let mut ledger = Ledger::default();
    ledger.deposit(WHITE, 1000, usd).unwrap();
    ledger.deposit(BLACK, 1000, eur).unwrap();
    let in_dollars = Hold { currency: usd, ..hold(MATCH, 100, 500) };

    assert_eq!(
        ledger.hold(in_dollars),
        Answer::Refused(Refusal::WrongCurrency { player: BLACK, currency: usd })
    );
    assert_eq!(ledger.withdraw(BLACK, 10, usd), Err(Refusal::WrongCurrency { player: BLACK, currency: usd }));
    ledger.assert_sound();
}

/// F19: what was staked in one currency is settled in it, beside balances in another.
#[test]
fn a_match_is_settled_in_the_currency_of_its_stakes() {
    let (jpy, usd) = (currency("JPY"), currency("USD"));
    let mut ledger = Ledger::default();
    for player in [WHITE, BLACK] {
        ledger.deposit(player, 1000, jpy).unwrap();
        ledger.deposit(player, 77, usd).unwrap();
    }
    ledger.hold(Hold { currency: jpy, ..hold(MATCH, 500, 1000) });
    ledger.pay(MATCH, WHITE);

    let available = |player, currency| {
        let account = domain_ledger::Account::Available(player);
        ledger.balances.of(account, currency)
    };
    assert_eq!((available(WHITE, jpy), available(BLACK, jpy)), (1400, 500));
    assert_eq!((available(WHITE, usd), available(BLACK, usd)), (77, 77));
    ledger.assert_sound();
}

/// LEDGER-7
#[test]
fn a_pot_that_does_not_fit_is_refused_at_the_hold() {
    let too_much = i64::MAX / 2 + 1;
    let mut ledger = Ledger::given(&[(WHITE, too_much), (BLACK, i64::MAX - too_much)]);
    for stake in [too_much, i64::MAX] {
        let match_id = MatchId::new(u128::from(stake.unsigned_abs()));
        let answer = ledger.hold(hold(match_id, stake, 500));
        assert_eq!(answer, Answer::Refused(Refusal::Overflow));
    }
    assert_eq!(ledger.held(WHITE), 0);
    ledger.assert_sound();
}

/// LEDGER-7
#[test]
fn a_payout_that_does_not_fit_is_refused_and_the_stakes_stay_held() {
    let mut ledger = Ledger::default();
    ledger.deposit(WHITE, 100, Currency::XPL).unwrap();
    ledger.deposit(BLACK, 100, Currency::XPL).unwrap();
    ledger.hold(hold(MATCH, 100, 0));
    ledger.balances.load(domain_ledger::Account::Available(WHITE), Currency::XPL, i64::MAX - 199);

    assert_eq!(ledger.pay(MATCH, WHITE), Answer::Refused(Refusal::Overflow));
    assert_eq!((ledger.held(WHITE), ledger.held(BLACK)), (100, 100));
}

#[test]
fn terms_are_kept_as_they_were_held() {
    let terms = Hold { fee: BasisPoints::new(0).unwrap(), stake: amount(250), ..hold(MATCH, 1, 500) };
    let mut ledger = Ledger::given(&[(WHITE, 250), (BLACK, 250)]);
    ledger.hold(terms);
    assert_eq!(ledger.matches[&MATCH].open_hold(), Some(&terms));
    ledger.pay(MATCH, WHITE);
    assert_eq!(ledger.matches[&MATCH].open_hold(), None);
    assert_eq!(ledger.available(WHITE), 500);
}
