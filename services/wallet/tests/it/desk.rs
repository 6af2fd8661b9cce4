//! Money that players bring and fetch, and what operators do to it.

use domain_ledger::eligibility::Policy;
use futures::future::join_all;
use proto::types::v1::Money;
use proto::wallet::v1 as pb;
use proto::wallet::v1::wallet_admin_service_server::WalletAdminService as _;
use proto::wallet::v1::wallet_service_server::WalletService as _;
use sqlx::PgPool;
use tonic::{Code, Status};
use uuid::Uuid;
use wallet::app::desk::Desk;
use wallet::grpc::Service;
use wallet::invariants;
use wallet::store::seals::ChainPlace;

use crate::support::counter::{desk, id, money, operator, player, reason, service};
use crate::support::{Match, assert_clean, balance, database, sign_up};

async fn deposit(
    service: &Service,
    who: Uuid,
    request_id: &str,
    sum: Option<Money>,
) -> Result<pb::CreateDepositResponse, Status> {
    let request = pb::CreateDepositRequest { request_id: request_id.to_owned(), amount: sum };
    service.create_deposit(player(who, request)).await.map(tonic::Response::into_inner)
}

async fn withdraw(
    service: &Service,
    who: Uuid,
    request_id: &str,
    minor: i64,
) -> Result<pb::CreateWithdrawalResponse, Status> {
    let request = pb::CreateWithdrawalRequest {
        request_id: request_id.to_owned(),
        amount: money(minor),
        validate_only: false,
    };
    service.create_withdrawal(player(who, request)).await.map(tonic::Response::into_inner)
}

async fn adjust(
    service: &Service,
    who: Uuid,
    of: Uuid,
    minor: i64,
) -> Result<pb::AdjustBalanceResponse, Status> {
    let request = pb::AdjustBalanceRequest {
        request_id: id(),
        player_id: of.to_string(),
        amount: money(minor),
        reason: "a broken game".to_owned(),
    };
    service.adjust_balance(operator(who, request)).await.map(tonic::Response::into_inner)
}

async fn decide(service: &Service, who: Uuid, adjustment_id: &str, approve: bool) -> Result<i32, Status> {
    let request =
        pb::DecideAdjustmentRequest { request_id: id(), adjustment_id: adjustment_id.to_owned(), approve };
    service.decide_adjustment(operator(who, request)).await.map(|answer| answer.into_inner().state)
}

async fn reverse(service: &Service, of: Uuid, transfer_id: &str) -> Result<String, Status> {
    let request = pb::ReverseTransferRequest {
        request_id: id(),
        player_id: of.to_string(),
        transfer_id: transfer_id.to_owned(),
        reason: "booked by mistake".to_owned(),
    };
    let answer = service.reverse_transfer(operator(Uuid::now_v7(), request)).await;
    answer.map(|answer| answer.into_inner().transfer_id)
}

async fn assert_sound(pool: &PgPool) {
    assert_clean(pool).await;
    let (breaches, _) = invariants::check(pool, ChainPlace::START).await.expect("the database answers");
    assert_eq!(breaches, []);
}

#[tokio::test]
async fn fifty_deposits_with_one_request_id_are_one_and_another_body_is_refused() {
    // F11, F12
    let pool = database().await;
    let (who, other) = (sign_up(&pool, 0).await, sign_up(&pool, 0).await);
    let service = service(&pool, desk());
    let request_id = id();
    let asked = (0..50).map(|_| deposit(&service, who, &request_id, money(100)));
    let answers: Vec<_> = join_all(asked).await.into_iter().map(|answer| answer.expect("done")).collect();
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    assert_eq!(answers[0].state(), pb::PaymentState::Settled);
    assert_eq!(balance(&pool, who).await, (100, 0));
    let reused = deposit(&service, who, &request_id, money(200)).await.expect_err("refused");
    assert_eq!((reused.code(), reason(&reused).as_str()), (Code::InvalidArgument, "REQUEST_ID_REUSED"));
    deposit(&service, other, &request_id, money(200)).await.expect("another player's id is another id");
    assert_eq!((balance(&pool, who).await, balance(&pool, other).await), ((100, 0), (200, 0)));
    // F16: equal sums under other ids are other deposits.
    for _ in 0..3 {
        deposit(&service, who, &id(), money(100)).await.expect("done");
    }
    assert_eq!(balance(&pool, who).await, (400, 0));
    assert_sound(&pool).await;
}

