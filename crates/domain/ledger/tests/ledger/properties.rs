//! What holds after any sequence of commands, sensible or not.

use crate::scenario::{Answer, Ledger, amount};
use domain_ledger::{
    Amount, BasisPoints, Currency, Decision, Event, Hold, MatchId, PlayerId, RefundReason, Settlement, split,
    split_pot, verify,
};
use proptest::prelude::*;

/// Few players, matches and currencies, so that commands meet each other.
#[derive(Debug, Clone)]
enum Step {
    Deposit(PlayerId, i64, Currency),
    Withdraw(PlayerId, i64, Currency),
    Hold(Hold),
    Pay(MatchId, PlayerId),
    Refund(MatchId, RefundReason),
}

fn a_player() -> impl Strategy<Value = PlayerId> {
    (1..5_u128).prop_map(PlayerId::new)
}

fn a_match() -> impl Strategy<Value = MatchId> {
    (1..12_u128).prop_map(MatchId::new)
}

fn a_currency() -> impl Strategy<Value = Currency> {
    prop_oneof![Just(Currency::XPL), Just(crate::scenario::currency("EUR"))]
}

fn a_reason() -> impl Strategy<Value = RefundReason> {
    prop_oneof![Just(RefundReason::Drawn), Just(RefundReason::Aborted), Just(RefundReason::Cancelled),]
}

/// Mostly small sums, now and then one at the edge of what fits.
fn a_sum() -> impl Strategy<Value = i64> {
    prop_oneof![
        8 => 1..500_i64,
        1 => Just(1_i64),
        1 => (i64::MAX - 500)..=i64::MAX,
    ]
}

fn a_hold() -> impl Strategy<Value = Hold> {
    (a_match(), a_player(), a_player(), a_sum(), a_currency(), 0..=10_000_u32).prop_map(
        |(match_id, white, black, stake, currency, fee)| Hold {
            match_id,
            white,
            black,
            stake: amount(stake),
            currency,
            fee: BasisPoints::new(fee).unwrap(),
        },
    )
}

fn a_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => (a_player(), a_sum(), a_currency()).prop_map(|(p, s, c)| Step::Deposit(p, s, c)),
        1 => (a_player(), a_sum(), a_currency()).prop_map(|(p, s, c)| Step::Withdraw(p, s, c)),
        3 => a_hold().prop_map(Step::Hold),
        2 => (a_match(), a_player()).prop_map(|(m, p)| Step::Pay(m, p)),
        2 => (a_match(), a_reason()).prop_map(|(m, r)| Step::Refund(m, r)),
    ]
}

/// Deposits are small enough that the outside world's account itself never overflows: in this model it is one balance.
fn take(ledger: &mut Ledger, step: &Step) -> Option<Answer> {
    match *step {
        Step::Deposit(player, sum, currency) => {
            let outside = domain_ledger::Account::External;
            if ledger.balances.of(outside, currency).checked_sub(sum).is_some() {
                ledger.deposit(player, sum, currency).ok();
            }
            None
        }
        Step::Withdraw(player, sum, currency) => {
            ledger.withdraw(player, sum, currency).ok();
            None
        }
        Step::Hold(hold) => Some(ledger.hold(hold)),
        Step::Pay(match_id, winner) => Some(ledger.pay(match_id, winner)),
        Step::Refund(match_id, reason) => Some(ledger.refund(match_id, reason)),
    }
}

