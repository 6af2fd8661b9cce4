//! What players lost to somebody against whom a case was decided (`WALLET-15`).

use std::collections::BTreeSet;

use domain_ledger::{Amount, Currency, Direction, FundSource, RestitutionPolicy};
use event_bus::{HandleError, Message};
use event_store::Metadata;
use prost::Message as _;
use proto::fairplay::v1::{CaseDecided, CaseDecision, LostStake};
use proto::game::v1::GameResult;
use proto::types::v1::Money;
use proto::wallet::v1::{VictimRefundState, VictimRefunded};
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;
use wallet::app::fund::Funding;
use wallet::app::{fund_uuid, unix_ms};
use wallet::bus::cases::CaseHandler;
use wallet::store::posting::{Place, post};
use wallet::store::seals::ChainPlace;
use wallet::store::statement::{self, Filter};
use wallet::store::victims::{self, RefundRow};
use wallet::store::{balances, log};
use wallet::victims::pay_due;

use crate::support::{Match, assert_clean, balance, database, deliver, message, sign_up};

const RESTITUTION: i16 = 11;

/// Puts play money of the house's own into the fund; a negative sum takes it out.
async fn fund(pool: &PgPool, minor: i64) {
    let mut tx = pool.begin().await.expect("a transaction");
    let currency = Currency::XPL;
    log::lock_streams(&mut tx, &[fund_uuid()]).await.expect("locked");
    let expected = event_store::head(&mut *tx, fund_uuid()).await.expect("the log answers");
    balances::ensure_fund(&mut tx, currency).await.expect("made");
    let locked =
        balances::lock_all(&mut tx, &[(domain_ledger::Account::Fund, currency)]).await.expect("locked");
    let funding = Funding {
        command: Uuid::now_v7(),
        source: FundSource::Outside,
        direction: if minor < 0 { Direction::Debit } else { Direction::Credit },
        amount: Amount::new(minor.abs()).expect("something"),
        currency,
        reason: "for this season".to_owned(),
        adjusted_by: Uuid::now_v7(),
    };
    let draft = funding.decide(&locked).expect("it is there");
    let place = Place { expected, metadata: Metadata::for_request("test", Uuid::now_v7()) };
    post(&mut tx, vec![draft], locked, place).await.expect("posted");
    tx.commit().await.expect("committed");
}

async fn in_fund(pool: &PgPool) -> i64 {
    let stored = balances::all(pool).await.expect("the database answers");
    stored.iter().filter(|row| row.key.kind == 7).map(|row| row.amount_minor).sum()
}

/// Black has won so much from White, at a fee of 5 %.
async fn won_by_black(pool: &PgPool, white: Uuid, black: Uuid, stake: i64) -> Match {
    let played = Match::new(white, black, stake);
    played.request(pool).await.expect("held");
    played.end(pool, GameResult::BlackWins).await.expect("paid");
    played
}

/// A case against Black.
struct Case {
    id: Uuid,
    cheat: Uuid,
    moderator: Uuid,
    lost: Vec<LostStake>,
}

impl Case {
    fn about(games: &[&Match]) -> Self {
        let lost = games.iter().map(|played| LostStake {
            player_id: played.white.to_string(),
            game_id: played.game_id.to_string(),
            stake: Some(Money { minor_units: played.stake, currency: played.currency.clone() }),
            match_id: played.match_id.to_string(),
        });
        let cheat = games.first().map_or_else(Uuid::now_v7, |played| played.black);
        Self { id: Uuid::now_v7(), cheat, moderator: Uuid::now_v7(), lost: lost.collect() }
    }

    fn decided(&self, decision: CaseDecision) -> Message {
        let event = CaseDecided {
            case_id: self.id.to_string(),
            player_id: self.cheat.to_string(),
            decided_by: self.moderator.to_string(),
            decision: decision.into(),
            before: CaseDecision::Unspecified.into(),
            reason: "nobody plays like that".to_owned(),
            decided_at_ms: unix_ms(OffsetDateTime::now_utc()),
            game_ids: self.lost.iter().map(|lost| lost.game_id.clone()).collect(),
            lost_stakes: self.lost.clone(),
        };
        message(("fairplay", "player", self.cheat), "CaseDecided", event.encode_to_vec())
    }

    async fn confirm(&self, pool: &PgPool) {
        let decided = self.decided(CaseDecision::Confirmed);
        deliver(pool, &CaseHandler::default(), &decided).await.expect("heard");
    }