#[tokio::test]
async fn sums_that_are_none_are_malformed_and_those_that_do_not_fit_are_refused() {
    // F19, F21
    let pool = database().await;
    let who = sign_up(&pool, 1).await;
    let service = service(&pool, desk());
    for sum in [
        None,
        money(0),
        money(-5),
        money(i64::MIN),
        Some(Money { minor_units: 5, currency: " ".to_owned() }),
        Some(Money { minor_units: 5, currency: String::new() }),
        Some(Money { minor_units: 5, currency: "xpl".to_owned() }),
    ] {
        let status = deposit(&service, who, &id(), sum.clone()).await.expect_err("malformed");
        assert_eq!(status.code(), Code::InvalidArgument, "{sum:?}");
    }
    let status = deposit(&service, who, "no id", money(1)).await.expect_err("malformed");
    assert_eq!(status.code(), Code::InvalidArgument);
    let euros = Some(Money { minor_units: 5, currency: "EUR".to_owned() });
    let status = deposit(&service, who, &id(), euros).await.expect_err("another currency");
    assert_eq!(reason(&status), "CURRENCY_NOT_ACCEPTED");
    let status = deposit(&service, who, &id(), money(i64::MAX)).await.expect_err("too much");
    assert_eq!(reason(&status), "BALANCE_TOO_LARGE");
    deposit(&service, who, &id(), money(i64::MAX - 1)).await.expect("exactly what fits");
    assert_eq!(balance(&pool, who).await, (i64::MAX, 0));
    withdraw(&service, who, &id(), i64::MAX).await.expect("all of it");
    assert_eq!(balance(&pool, who).await, (0, 0));
    let stranger = deposit(&service, Uuid::now_v7(), &id(), money(1)).await.expect_err("no account");
    assert_eq!((stranger.code(), reason(&stranger).as_str()), (Code::NotFound, "ACCOUNT_UNKNOWN"));
    assert_sound(&pool).await;
}

#[tokio::test]
async fn only_available_money_can_be_withdrawn_and_a_refusal_stands() {
    let pool = database().await;
    let (who, other) = (sign_up(&pool, 500).await, sign_up(&pool, 500).await);
    let service = service(&pool, desk());
    let open = Match::new(who, other, 400);
    open.request(&pool).await.expect("held");
    let request_id = id();
    let refused = withdraw(&service, who, &request_id, 101).await.expect_err("held money stays");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::FailedPrecondition, "INSUFFICIENT_FUNDS"));
    deposit(&service, who, &id(), money(1)).await.expect("done");
    let again = withdraw(&service, who, &request_id, 101).await.expect_err("as the first time");
    assert_eq!(
        (again.code(), again.message(), reason(&again)),
        (refused.code(), refused.message(), reason(&refused))
    );
    let rehearsal = pb::CreateWithdrawalRequest { request_id: id(), amount: money(101), validate_only: true };
    let rehearsed =
        service.create_withdrawal(player(who, rehearsal)).await.expect("it would be done").into_inner();
    assert_eq!((rehearsed.transfer_id.as_str(), rehearsed.available_after), ("", money(0)));
    assert_eq!(balance(&pool, who).await, (101, 400));
    let done = withdraw(&service, who, &id(), 101).await.expect("done");
    assert_eq!((done.available_after, balance(&pool, who).await), (money(0), (0, 400)));
    assert_sound(&pool).await;
}

#[tokio::test]
async fn a_closed_desk_takes_and_pays_nothing() {
    let pool = database().await;
    let who = sign_up(&pool, 500).await;
    let service = service(&pool, Desk { provider: None, ..desk() });
    let status = deposit(&service, who, &id(), money(1)).await.expect_err("closed");
    assert_eq!(reason(&status), "DEPOSITS_CLOSED");
    let status = withdraw(&service, who, &id(), 1).await.expect_err("closed");
    assert_eq!(reason(&status), "DEPOSITS_CLOSED");
}

