//! What of a payout is a prize (`LEDGER-10`).

use domain_ledger::{
    Account, Amount, Balances, BasisPoints, Currency, Event, Hold, MatchId, PlayerId, Prize, RefundReason,
    Settlement, TransferId, split_pot,
};

const WHITE: PlayerId = PlayerId::new(1);
const BLACK: PlayerId = PlayerId::new(2);

fn paid(stake: i64, fee: u32) -> Settlement {
    let hold = Hold {
        match_id: MatchId::new(3),
        white: WHITE,
        black: BLACK,
        stake: Amount::new(stake).expect("positive"),
        currency: Currency::XPL,
        fee: BasisPoints::new(fee).expect("not more than the whole"),
    };
    let split = split_pot(hold.pot().expect("it fits"), hold.fee);
    Settlement::Open.evolve(&Event::StakesHeld(hold)).evolve(&Event::PotPaid { winner: BLACK, split })
}

#[test]
fn a_prize_is_the_payout_less_the_stake() {
    // F09: stakes 333 at 2.5 % pay 650; stakes 1 at 5 % pay 2.
    for (stake, fee, prize) in [(333, 250, 317), (1, 500, 1), (100, 0, 100), (100, 4_999, 1)] {
        let of = Prize::of(&paid(stake, fee)).expect("a prize");
        assert_eq!((of.winner, of.amount.minor()), (BLACK, prize), "stake {stake}, fee {fee}");
    }
}

#[test]
fn without_a_payout_beyond_the_stake_there_is_no_prize() {
    for settlement in [paid(100, 5_000), paid(100, 10_000), Settlement::Open] {
        assert_eq!(Prize::of(&settlement), None);
    }
    let Settlement::Paid { hold, .. } = paid(100, 0) else { panic!("it was paid") };
    let held = Settlement::Held(hold);
    assert_eq!(Prize::of(&held), None);
    assert_eq!(Prize::of(&held.evolve(&Event::StakesRefunded(RefundReason::Drawn))), None);
}

#[test]
fn withholding_and_releasing_move_exactly_the_prize_to_and_fro() {
    let prize = Prize::of(&paid(333, 250)).expect("a prize");
    let mut balances = Balances::new();
    balances.load(Account::Available(BLACK), Currency::XPL, 650);
    let of = |balances: &Balances| {
        [Account::Available(BLACK), Account::Withheld(BLACK)]
            .map(|account| balances.of(account, Currency::XPL))
    };
    balances.apply(&prize.withhold(TransferId::new(7))).expect("it is covered");
    assert_eq!(of(&balances), [333, 317]);
    balances.apply(&prize.release(TransferId::new(8))).expect("it is covered");
    assert_eq!(of(&balances), [650, 0]);
}
