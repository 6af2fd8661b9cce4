//! What is refused, and how it says so.

use proto::matchmaking::v1::{JoinQueueRequest, LeaveQueueRequest};
use proto::types::v1::TimeControl;
use service_kit::auth::Role;
use test_kit::eventually;
use test_peer::refusal::{bad_fields, metadata, reason};
use test_peer::{PATIENCE, Visitor};
use tonic::{Code, Request, Status};
use uuid::Uuid;

use crate::support::{Ask, World};

async fn refused(world: &World, player: &Visitor, message: JoinQueueRequest) -> Status {
    let answer = world.client().grpc.join_queue(player.request(message)).await;
    answer.map(|_| ()).expect_err("it is to be refused")
}

#[tokio::test]
async fn bad_input_is_answered_with_the_name_of_every_bad_field() {
    let world = World::start().await;
    let ada = world.player("Ada");
    let nothing = JoinQueueRequest::default();
    let status = refused(&world, &ada, nothing).await;
    assert_eq!(status.code(), Code::InvalidArgument);
    assert_eq!(bad_fields(&status), ["request_id", "city_id", "time_control"]);

    let bad = JoinQueueRequest {
        request_id: "7".to_owned(),
        city_id: "x".repeat(100_000),
        time_control: Some(TimeControl { base_ms: -1, increment_ms: 0 }),
    };
    let status = refused(&world, &ada, bad).await;
    assert_eq!(status.code(), Code::InvalidArgument);
    assert_eq!(bad_fields(&status), ["request_id", "city_id", "time_control"]);

    let leave = LeaveQueueRequest { request_id: String::new() };
    let status = world.client().grpc.leave_queue(ada.request(leave)).await.expect_err("no id");
    assert_eq!((status.code(), bad_fields(&status)), (Code::InvalidArgument, vec!["request_id".to_owned()]));
}

#[tokio::test]
async fn a_city_or_a_clock_that_there_is_not_is_refused_by_name() {
    let world = World::start().await;
    let ada = world.player("Ada");
    let status = refused(&world, &ada, Ask::in_city("atlantis").request()).await;
    assert_eq!((status.code(), reason(&status).as_str()), (Code::NotFound, "CITY_UNKNOWN"));
    assert_eq!(metadata(&status, "city_id").as_deref(), Some("atlantis"));

    let time_control = Some(TimeControl { base_ms: 60_000, increment_ms: 0 });
    let status = refused(&world, &ada, JoinQueueRequest { time_control, ..Ask::new().request() }).await;
    assert_eq!(
        (status.code(), reason(&status).as_str()),
        (Code::FailedPrecondition, "TIME_CONTROL_NOT_PLAYED")
    );
    assert_eq!(metadata(&status, "city_id").as_deref(), Some("paris"));
}

#[tokio::test]
async fn computers_never_sit_at_a_staked_game_and_strangers_sign_in_first() {
    let world = World::start().await;
    let engine = world.keys.visitor(Uuid::now_v7(), "Engine", &[Role::Player, Role::Computer]);
    let status = refused(&world, &engine, Ask::new().request()).await;
    assert_eq!((status.code(), reason(&status).as_str()), (Code::PermissionDenied, "COMPUTER_PLAYER"));

    let mut grpc = world.client().grpc;
    let status = grpc.join_queue(Ask::new().request()).await.map(|_| ()).expect_err("no token");
    assert_eq!((status.code(), reason(&status).as_str()), (Code::Unauthenticated, "TOKEN_MISSING"));
    let leave = LeaveQueueRequest { request_id: Uuid::now_v7().to_string() };
    let status = grpc.leave_queue(Request::new(leave)).await.expect_err("no token");
    assert_eq!(reason(&status), "TOKEN_MISSING");
    let late = world.keys.expired(&world.player("Ada"));
    let status = refused(&world, &late, Ask::new().request()).await;
    assert_eq!((status.code(), reason(&status).as_str()), (Code::Unauthenticated, "TOKEN_EXPIRED"));
}

#[tokio::test]
async fn who_cannot_pay_the_stake_hears_it_at_once_and_with_both_amounts() {
    let world = World::start().await;
    let ada = world.player("Ada");
    world.deposit(&ada, 2_499).await;
    let status = eventually(PATIENCE, || async {
        let joined = world.client().join(&ada, &Ask::in_city("havana")).await;
        if joined.is_ok() {
            // The deposit was not heard of yet, and who is not known to be poor may queue.
            world.client().leave(&ada).await;
        }
        joined.err()
    })
    .await;
    assert_eq!((status.code(), reason(&status).as_str()), (Code::FailedPrecondition, "INSUFFICIENT_FUNDS"));
    let values = ["available", "stake", "currency"].map(|key| metadata(&status, key).unwrap_or_default());
    assert_eq!(values, ["2499", "2500", "XPL"]);
    // It is enough for Paris.
    world.searching(&ada).await;
}
