//! Limits, and what becomes of them without Redis.

use proto::gateway::v1::SignInRequest;
use proto::matchmaking::v1::JoinQueueRequest;
use proto::matchmaking::v1::matchmaking_service_client::MatchmakingServiceClient;
use proto::rating::v1::rating_service_client::RatingServiceClient;
use test_kit::eventually;
use tonic::{Code, Status};

use crate::behind::{ANSWER, get_ratings};
use crate::clients;
use crate::fixture::{Fixture, PASSWORD, PATIENCE, details, reason, with_token};

fn assert_limited(refused: &Status) {
    assert_eq!((refused.code(), reason(refused).as_str()), (Code::ResourceExhausted, "RATE_LIMITED"));
    let delay = details(refused).retry_info().and_then(|info| info.retry_delay).expect("a time to come back");
    assert!(!delay.is_zero());
}

#[tokio::test]
async fn each_player_has_calls_of_his_own_and_others_share_their_address() {
    let redis = test_kit::own_redis().await;
    let fixture = Fixture::start_with(|config| {
        config.redis_url = redis.url();
        config.rate_calls_per_second = 0.01;
        config.rate_calls_burst = 3;
    })
    .await;
    let mut grpc = RatingServiceClient::new(clients::grpc(fixture.edge).await);
    let (ann, bob) = (fixture.token(), fixture.token());
    for token in [&ann, &bob] {
        for _ in 0..3 {
            grpc.get_ratings(with_token(get_ratings(ANSWER), token)).await.expect("within the limit");
        }
        assert_limited(
            &grpc.get_ratings(with_token(get_ratings(ANSWER), token)).await.expect_err("too many"),
        );
    }
    // A token that nobody signed gets no bucket of its own: else a limit would be one made-up token away.
    for made_up in ["a.b.c", "d.e.f", "g.h.i"] {
        grpc.get_ratings(with_token(get_ratings(ANSWER), made_up)).await.expect("within the limit");
    }
    assert_limited(&grpc.get_ratings(get_ratings(ANSWER)).await.expect_err("too many"));
    fixture.stop().await;
}

#[tokio::test]
async fn a_large_bucket_is_taken_by_the_handful_and_still_ends() {
    let redis = test_kit::own_redis().await;
    let fixture = Fixture::start_with(|config| {
        config.redis_url = redis.url();
        config.rate_calls_per_second = 0.01;
        config.rate_calls_burst = 100;
    })
    .await;
    let mut grpc = RatingServiceClient::new(clients::grpc(fixture.edge).await);
    for _ in 0..100 {
        grpc.get_ratings(get_ratings(ANSWER)).await.expect("within the limit");
    }
    assert_limited(&grpc.get_ratings(get_ratings(ANSWER)).await.expect_err("too many"));
    fixture.stop().await;
}

#[tokio::test]
async fn tries_to_sign_in_are_limited_by_address() {
    let redis = test_kit::own_redis().await;
    let fixture = Fixture::start_with(|config| {
        config.redis_url = redis.url();
        config.rate_sign_ins_per_minute = 0.1;
        config.rate_sign_ins_burst = 2;
    })
    .await;
    let mut accounts = fixture.accounts().await;
    let mut try_name = async |name: &str| {
        let request = SignInRequest { name: name.to_owned(), password: PASSWORD.to_owned() };
        accounts.sign_in(request).await.expect_err("no such account")
    };
    assert_eq!(try_name("Ann").await.code(), Code::Unauthenticated);
    assert_eq!(try_name("Bob").await.code(), Code::Unauthenticated);
    assert_limited(&try_name("Cleo").await);
    // Other calls of the address go on.
    let mut grpc = RatingServiceClient::new(clients::grpc(fixture.edge).await);
    grpc.get_ratings(get_ratings(ANSWER)).await.expect("another limit");
    fixture.stop().await;
}

#[tokio::test]
async fn a_players_open_streams_are_limited_until_he_closes_one() {
    let fixture = Fixture::start_with(|config| config.open_calls_max = 2).await;
    let grpc = MatchmakingServiceClient::new(clients::grpc(fixture.edge).await);
    let (ann, bob) = (fixture.token(), fixture.token());
    let open =
        async |token: &str| grpc.clone().join_queue(with_token(JoinQueueRequest::default(), token)).await;
    let first = open(&ann).await.expect("open");
    let _second = open(&ann).await.expect("open");
    assert_limited(&open(&ann).await.expect_err("too many"));
    let _other = open(&bob).await.expect("another player's");
    drop(first);
    eventually(PATIENCE, || async { open(&ann).await.ok() }).await;
    fixture.stop().await;
}

/// EDGE-5
#[tokio::test]
async fn without_redis_calls_pass_and_with_it_they_are_limited_again() {
    let mut redis = test_kit::own_redis().await;
    let fixture = Fixture::start_with(|config| {
        config.redis_url = redis.url();
        config.rate_calls_per_second = 0.01;
        config.rate_calls_burst = 1;
    })
    .await;
    let mut grpc = RatingServiceClient::new(clients::grpc(fixture.edge).await);
    grpc.get_ratings(get_ratings(ANSWER)).await.expect("within the limit");
    assert_limited(&grpc.get_ratings(get_ratings(ANSWER)).await.expect_err("too many"));
    redis.stop();
    for _ in 0..20 {
        grpc.get_ratings(get_ratings(ANSWER)).await.expect("nobody limits");
    }
    let metrics = clients::get(fixture.admin, "/metrics").await;
    assert!(metrics.contains(gateway::telemetry::LIMITER_DOWN), "{metrics}");
    redis.start().expect("started");
    let limited = eventually(PATIENCE, || {
        let mut grpc = grpc.clone();
        async move { grpc.get_ratings(get_ratings(ANSWER)).await.err() }
    })
    .await;
    assert_limited(&limited);
    fixture.stop().await;
}
