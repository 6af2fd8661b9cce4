//! What players ask for themselves: limits and exclusions.

use proto::game::v1::GameResult;
use proto::wallet::v1 as pb;
use proto::wallet::v1::wallet_service_server::WalletService as _;
use tonic::{Code, Status};
use uuid::Uuid;
use wallet::grpc::Service;

use crate::support::counter::{desk, id, money, player, reason, service};
use crate::support::{Match, assert_clean, balance, database, sign_up};

async fn set(service: &Service, who: Uuid, kind: pb::LimitKind, limit: Option<i64>) -> i64 {
    let request = pb::SetLimitRequest { request_id: id(), kind: kind as i32, limit_minor_units: limit };
    service.set_limit(player(who, request)).await.expect("set").into_inner().counts_from_ms
}

async fn deposit(service: &Service, who: Uuid, minor: i64) -> Result<(), Status> {
    let request = pb::CreateDepositRequest { request_id: id(), amount: money(minor) };
    service.create_deposit(player(who, request)).await.map(|_| ())
}

async fn exclude(service: &Service, who: Uuid, days: u32) -> Result<i64, Status> {
    let request = pb::ExcludeMyselfRequest { request_id: id(), days };
    service.exclude_myself(player(who, request)).await.map(|answer| answer.into_inner().until_ms)
}

fn left(status: &Status) -> (String, String) {
    let details = tonic_types::StatusExt::get_error_details(status);
    let info = details.error_info().expect("details").clone();
    assert_eq!(info.reason, "NOT_ELIGIBLE");
    (info.metadata["limit"].clone(), info.metadata["left_minor_units"].clone())
}

#[tokio::test]
async fn deposits_stop_at_the_strictest_limit_and_the_opening_gift_is_none() {
    let pool = database().await;
    let who = sign_up(&pool, 1_000_000).await;
    let service = service(&pool, desk());
    set(&service, who, pb::LimitKind::DepositDay, Some(100)).await;
    set(&service, who, pb::LimitKind::DepositWeek, Some(150)).await;
    deposit(&service, who, 60).await.expect("within both");
    let status = deposit(&service, who, 41).await.expect_err("past the day's");
    assert_eq!(left(&status), ("DEPOSIT_DAY".to_owned(), "40".to_owned()));
    // What was deposited two days ago counts for the week only.
    sqlx::query(
        "update statement_lines set recorded_at = recorded_at - interval '2 days' where player_id = $1",
    )
    .bind(who)
    .execute(&pool)
    .await
    .expect("time passes");
    deposit(&service, who, 90).await.expect("a new day");
    let status = deposit(&service, who, 1).await.expect_err("past the week's");
    assert_eq!(left(&status), ("DEPOSIT_WEEK".to_owned(), "0".to_owned()));
    let higher = set(&service, who, pb::LimitKind::DepositWeek, Some(1_000)).await;
    assert!(deposit(&service, who, 1).await.is_err(), "a higher limit waits");
    let standing =
        service.get_standing(player(who, pb::GetStandingRequest {})).await.expect("told").into_inner();
    let week =
        standing.limits.iter().find(|limit| limit.kind() == pb::LimitKind::DepositWeek).expect("there");
    assert_eq!(
        (week.limit_minor_units, week.is_changing, week.next_limit_minor_units, week.next_counts_from_ms),
        (Some(150), true, Some(1_000), higher)
    );
    assert_clean(&pool).await;
}

#[tokio::test]
async fn a_loss_limit_counts_what_is_lost_and_what_is_at_stake() {
    let pool = database().await;
    let (who, other) = (sign_up(&pool, 10_000).await, sign_up(&pool, 10_000).await);
    let service = service(&pool, desk());
    set(&service, who, pb::LimitKind::LossDay, Some(250)).await;
    let lost = Match::new(who, other, 100);
    lost.request(&pool).await.expect("held");
    lost.end(&pool, GameResult::BlackWins).await.expect("paid");
    let open = Match::new(other, who, 100);
    open.request(&pool).await.expect("held");
    let too_much = Match::new(who, other, 51);
    too_much.request(&pool).await.expect("refused");
    let refusal = too_much.refusal(&pool).await;
    assert_eq!((refusal.reason(), refusal.player_id), (pb::RefusalReason::NotEligible, who.to_string()));
    Match::new(who, other, 50).request(&pool).await.expect("held");
    assert_eq!(balance(&pool, who).await, (9_750, 150));
    assert_clean(&pool).await;
}

#[tokio::test]
async fn who_excludes_himself_is_out_at_once_and_keeps_his_money() {
    let pool = database().await;
    let (who, other) = (sign_up(&pool, 500).await, sign_up(&pool, 500).await);
    let service = service(&pool, desk());
    let short = exclude(&service, who, 182).await.expect_err("too short");
    assert_eq!((short.code(), reason(&short).as_str()), (Code::FailedPrecondition, "EXCLUSION_TOO_SHORT"));
    exclude(&service, who, 365).await.expect("excluded");
    let shorter = exclude(&service, who, 200).await.expect_err("never shortened");
    assert_eq!(reason(&shorter), "EXCLUSION_STANDS");
    assert_eq!(reason(&deposit(&service, who, 1).await.expect_err("excluded")), "NOT_ELIGIBLE");
    let check = pb::CheckEligibilityRequest { action: pb::EligibleAction::Play as i32, amount: money(1) };
    let told = service.check_eligibility(player(who, check.clone())).await.expect_err("excluded");
    assert_eq!(reason(&told), "NOT_ELIGIBLE");
    service.check_eligibility(player(other, check)).await.expect("he may");
    let played = Match::new(other, who, 100);
    played.request(&pool).await.expect("refused");
    assert_eq!(played.refusal(&pool).await.player_id, who.to_string());
    let request = pb::CreateWithdrawalRequest { request_id: id(), amount: money(500), validate_only: false };
    service.create_withdrawal(player(who, request)).await.expect("his own money");
    assert_eq!(exclude(&service, who, 0).await.expect("for ever"), 0);
    let standing =
        service.get_standing(player(who, pb::GetStandingRequest {})).await.expect("told").into_inner();
    assert_eq!((standing.is_excluded, standing.excluded_until_ms), (true, 0));
    // Others hear of it: a public event in the log.
    let published: i64 = sqlx::query_scalar(
        "select count(*) from outbox o join events e using (stream_id, version) \
         where e.type = 'PlayerExcluded' and o.stream_kind = 'standing'",
    )
    .fetch_one(&pool)
    .await
    .expect("counted");
    assert_eq!(published, 2);
    assert_clean(&pool).await;
}