    async fn clear(&self, pool: &PgPool) {
        let decided = self.decided(CaseDecision::Cleared);
        deliver(pool, &CaseHandler::default(), &decided).await.expect("heard");
    }
}

async fn refunds(pool: &PgPool) -> Vec<RefundRow> {
    let from = (OffsetDateTime::UNIX_EPOCH, Uuid::nil(), Uuid::nil());
    victims::page(pool, VictimRefundState::Unspecified, from, 100).await.expect("the database answers")
}

async fn states(pool: &PgPool) -> Vec<VictimRefundState> {
    let rows = refunds(pool).await;
    rows.iter().filter_map(|row| VictimRefundState::try_from(i32::from(row.state)).ok()).collect()
}

/// Everything adds up: the log, the tables, and what is checked all the time.
async fn assert_sound(pool: &PgPool) {
    assert_clean(pool).await;
    let (breaches, _) = wallet::invariants::check(pool, ChainPlace::START).await.expect("checked");
    assert_eq!(breaches, []);
}

#[tokio::test]
async fn a_decided_case_gives_every_victim_his_stake_once_with_case_actor_and_reason() {
    let pool = database().await;
    let (anna, boris, cheat) =
        (sign_up(&pool, 1_000).await, sign_up(&pool, 1_000).await, sign_up(&pool, 2_000).await);
    let first = won_by_black(&pool, anna, cheat, 300).await;
    let second = won_by_black(&pool, boris, cheat, 500).await;
    let third = won_by_black(&pool, anna, cheat, 100).await;
    fund(&pool, 1_000).await;
    let case = Case::about(&[&first, &second, &third]);
    let decided = case.decided(CaseDecision::Confirmed);
    let cheats_money = balance(&pool, cheat).await;
    for _ in 0..2 {
        deliver(&pool, &CaseHandler::default(), &decided).await.expect("heard");
    }
    assert_eq!((balance(&pool, anna).await, balance(&pool, boris).await), ((1_000, 0), (1_000, 0)));
    assert_eq!((balance(&pool, cheat).await, in_fund(&pool).await), (cheats_money, 100));
    assert_eq!(first.events(&pool).await, ["StakesHeld", "PotPaid", "VictimRefunded"]);

    let events = event_store::load(&pool, first.match_id, 2, 1).await.expect("the log answers");
    let refunded = VictimRefunded::decode(events[0].data.as_slice()).expect("readable");
    assert_eq!(
        (refunded.case_id, refunded.decided_by, refunded.reason.as_str()),
        (case.id.to_string(), case.moderator.to_string(), "nobody plays like that")
    );
    assert_eq!(events[0].metadata.causation_id, decided.event_id);
    let lines = statement::page(&pool, boris, &Filter::default(), i64::MAX, 10).await.expect("a statement");
    let line = &lines[0];
    assert_eq!((line.kind, line.available_change, line.available_after), (RESTITUTION, 500, 1_000));
    assert_eq!((line.match_id, line.game_id), (Some(second.match_id), Some(second.game_id)));
    assert_eq!(pay_due(&pool).await.expect("looked"), (0, 0), "nothing is owed any more");
    assert_sound(&pool).await;
}

#[tokio::test]
async fn a_fund_that_is_too_small_leaves_the_rest_owed_and_pays_when_there_is_more() {
    let pool = database().await;
    let (anna, boris, cheat) =
        (sign_up(&pool, 1_000).await, sign_up(&pool, 1_000).await, sign_up(&pool, 2_000).await);
    let first = won_by_black(&pool, anna, cheat, 300).await;
    let second = won_by_black(&pool, boris, cheat, 500).await;
    fund(&pool, 310).await;
    Case::about(&[&first, &second]).confirm(&pool).await;
    assert_eq!((balance(&pool, anna).await, balance(&pool, boris).await), ((1_000, 0), (500, 0)));
    assert_eq!(in_fund(&pool).await, 10, "never below zero, and nothing in part");
    let owed = refunds(&pool).await.into_iter().find(|row| row.player_id == boris).expect("noted");
    assert_eq!(i32::from(owed.state), VictimRefundState::Owed as i32);
    assert!(owed.note.contains("holds only 10 minor units of XPL"), "{}", owed.note);
    assert_eq!(victims::count_owed(&pool).await.expect("counted"), 1);
    assert_eq!(pay_due(&pool).await.expect("looked"), (0, 0), "it is not looked at all the time");
    assert_sound(&pool).await;
    fund(&pool, 490).await;
    assert_eq!(pay_due(&pool).await.expect("paid"), (1, 1));
    assert_eq!((balance(&pool, boris).await, in_fund(&pool).await), ((1_000, 0), 0));
    assert_eq!(states(&pool).await, [VictimRefundState::Paid; 2]);
    assert_sound(&pool).await;
}

