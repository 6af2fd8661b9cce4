//! Given what happened to a match's money, when an order comes, then this happens.

use domain_ledger::{Amount, BasisPoints, Outcome};
use uuid::Uuid;

use super::*;
use crate::app::posting::{Posting, book};

const WHITE: PlayerId = PlayerId::new(0xa);
const BLACK: PlayerId = PlayerId::new(0xb);
const MATCH: MatchId = MatchId::new(0xc);
const GAME: GameId = GameId(Uuid::from_u128(0xd));

const WON: Order = Order::Pay { game: GAME, winner: WHITE };
const DRAWN: Order = Order::Refund { game: GAME, reason: RefundReason::Drawn };
const ABORTED: Order = Order::Refund { game: GAME, reason: RefundReason::Aborted };

fn hold_of(stake: i64) -> Order {
    let hold = Hold {
        match_id: MATCH,
        white: WHITE,
        black: BLACK,
        stake: Amount::new(stake).expect("positive"),
        currency: Currency::XPL,
        fee: BasisPoints::new(500).expect("less than the whole"),
    };
    Order::Hold { hold, game: GAME }
}

/// A match and the balances of its players, 1,000 each at the start.
struct Scene {
    money: MatchMoney,
    balances: Balances,
}

fn given(orders: &[Order]) -> Scene {
    let mut balances = Balances::new();
    balances.load(Account::Available(WHITE), Currency::XPL, 1_000);
    balances.load(Account::Available(BLACK), Currency::XPL, 1_000);
    let mut scene = Scene { money: MatchMoney::new(MATCH), balances };
    for order in orders {
        scene.when(order).expect("given things happen");
    }
    scene
}

impl Scene {
    fn when(&mut self, order: &Order) -> Result<Option<Posting>, Contradiction> {
        match self.money.decide(&self.balances, order)? {
            Verdict::Post(draft) => {
                let posting = book(draft, &mut self.balances).expect("bookable");
                self.money = self.money.evolve(&posting.event);
                Ok(Some(posting))
            }
            Verdict::Nothing | Verdict::NotYet => Ok(None),
        }
    }

    fn available(&self) -> (i64, i64) {
        let of = |player| self.balances.of(Account::Available(player), Currency::XPL);
        (of(WHITE), of(BLACK))
    }

    fn held(&self) -> (i64, i64) {
        let of = |player| self.balances.of(Account::Held(player), Currency::XPL);
        (of(WHITE), of(BLACK))
    }
}

#[test]
fn a_won_game_pays_the_pot_less_the_fee() {
    let mut scene = given(&[hold_of(100)]);
    assert_eq!((scene.available(), scene.held()), ((900, 900), (100, 100)));
    scene.when(&WON).expect("paid").expect("something happened");
    assert_eq!((scene.available(), scene.held()), ((1_090, 900), (0, 0)));
    assert_eq!(scene.balances.of(Account::Fees, Currency::XPL), 10);
}

#[test]
fn every_settlement_repeated_changes_nothing() {
    // F01, F04
    for settled in [WON, DRAWN, ABORTED, Order::Cancel] {
        let mut scene = given(&[hold_of(100), settled]);
        let before = (scene.available(), scene.held());
        for repeated in [settled, hold_of(100), settled] {
            assert_eq!(scene.when(&repeated), Ok(None), "{settled:?}, {repeated:?}");
        }
        assert_eq!((scene.available(), scene.held()), before);
    }
}