#[tokio::test]
async fn only_operators_correct_and_large_corrections_need_two_of_them() {
    let pool = database().await;
    let who = sign_up(&pool, 500).await;
    let service = service(&pool, desk());
    let (first, second) = (Uuid::now_v7(), Uuid::now_v7());
    let request = pb::AdjustBalanceRequest {
        request_id: id(),
        player_id: who.to_string(),
        amount: money(10),
        reason: "I like myself".to_owned(),
    };
    let status = service.adjust_balance(player(who, request)).await.expect_err("no operator");
    assert_eq!((status.code(), reason(&status).as_str()), (Code::PermissionDenied, "ROLE_MISSING"));

    let small = adjust(&service, first, who, -1_000).await.expect_err("not covered");
    assert_eq!(reason(&small), "INSUFFICIENT_FUNDS");
    let small = adjust(&service, first, who, 1_000).await.expect("booked");
    assert_eq!((small.state(), balance(&pool, who).await), (pb::AdjustmentState::Booked, (1_500, 0)));

    let large = adjust(&service, first, who, -1_001).await.expect("proposed");
    let refused = adjust(&service, first, who, 5_000).await.expect("proposed");
    assert_eq!((large.state(), balance(&pool, who).await), (pb::AdjustmentState::Proposed, (1_500, 0)));
    let mut listed = Vec::new();
    let mut page_token = String::new();
    loop {
        let request = pb::ListAdjustmentsRequest { page_size: 1, page_token };
        let page = service.list_adjustments(operator(second, request)).await.expect("a page").into_inner();
        listed.extend(page.adjustments);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    let ids: Vec<_> = listed.iter().map(|one| one.adjustment_id.clone()).collect();
    assert_eq!(ids, [large.adjustment_id.clone(), refused.adjustment_id.clone()]);
    assert_eq!((listed[0].amount.clone(), listed[0].proposed_by.clone()), (money(-1_001), first.to_string()));

    let own = decide(&service, first, &large.adjustment_id, true).await.expect_err("the same person");
    assert_eq!((own.code(), reason(&own).as_str()), (Code::PermissionDenied, "SECOND_PERSON_NEEDED"));
    let both = [second, Uuid::now_v7()].map(|who| decide(&service, who, &large.adjustment_id, true));
    let decided: Vec<_> = join_all(both).await;
    assert_eq!(decided.iter().filter(|answer| answer.is_ok()).count(), 1, "one of two decides: {decided:?}");
    assert_eq!(balance(&pool, who).await, (499, 0));
    let state =
        decide(&service, first, &refused.adjustment_id, false).await.expect("one's own may be taken back");
    assert_eq!((state, balance(&pool, who).await), (pb::AdjustmentState::Rejected as i32, (499, 0)));
    let unknown = decide(&service, second, &id(), true).await.expect_err("there is none");
    assert_eq!(reason(&unknown), "ADJUSTMENT_UNKNOWN");
    assert_sound(&pool).await;
}

#[tokio::test]
async fn a_movement_is_undone_once_by_its_opposite_and_a_match_never() {
    // F01, F04
    let pool = database().await;
    let (who, other) = (sign_up(&pool, 0).await, sign_up(&pool, 500).await);
    let service = service(&pool, desk());
    deposit(&service, who, &id(), money(300)).await.expect("done");
    let withdrawal = withdraw(&service, who, &id(), 100).await.expect("done").transfer_id;
    let reversals = (0..5).map(|_| reverse(&service, who, &withdrawal));
    let answers: Vec<_> = join_all(reversals).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1, "{answers:?}");
    assert_eq!(balance(&pool, who).await, (300, 0));
    let reversal = answers.into_iter().flatten().next().expect("one was done");
    let again = reverse(&service, who, &reversal).await.expect_err("a reversal stays");
    assert_eq!(reason(&again), "TRANSFER_NOT_REVERSIBLE");
    let others = reverse(&service, other, &withdrawal).await.expect_err("not his");
    assert_eq!(reason(&others), "TRANSFER_UNKNOWN");

    let open = Match::new(who, other, 250);
    open.request(&pool).await.expect("held");
    let hold = Uuid::new_v5(&open.match_id, b"hold").to_string();
    let refused = reverse(&service, who, &hold).await.expect_err("a stake is settled by its game");
    assert_eq!(reason(&refused), "TRANSFER_NOT_REVERSIBLE");
    let lines =
        wallet::store::statement::page(&pool, who, &Default::default(), i64::MAX, 10).await.expect("lines");
    let first = lines.last().expect("the deposit").transfer_id.to_string();
    let spent = reverse(&service, who, &first).await.expect_err("50 are left of 300");
    assert_eq!(reason(&spent), "INSUFFICIENT_FUNDS");
    open.cancel(&pool).await.expect("refunded");
    reverse(&service, who, &first).await.expect("done");
    assert_eq!(balance(&pool, who).await, (0, 0));
    assert_sound(&pool).await;
}