#[tokio::test]
async fn a_decision_taken_back_claws_nothing_back_and_stops_what_was_not_paid() {
    let pool = database().await;
    let (anna, boris, cheat) =
        (sign_up(&pool, 1_000).await, sign_up(&pool, 1_000).await, sign_up(&pool, 2_000).await);
    let first = won_by_black(&pool, anna, cheat, 300).await;
    let second = won_by_black(&pool, boris, cheat, 500).await;
    fund(&pool, 300).await;
    let case = Case::about(&[&first, &second]);
    case.confirm(&pool).await;
    case.clear(&pool).await;
    fund(&pool, 10_000).await;
    assert_eq!(pay_due(&pool).await.expect("looked"), (0, 0));
    assert_eq!((balance(&pool, anna).await, balance(&pool, boris).await), ((1_000, 0), (500, 0)));
    let mut seen = states(&pool).await;
    seen.sort_unstable();
    assert_eq!(seen, [VictimRefundState::Paid, VictimRefundState::Withdrawn]);
    // The other way once more: who was paid stays paid once, and who was not is paid now.
    case.confirm(&pool).await;
    assert_eq!((balance(&pool, anna).await, balance(&pool, boris).await), ((1_000, 0), (1_000, 0)));
    assert_eq!(in_fund(&pool).await, 9_500);
    assert_sound(&pool).await;
}

#[tokio::test]
async fn two_cases_about_one_game_pay_once() {
    let pool = database().await;
    let (anna, cheat) = (sign_up(&pool, 1_000).await, sign_up(&pool, 2_000).await);
    let played = won_by_black(&pool, anna, cheat, 300).await;
    fund(&pool, 1_000).await;
    let (one, other) = (Case::about(&[&played]), Case::about(&[&played]));
    let (one, other) = (one.decided(CaseDecision::Confirmed), other.decided(CaseDecision::Confirmed));
    let handler = CaseHandler::default();
    let (a, b) = tokio::join!(deliver(&pool, &handler, &one), deliver(&pool, &handler, &other));
    a.and(b).expect("heard");
    assert_eq!((balance(&pool, anna).await, in_fund(&pool).await), ((1_000, 0), 700));
    assert_eq!(states(&pool).await, [VictimRefundState::Paid; 2]);
    assert_sound(&pool).await;
}

#[tokio::test]
async fn a_decision_that_overtakes_the_settlement_waits_for_it() {
    let pool = database().await;
    let (anna, cheat) = (sign_up(&pool, 1_000).await, sign_up(&pool, 2_000).await);
    let played = Match::new(anna, cheat, 300);
    fund(&pool, 1_000).await;
    let case = Case::about(&[&played]);
    case.confirm(&pool).await;
    played.request(&pool).await.expect("held");
    played.end(&pool, GameResult::BlackWins).await.expect("paid");
    assert_eq!(balance(&pool, anna).await, (700, 0));
    assert_eq!(refunds(&pool).await[0].note, "waits for the settlement of the match");
    assert_eq!(pay_due(&pool).await.expect("looked"), (0, 0), "it is left alone for half a minute");
    sqlx::query("update victim_refunds set retry_at = now()").execute(&pool).await.expect("time goes by");
    assert_eq!(pay_due(&pool).await.expect("paid"), (1, 1));
    assert_eq!(balance(&pool, anna).await, (1_000, 0));
    assert_sound(&pool).await;
}

