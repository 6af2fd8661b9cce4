//! Golden bytes: what stands in the log today must be readable for ever.

use domain_ledger::eligibility::{BirthDate, Exclusion, Identity, LimitKind, Region, StandingEvent};
use domain_ledger::{
    Account, Amount, Balances, BasisPoints, Claim, Currency, Direction, FundSource, Hold, MatchId, PlayerId,
    PotSplit, RefundReason,
};
use event_store::Metadata;
use time::OffsetDateTime;
use uuid::Uuid;

use super::*;
use crate::app::GameId;
use crate::app::account::{self, Correction, Sum};
use crate::app::fund::Funding;
use crate::app::match_money::{MatchMoney, Order, Verdict};
use crate::app::opening::{OpeningDeposit, open_account, opening_deposit};
use crate::app::posting::{
    AdjustmentDecision, DepositSource, Draft, PaymentOutcome, Ruling, WalletEvent, book,
};

const WHITE: PlayerId = PlayerId::new(0xa);
const BLACK: PlayerId = PlayerId::new(0xb);
const MATCH: MatchId = MatchId::new(0xc);
const GAME: GameId = GameId(Uuid::from_u128(0xd));

fn hold() -> Hold {
    Hold {
        match_id: MATCH,
        white: WHITE,
        black: BLACK,
        stake: Amount::new(333).expect("positive"),
        currency: Currency::XPL,
        fee: BasisPoints::new(250).expect("less than the whole"),
    }
}

fn funds() -> Balances {
    let mut balances = Balances::new();
    balances.load(Account::Available(WHITE), Currency::XPL, 1_000);
    balances.load(Account::Available(BLACK), Currency::XPL, 2_000);
    balances
}

fn decided(money: &MatchMoney, balances: &mut Balances, order: &Order) -> Posting {
    let verdict = money.decide(balances, order).expect("no contradiction");
    let Verdict::Post(draft) = verdict else {
        panic!("nothing was decided: {verdict:?}");
    };
    posted(draft, balances)
}

fn posted(draft: Draft, balances: &mut Balances) -> Posting {
    book(draft, balances).expect("bookable")
}

/// One posting of each event.
fn every_event() -> Vec<Posting> {
    let mut balances = Balances::new();
    let opened = posted(open_account(WHITE, "Paul".to_owned()), &mut balances);
    let deposit =
        OpeningDeposit { amount: Amount::new(1_000_000).expect("positive"), currency: Currency::XPL };
    let deposit = opening_deposit(WHITE, deposit, &balances).expect("it fits");
    let deposited = posted(deposit, &mut balances);

    let open = MatchMoney::new(MATCH);
    let mut balances = funds();
    let held = decided(&open, &mut balances, &Order::Hold { hold: hold(), game: GAME });
    let money = open.evolve(&held.event);
    let mut refund_balances = balances.clone();
    let pay = Order::Pay { game: GAME, winner: BLACK };
    let paid = decided(&money, &mut balances, &pay);
    let after = money.evolve(&paid.event);
    let withheld =
        posted(after.withhold(Uuid::from_u128(0xf1), 259_200_000).expect("a prize"), &mut balances);
    let released = posted(after.evolve(&withheld.event).release().expect("withheld"), &mut balances);
    let refund = Order::Refund { game: GAME, reason: RefundReason::Drawn };
    let refunded = decided(&money, &mut refund_balances, &refund);
    let refused = decided(&open, &mut Balances::new(), &Order::Hold { hold: hold(), game: GAME });
    let mut all = vec![opened, deposited, held, refused, paid, refunded];
    all.extend(movements());
    all.extend(processes().map(|event| Posting { event, transfers: Vec::new() }));
    all.extend([withheld, released]);
    all.extend(by_the_house(&after));
    all
}

/// The house's fund is filled, and White, who lost, is made whole from it.
fn by_the_house(paid: &MatchMoney) -> [Posting; 2] {
    let mut balances = Balances::new();
    let somebody = Uuid::from_u128(0xe4);
    let (amount, currency) = (Amount::new(400).expect("positive"), Currency::XPL);
    let funding = Funding {
        command: Uuid::from_u128(0xe6),
        source: FundSource::Outside,
        direction: Direction::Credit,
        amount,
        currency,
        reason: "for this season".to_owned(),
        adjusted_by: somebody,
    };
    let funded = posted(funding.decide(&balances).expect("it comes from outside"), &mut balances);
    let ruling =
        Ruling { case: Uuid::from_u128(0xe7), decided_by: somebody, reason: "an engine's moves".to_owned() };
    let claim = Claim { victim: WHITE, winner: BLACK, stake: hold().stake, currency };
    let refund = paid.make_whole(&balances, GAME, claim, ruling).expect("it is covered");
    [funded, posted(refund, &mut balances)]
}

/// A movement of each kind on one account.
fn movements() -> Vec<Posting> {
    let mut balances = funds();
    let sum = Sum { player: WHITE, amount: Amount::new(70).expect("positive"), currency: Currency::XPL };
    let source = DepositSource { provider: "webhook".to_owned(), provider_event_id: "e1".to_owned() };
    let deposit = account::deposit(sum, Uuid::from_u128(0xe1), source, &balances).expect("it fits");
    let deposited = posted(deposit, &mut balances);
    let withdrawal =
        account::withdrawal(sum, Uuid::from_u128(0xe2), "webhook", &balances).expect("it is covered");
    let withdrawn = posted(withdrawal, &mut balances);
    let correction = Correction {
        adjustment: Uuid::from_u128(0xe3),
        reason: "a broken game".to_owned(),
        proposed_by: Uuid::from_u128(0xe4),
        approved_by: Some(Uuid::from_u128(0xe5)),
    };
    let adjustment =
        account::adjustment(sum, Direction::Debit, correction, &balances).expect("it is covered");
    let adjusted = posted(adjustment, &mut balances);
    let original = withdrawn.transfers[0].transfer.clone();
    let (reason, by) = ("booked by mistake".to_owned(), Uuid::from_u128(0xe4).to_string());
    let reversal = account::reverse(WHITE, &original, reason, by, &balances).expect("it fits");
    let reversed = posted(reversal, &mut balances);
    vec![deposited, withdrawn, adjusted, reversed]
}