#[tokio::test]
async fn verify_names_a_reversal_that_is_not_the_opposite() {
    let pool = database().await;
    let who = sign_up(&pool, 0).await;
    let service = service(&pool, desk());
    deposit(&service, who, &id(), money(300)).await.expect("done");
    let withdrawal = withdraw(&service, who, &id(), 100).await.expect("done").transfer_id;
    reverse(&service, who, &withdrawal).await.expect("done");
    assert_sound(&pool).await;
    // Versions: opened, deposited, withdrawn, reversed. The withdrawal is renamed, so that nothing is there to be undone.
    let events = event_store::load(&pool, who, 2, 1).await.expect("the log answers");
    let mut withdrawn: pb::MoneyWithdrawn =
        prost::Message::decode(events[0].data.as_slice()).expect("readable");
    withdrawn.transfer.as_mut().expect("there").transfer_id = id();
    sqlx::query("update events set data = $1 where stream_id = $2 and version = 3")
        .bind(prost::Message::encode_to_vec(&withdrawn))
        .bind(who)
        .execute(&pool)
        .await
        .expect("the database lets us");
    let report = wallet::ledger_verify::verify(&pool).await.expect("the database answers");
    assert!(!report.is_clean());
}

#[tokio::test]
async fn a_policy_is_asked_at_deposit_at_the_hold_and_at_withdrawal() {
    let pool = database().await;
    let (who, other) = (sign_up(&pool, 500).await, sign_up(&pool, 500).await);
    let policy = Policy { needs_identity: true, age_years_min: Some(18), ..Policy::default() };
    let service = service(&pool, Desk { policy: policy.clone(), ..desk() });
    for status in [
        deposit(&service, who, &id(), money(1)).await.expect_err("unknown"),
        withdraw(&service, who, &id(), 1).await.expect_err("unknown"),
    ] {
        assert_eq!(reason(&status), "NOT_ELIGIBLE");
    }
    let verify = |of: Uuid, born: &str| pb::VerifyIdentityRequest {
        request_id: id(),
        player_id: of.to_string(),
        born: born.to_owned(),
        region: "GB".to_owned(),
    };
    let as_player =
        service.verify_identity(player(who, verify(who, "1990-01-01"))).await.expect_err("no operator");
    assert_eq!(as_player.code(), Code::PermissionDenied);
    let operator_id = Uuid::now_v7();
    service.verify_identity(operator(operator_id, verify(who, "1990-01-01"))).await.expect("noted");
    deposit(&service, who, &id(), money(1)).await.expect("he may");

    let handler = || crate::support::matches().with_policy(policy.clone());
    let played = Match::new(who, other, 100);
    crate::support::deliver(&pool, &handler(), &played.request_message()).await.expect("refused");
    let refusal = played.refusal(&pool).await;
    assert_eq!(
        (refusal.reason(), refusal.player_id.as_str()),
        (pb::RefusalReason::NotEligible, other.to_string().as_str())
    );
    service.verify_identity(operator(operator_id, verify(other, "1995-06-30"))).await.expect("noted");
    let repeat = crate::support::deliver(&pool, &handler(), &played.request_message()).await;
    repeat.expect("the first answer stands");
    assert_eq!(balance(&pool, who).await, (501, 0));
    let next = Match::new(who, other, 100);
    crate::support::deliver(&pool, &handler(), &next.request_message()).await.expect("held");
    assert_eq!(balance(&pool, who).await, (401, 100));
    assert_sound(&pool).await;
}