#[tokio::test]
async fn what_the_ledger_does_not_know_is_refused_and_what_the_policy_leaves_out_is_noted() {
    let pool = database().await;
    let (anna, cheat) = (sign_up(&pool, 1_000).await, sign_up(&pool, 2_000).await);
    fund(&pool, 10_000).await;
    let won = won_by_black(&pool, anna, cheat, 100).await;
    let drawn = Match::new(anna, cheat, 100);
    drawn.request(&pool).await.expect("held");
    drawn.end(&pool, GameResult::Draw).await.expect("refunded");
    let mut inflated = Case::about(&[&won]);
    inflated.lost[0].stake = Some(Money { minor_units: 5_000, currency: "XPL".to_owned() });
    inflated.confirm(&pool).await;
    Case::about(&[&drawn]).confirm(&pool).await;
    let mut unknown = Case::about(&[&won]);
    unknown.lost[0].match_id = String::new();
    unknown.confirm(&pool).await;
    assert_eq!(states(&pool).await, [VictimRefundState::Refused; 3]);
    assert_eq!((balance(&pool, anna).await, in_fund(&pool).await), ((900, 0), 10_000));

    let euros = RestitutionPolicy::Only(BTreeSet::from([Currency::parse("EUR").expect("a currency")]));
    let decided = Case::about(&[&won]).decided(CaseDecision::Confirmed);
    deliver(&pool, &CaseHandler { policy: euros }, &decided).await.expect("heard");
    assert_eq!(states(&pool).await[3], VictimRefundState::NotCovered);
    assert_eq!(balance(&pool, anna).await, (900, 0));

    let mut malformed = Case::about(&[&won]);
    malformed.lost[0].stake = None;
    let answer = deliver(&pool, &CaseHandler::default(), &malformed.decided(CaseDecision::Confirmed)).await;
    assert!(matches!(answer, Err(HandleError::Permanent(_))), "{answer:?}");
    assert_sound(&pool).await;
}

#[tokio::test]
async fn decisions_funding_and_retries_at_once_pay_every_stake_once_and_never_more_than_there_is() {
    let pool = database().await;
    let cheat = sign_up(&pool, 100_000).await;
    let mut games = Vec::new();
    for _ in 0..12 {
        let victim = sign_up(&pool, 1_000).await;
        games.push(won_by_black(&pool, victim, cheat, 100).await);
    }
    fund(&pool, 350).await;
    let cases: Vec<Case> =
        games.chunks(3).map(|some| Case::about(&some.iter().collect::<Vec<_>>())).collect();
    let mut tasks = tokio::task::JoinSet::new();
    for case in cases {
        let pool = pool.clone();
        tasks.spawn(async move { case.confirm(&pool).await });
    }
    for _ in 0..4 {
        let pool = pool.clone();
        tasks.spawn(async move {
            pay_due(&pool).await.expect("looked");
        });
    }
    tasks.join_all().await;
    assert_eq!(in_fund(&pool).await, 50);
    assert_eq!(victims::count_owed(&pool).await.expect("counted"), 9);
    for _ in 0..3 {
        fund(&pool, 300).await;
        let (one, other) = tokio::join!(pay_due(&pool), pay_due(&pool));
        one.and(other).expect("looked");
    }
    assert_eq!((in_fund(&pool).await, victims::count_owed(&pool).await.expect("counted")), (50, 0));
    for played in &games {
        assert_eq!(balance(&pool, played.white).await, (1_000, 0));
    }
    assert_sound(&pool).await;
}

#[tokio::test]
async fn a_refund_that_nobody_decided_and_a_fund_that_was_tampered_with_are_found() {
    let pool = database().await;
    let (anna, cheat) = (sign_up(&pool, 1_000).await, sign_up(&pool, 2_000).await);
    let played = won_by_black(&pool, anna, cheat, 300).await;
    fund(&pool, 1_000).await;
    Case::about(&[&played]).confirm(&pool).await;
    let broken = || async {
        let (breaches, _) = wallet::invariants::check(&pool, ChainPlace::START).await.expect("checked");
        breaches.iter().map(wallet::invariants::Breach::check).collect::<Vec<_>>()
    };
    sqlx::query("update victim_refunds set stake = 301").execute(&pool).await.expect("changed");
    assert_eq!(broken().await, ["restitution"]);
    sqlx::query("delete from victim_refunds").execute(&pool).await.expect("deleted");
    assert_eq!(broken().await, ["restitution"]);
    sqlx::query("update balances set amount = amount + 1 where kind = 7")
        .execute(&pool)
        .await
        .expect("changed");
    assert_eq!(broken().await, ["balance", "restitution"]);
    let report = wallet::ledger_verify::verify(&pool).await.expect("the database answers");
    assert!(report.difference.is_some(), "the log says otherwise");
    let below = sqlx::query("update balances set amount = -1 where kind = 7").execute(&pool).await;
    assert!(below.is_err(), "the database keeps the fund from owing");
}