#[test]
fn what_contradicts_a_settlement_is_a_contradiction_and_changes_nothing() {
    // F04, F24
    let black_won = Order::Pay { game: GAME, winner: BLACK };
    let contradictions = [
        (WON, black_won),
        (WON, DRAWN),
        (WON, Order::Cancel),
        (DRAWN, WON),
        (ABORTED, WON),
        (Order::Cancel, WON),
        (Order::Cancel, ABORTED),
    ];
    for (settled, late) in contradictions {
        let mut scene = given(&[hold_of(100), settled]);
        let before = (scene.available(), scene.held());
        let answer = scene.when(&late);
        assert!(
            matches!(answer, Err(Contradiction::Refused(Refusal::AlreadySettled { .. }))),
            "{settled:?}, then {late:?} gave {answer:?}"
        );
        assert_eq!((scene.available(), scene.held()), before);
    }
    let answer = given(&[hold_of(100), WON]).when(&DRAWN);
    let outcome = Outcome::Paid(WHITE);
    let expected = Contradiction::Refused(Refusal::AlreadySettled { outcome });
    assert_eq!(answer, Err(expected));
}

#[test]
fn a_match_cancelled_before_its_request_is_never_held() {
    let mut scene = given(&[Order::Cancel]);
    assert_eq!(scene.when(&hold_of(100)), Ok(None));
    assert_eq!(scene.when(&Order::Cancel), Ok(None));
    assert_eq!((scene.available(), scene.held()), ((1_000, 1_000), (0, 0)));
}

#[test]
fn a_refusal_is_final_even_when_the_money_is_there_later() {
    let mut scene = given(&[hold_of(1_001)]);
    let refused = scene.money;
    scene.balances.load(Account::Available(WHITE), Currency::XPL, 5_000);
    assert_eq!(scene.when(&hold_of(1_001)), Ok(None));
    assert_eq!(scene.money, refused);
    // A game that runs all the same is somebody's bug.
    assert_eq!(scene.when(&WON), Err(Contradiction::Refused(Refusal::NothingHeld)));
}

#[test]
fn the_player_who_cannot_pay_is_named() {
    let mut scene = given(&[]);
    scene.balances.load(Account::Available(BLACK), Currency::XPL, 99);
    let posting = scene.when(&hold_of(100)).expect("refused").expect("recorded");
    let refusal = StakesRefusal::InsufficientFunds(BLACK);
    let event = WalletEvent::StakesRefused { match_id: MATCH, refusal };
    assert_eq!(posting.event, event);
    assert_eq!(scene.available(), (1_000, 99));
}

#[test]
fn nobody_holds_against_himself_and_no_sum_overflows() {
    // F14, F21
    let Order::Hold { mut hold, game } = hold_of(100) else {
        unreachable!("hold_of holds");
    };
    hold.black = WHITE;
    let mut huge = given(&[]);
    huge.balances.load(Account::Available(WHITE), Currency::XPL, i64::MAX);
    huge.balances.load(Account::Available(BLACK), Currency::XPL, i64::MAX);
    let invalid = WalletEvent::StakesRefused { match_id: MATCH, refusal: StakesRefusal::Invalid };
    let answers = [
        given(&[]).when(&Order::Hold { hold, game }),
        given(&[]).when(&Order::HoldMalformed),
        huge.when(&hold_of(i64::MAX)),
    ];
    for answer in answers {
        assert_eq!(answer.expect("refused").expect("recorded").event, invalid);
    }
}

#[test]
fn a_games_end_before_the_hold_has_to_come_again() {
    let scene = given(&[]);
    for order in [WON, DRAWN, ABORTED] {
        let verdict = scene.money.decide(&scene.balances, &order);
        assert_eq!(verdict, Ok(Verdict::NotYet));
    }
}

#[test]
fn another_game_and_a_stranger_get_nothing() {
    let mut scene = given(&[hold_of(100)]);
    let other = GameId(Uuid::from_u128(0xe));
    assert!(matches!(
        scene.when(&Order::Pay { game: other, winner: WHITE }),
        Err(Contradiction::OtherGame { .. })
    ));
    let stranger = PlayerId::new(0xf);
    assert_eq!(
        scene.when(&Order::Pay { game: GAME, winner: stranger }),
        Err(Contradiction::Refused(Refusal::NotAPlayer { player: stranger }))
    );
    assert_eq!(scene.held(), (100, 100));
}