proptest! {
    /// LEDGER-1, LEDGER-2, LEDGER-4: after every single step.
    #[test]
    fn the_ledger_is_sound_after_every_step(steps in prop::collection::vec(a_step(), 1..120)) {
        let mut ledger = Ledger::default();
        for step in &steps {
            take(&mut ledger, step);
            ledger.assert_sound();
        }
    }

    /// LEDGER-5: at once, or after anything else has happened.
    #[test]
    fn a_step_taken_twice_moves_money_once(
        steps in prop::collection::vec(a_step(), 1..120),
        repeated in a_step().prop_filter("a movement is repeated by its id", |step| {
            !matches!(step, Step::Deposit(..) | Step::Withdraw(..))
        }),
    ) {
        let mut ledger = Ledger::default();
        steps.iter().for_each(|step| { take(&mut ledger, step); });
        let first = take(&mut ledger, &repeated);
        let (balances, log) = (ledger.balances.clone(), ledger.log.len());
        let second = take(&mut ledger, &repeated);
        prop_assert_eq!(&ledger.balances, &balances);
        prop_assert_eq!(ledger.log.len(), log);
        match first {
            Some(Answer::Recorded(_)) => prop_assert_eq!(second, Some(Answer::Unchanged)),
            answer => prop_assert_eq!(second, answer),
        }
    }

    /// Replay: the balances and the settlements are what their logs say.
    #[test]
    fn a_replay_of_the_log_gives_the_same_balances_and_settlements(
        steps in prop::collection::vec(a_step(), 1..120),
    ) {
        let mut ledger = Ledger::default();
        let mut events: Vec<(MatchId, Event)> = Vec::new();
        for step in &steps {
            let answer = take(&mut ledger, step);
            let (Step::Hold(Hold { match_id, .. }) | Step::Pay(match_id, _) | Step::Refund(match_id, _)) = step
            else { continue };
            match answer {
                Some(Answer::Recorded(event)) => events.push((*match_id, event)),
                Some(Answer::Refused(refusal)) if matches!(step, Step::Hold(_)) => {
                    events.push((*match_id, Event::StakesRefused(refusal)));
                }
                _ => {}
            }
        }
        prop_assert_eq!(verify(&ledger.log, &ledger.balances), Ok(ledger.balances.clone()));
        for (match_id, settlement) in &ledger.matches {
            let replayed = events
                .iter()
                .filter(|(of, _)| of == match_id)
                .fold(Settlement::default(), |state, (_, event)| state.evolve(event));
            prop_assert_eq!(&replayed, settlement);
        }
    }

    /// What is decided can be booked, and its event changes the state.
    #[test]
    fn what_is_decided_evolves(steps in prop::collection::vec(a_step(), 1..60), hold in a_hold()) {
        let mut ledger = Ledger::default();
        steps.iter().for_each(|step| { take(&mut ledger, step); });
        let transfer = domain_ledger::TransferId::new(u128::MAX);
        let before = ledger.matches.get(&hold.match_id).copied().unwrap_or_default();
        let command = domain_ledger::Command::HoldStakes { hold, transfer };
        if let Ok(Decision::Record { event, .. }) = before.decide(&ledger.balances, &command) {
            prop_assert_ne!(before.evolve(&event), before);
            prop_assert_eq!(before.evolve(&event).evolve(&event), before.evolve(&event));
        }
    }

    /// LEDGER-3
    #[test]
    fn payout_and_fee_are_the_pot(pot in 1..=i64::MAX, rate in 0..=10_000_u32) {
        let parts = split_pot(amount(pot), BasisPoints::new(rate).unwrap());
        prop_assert!(parts.payout_minor >= 0 && parts.fee_minor >= 0);
        prop_assert_eq!(i128::from(parts.payout_minor) + i128::from(parts.fee_minor), i128::from(pot));
        let exact = i128::from(pot) * i128::from(rate);
        let fee = i128::from(parts.fee_minor) * 10_000;
        prop_assert!(fee <= exact && exact < fee + 10_000);
    }

    #[test]
    fn parts_add_up_and_are_within_one_of_their_share(
        whole in 1..=i64::MAX, weights in prop::collection::vec(0..=u32::MAX, 1..64),
    ) {
        prop_assume!(weights.iter().any(|&weight| weight > 0));
        let parts = split(Amount::new(whole).unwrap(), &weights).unwrap();
        let total: i128 = weights.iter().map(|&weight| i128::from(weight)).sum();
        prop_assert_eq!(parts.iter().map(|&part| i128::from(part)).sum::<i128>(), i128::from(whole));
        for (&part, &weight) in parts.iter().zip(&weights) {
            let share = i128::from(whole) * i128::from(weight);
            prop_assert!((i128::from(part) * total - share).abs() < total);
        }
    }
}