/// The events that move no money.
fn processes() -> impl Iterator<Item = WalletEvent> {
    let (payment, adjustment, somebody) =
        (Uuid::from_u128(0xe1), Uuid::from_u128(0xe3), Uuid::from_u128(0xe4));
    let amount = Amount::new(70).expect("positive");
    let identity = Identity {
        born: BirthDate::new(2001, 2, 28).expect("a day"),
        region: Region::parse("US-NY").expect("a region"),
    };
    let changes = [
        (StandingEvent::IdentityVerified(identity), Some(somebody)),
        (StandingEvent::Excluded { exclusion: Exclusion::Until(99), excluded_ms: 7 }, None),
        (StandingEvent::Excluded { exclusion: Exclusion::ForEver, excluded_ms: 8 }, None),
        (StandingEvent::LimitSet { kind: LimitKind::LossDay, limit: Some(0), asked_ms: 1, from_ms: 1 }, None),
        (
            StandingEvent::LimitSet { kind: LimitKind::DepositWeek, limit: None, asked_ms: 1, from_ms: 2 },
            None,
        ),
    ];
    let standing = changes.map(|(change, changed_by)| WalletEvent::StandingChanged {
        player: WHITE,
        change,
        changed_by,
    });
    [
        WalletEvent::DepositRequested {
            payment,
            player: WHITE,
            amount,
            currency: Currency::XPL,
            provider: "webhook".to_owned(),
        },
        WalletEvent::PaymentConcluded {
            payment,
            player: WHITE,
            outcome: PaymentOutcome::Settled,
            provider_event_id: "e1".to_owned(),
        },
        WalletEvent::AdjustmentProposed {
            adjustment,
            player: WHITE,
            direction: Direction::Debit,
            amount,
            currency: Currency::XPL,
            reason: "a broken game".to_owned(),
            proposed_by: somebody,
        },
        WalletEvent::AdjustmentDecided {
            adjustment,
            decision: AdjustmentDecision::Rejected,
            decided_by: somebody,
        },
    ]
    .into_iter()
    .chain(standing)
}

fn recorded(encoded: &Encoded) -> RecordedEvent {
    RecordedEvent {
        stream_id: Uuid::from_u128(1),
        version: 1,
        event_id: Some(Uuid::from_u128(2)),
        kind: encoded.kind.to_owned(),
        schema: SCHEMA,
        data: encoded.data.clone(),
        metadata: Metadata {
            correlation_id: Uuid::nil(),
            causation_id: Uuid::nil(),
            actor: "wallet".to_owned(),
            trace_parent: None,
        },
        recorded_at: OffsetDateTime::UNIX_EPOCH,
    }
}

#[test]
fn what_is_written_reads_back_the_same() {
    for posting in every_event() {
        let read = read(&recorded(&write(&posting))).expect("readable");
        assert_eq!(read, posting);
    }
}

#[test]
fn the_bytes_of_version_1_of_every_event_stay_what_they_are() {
    let golden = include_str!("golden_v1.txt");
    let written: String = every_event()
        .iter()
        .map(write)
        .map(|encoded| format!("{} {}\n", encoded.kind, hex(&encoded.data)))
        .collect();
    assert_eq!(written, golden);
}

#[test]
fn the_stored_bytes_of_version_1_are_read() {
    let lines: Vec<&str> = include_str!("golden_v1.txt").lines().collect();
    assert_eq!(lines.len(), every_event().len());
    for (line, posting) in lines.into_iter().zip(every_event()) {
        let (kind, data) = line.split_once(' ').expect("a name and bytes");
        let mut event = recorded(&write(&posting));
        event.kind = kind.to_owned();
        event.data = unhex(data);
        assert_eq!(read(&event).expect("readable"), posting);
    }
}

#[test]
fn damaged_events_are_named_and_never_read_as_something_else() {
    let whole = recorded(&write(&every_event()[2]));
    let mut unknown = whole.clone();
    unknown.schema = 2;
    let mut renamed = whole.clone();
    renamed.kind = "StakesWithheld".to_owned();
    let mut cut = whole.clone();
    cut.data.truncate(whole.data.len() - 3);
    for damaged in [unknown, renamed, cut] {
        let error = read(&damaged).expect_err("it is damaged");
        assert_eq!((error.kind, error.version), (damaged.kind, damaged.version));
    }
}

#[test]
fn a_fee_of_odd_stakes_is_rounded_down_and_payout_and_fee_are_the_pot() {
    // F09: stakes 333 at 2.5 %.
    let paid = &every_event()[4].event;
    let WalletEvent::PotPaid { split, .. } = paid else {
        panic!("not a payout: {paid:?}");
    };
    let expected = PotSplit { payout_minor: 650, fee_minor: 16 };
    assert_eq!(*split, expected);
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal"))
        .collect()
}
