//! Calls that are passed on, in both protocols.

use std::time::Duration;

use proto::game::v1::GetGameRequest;
use proto::game::v1::game_service_client::GameServiceClient;
use proto::matchmaking::v1::JoinQueueRequest;
use proto::matchmaking::v1::matchmaking_service_client::MatchmakingServiceClient;
use proto::rating::v1::rating_service_client::RatingServiceClient;
use test_kit::eventually;
use tonic::{Code, Request, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

use crate::behind::{ANSWER, HANG, REFUSE, frame, get_ratings, large_frame};
use crate::clients;
use crate::fixture::{Fixture, PATIENCE, details, with_token};

/// EDGE-1
#[tokio::test]
async fn a_unary_call_arrives_as_it_was_sent_and_so_does_its_answer() {
    let fixture = Fixture::start().await;
    let mut grpc = RatingServiceClient::new(clients::grpc(fixture.edge).await);
    let mut web = RatingServiceClient::with_origin(clients::web(), clients::origin(fixture.edge));
    let request = || {
        let mut request = with_token(get_ratings(ANSWER), "a.b.c");
        request.metadata_mut().insert("x-color", "blue".parse().expect("a header"));
        request
            .metadata_mut()
            .insert_bin("x-raw-bin", tonic::metadata::BinaryMetadataValue::from_bytes(&[0, 255]));
        request
    };
    for response in [grpc.get_ratings(request()).await, web.get_ratings(request()).await] {
        let response = response.expect("an answer");
        assert_eq!(response.metadata().get("x-pool-count").expect("a header"), "1");
        assert_eq!(response.into_inner().ratings[0].pool, "3+2");
    }
    let arrived = fixture.behind.metadata();
    assert_eq!(arrived.len(), 2);
    for metadata in arrived {
        assert_eq!(metadata.get("authorization").expect("a header"), "Bearer a.b.c");
        assert_eq!(metadata.get("x-color").expect("a header"), "blue");
        let raw = metadata.get_bin("x-raw-bin").expect("a header").to_bytes().expect("base64");
        assert_eq!(raw.as_ref(), [0, 255]);
    }
    fixture.stop().await;
}

/// H04
#[tokio::test]
async fn both_protocols_agree_on_a_refusal_and_its_details() {
    let fixture = Fixture::start().await;
    let mut grpc = RatingServiceClient::new(clients::grpc(fixture.edge).await);
    let mut web = RatingServiceClient::with_origin(clients::web(), clients::origin(fixture.edge));
    for refused in [grpc.get_ratings(get_ratings(REFUSE)).await, web.get_ratings(get_ratings(REFUSE)).await] {
        let refused = refused.expect_err("refused");
        assert_eq!((refused.code(), refused.message()), (Code::Aborted, "ünknown pool"));
        let details = details(&refused);
        let info = details.error_info().expect("an info");
        assert_eq!((info.reason.as_str(), info.domain.as_str()), ("POOL_UNKNOWN", "stakemate.rating"));
        assert_eq!(info.metadata["pool"], "9+9");
    }
    fixture.stop().await;
}

#[tokio::test]
async fn each_frame_of_a_stream_arrives_when_it_is_sent() {
    let fixture = Fixture::start().await;
    let mut grpc = MatchmakingServiceClient::new(clients::grpc(fixture.edge).await);
    let mut web = MatchmakingServiceClient::with_origin(clients::web(), clients::origin(fixture.edge));
    let mut over_grpc = grpc.join_queue(JoinQueueRequest::default()).await.expect("open").into_inner();
    let behind_grpc = fixture.behind.stream(0).await;
    let mut over_web = web.join_queue(JoinQueueRequest::default()).await.expect("open").into_inner();
    let behind_web = fixture.behind.stream(1).await;
    for sequence in 1..=3 {
        // The next is sent only after this one has arrived, so nothing may be held back.
        behind_grpc.unbounded_send(Ok(frame(sequence))).expect("open");
        behind_web.unbounded_send(Ok(frame(sequence))).expect("open");
        assert_eq!(over_grpc.message().await.expect("open").expect("a frame").sequence, sequence);
        assert_eq!(over_web.message().await.expect("open").expect("a frame").sequence, sequence);
    }
    for behind in [behind_grpc, behind_web] {
        behind.unbounded_send(Err(Status::data_loss("a gap"))).expect("open");
    }
    assert_eq!(over_grpc.message().await.expect_err("a status").code(), Code::DataLoss);
    assert_eq!(over_web.message().await.expect_err("a status").code(), Code::DataLoss);
    fixture.stop().await;
}

/// EDGE-3, H12
#[tokio::test]
async fn a_client_that_leaves_is_gone_at_the_service_too() {
    let fixture = Fixture::start().await;
    let mut grpc = MatchmakingServiceClient::new(clients::grpc(fixture.edge).await);
    let mut web = MatchmakingServiceClient::with_origin(clients::web(), clients::origin(fixture.edge));
    let over_grpc = grpc.join_queue(JoinQueueRequest::default()).await.expect("open");
    let over_web = web.join_queue(JoinQueueRequest::default()).await.expect("open");
    drop((over_grpc, over_web));
    for index in 0..2 {
        let stream = fixture.behind.stream(index).await;
        eventually(PATIENCE, || async { stream.is_closed().then_some(()) }).await;
    }

    let mut ratings = RatingServiceClient::new(clients::grpc(fixture.edge).await);
    let hanging = tokio::spawn(async move { ratings.get_ratings(get_ratings(HANG)).await });
    eventually(PATIENCE, || async { (fixture.behind.hanging() == 1).then_some(()) }).await;
    hanging.abort();
    eventually(PATIENCE, || async { (fixture.behind.hanging() == 0).then_some(()) }).await;
    fixture.stop().await;
}

#[tokio::test]
async fn a_deadline_counts_all_the_way() {
    let fixture = Fixture::start().await;
    // This client has no timer of its own, so the answer is the gateway's.
    let mut ratings = RatingServiceClient::with_origin(clients::web(), clients::origin(fixture.edge));
    let mut request = Request::new(get_ratings(HANG));
    // Two seconds: the head start of our timer is then long enough for a busy machine.
    request.metadata_mut().insert("grpc-timeout", "2S".parse().expect("a header"));
    let late = ratings.get_ratings(request).await.expect_err("too late");
    assert_eq!(late.code(), Code::DeadlineExceeded);
    eventually(PATIENCE, || async { (fixture.behind.hanging() == 0).then_some(()) }).await;
    fixture.stop().await;
}

/// EDGE-2
#[tokio::test]
async fn a_service_that_is_away_is_unavailable_and_back_without_a_restart() {
    let reserved = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = reserved.local_addr().expect("an address");
    drop(reserved);
    let fixture = Fixture::start_with(|config| config.upstream_rating = format!("http://{address}")).await;
    let mut grpc = RatingServiceClient::new(clients::grpc(fixture.edge).await);
    let mut web = RatingServiceClient::with_origin(clients::web(), clients::origin(fixture.edge));
    for refused in [grpc.get_ratings(get_ratings(ANSWER)).await, web.get_ratings(get_ratings(ANSWER)).await] {
        let refused = refused.expect_err("nobody there");
        assert_eq!(refused.code(), Code::Unavailable);
        assert!(details(&refused).retry_info().is_some());
        assert_eq!(details(&refused).error_info().expect("an info").reason, "DEPENDENCY_DOWN");
    }
    let _back = crate::behind::Behind::start_at(address).await;
    eventually(PATIENCE, || {
        let mut grpc = grpc.clone();
        async move { grpc.get_ratings(get_ratings(ANSWER)).await.ok() }
    })
    .await;
    fixture.stop().await;
}

/// EDGE-2, H11
#[tokio::test]
async fn a_stream_whose_service_dies_ends_as_unavailable() {
    let cable = crate::behind::Cable::before_nobody().await;
    let fixture =
        Fixture::start_with(|config| config.upstream_matchmaking = format!("http://{}", cable.address()))
            .await;
    cable.lead_to(fixture.behind.address());
    let mut grpc = MatchmakingServiceClient::new(clients::grpc(fixture.edge).await);
    let mut web = MatchmakingServiceClient::with_origin(clients::web(), clients::origin(fixture.edge));
    let mut over_grpc = grpc.join_queue(JoinQueueRequest::default()).await.expect("open").into_inner();
    let mut over_web = web.join_queue(JoinQueueRequest::default()).await.expect("open").into_inner();
    for (index, stream) in [&mut over_grpc, &mut over_web].into_iter().enumerate() {
        fixture.behind.stream(index).await.unbounded_send(Ok(frame(1))).expect("open");
        assert_eq!(stream.message().await.expect("open").expect("a frame").sequence, 1);
    }
    cable.cut();
    for lost in [over_grpc.message().await, over_web.message().await] {
        let lost = lost.expect_err("a status");
        assert_eq!(lost.code(), Code::Unavailable);
        assert!(details(&lost).retry_info().is_some());
    }
    fixture.stop().await;
}

/// EDGE-4
#[tokio::test]
async fn only_the_services_for_clients_are_reachable() {
    let fixture = Fixture::start().await;
    let channel = clients::grpc(fixture.edge).await;
    let request = HealthCheckRequest { service: String::new() };
    let refused = HealthClient::new(channel.clone()).check(request.clone()).await.expect_err("not here");
    assert_eq!(refused.code(), Code::Unimplemented);
    // It is where only the inside reaches it.
    let inside = HealthClient::new(clients::grpc(fixture.internal).await).check(request).await.expect("here");
    assert_eq!(inside.into_inner().status, 1);
    let game =
        GameServiceClient::new(channel).get_game(GetGameRequest::default()).await.expect_err("nobody there");
    assert_eq!(game.code(), Code::Unavailable);
    fixture.stop().await;
}

/// EDGE-1
#[tokio::test]
async fn a_trace_goes_on_and_what_a_client_says_about_its_address_does_not() {
    let fixture = Fixture::start().await;
    let mut grpc = RatingServiceClient::new(clients::grpc(fixture.edge).await);
    let mut request = Request::new(get_ratings(ANSWER));
    let trace_id = "0af7651916cd43dd8448eb211c80319c";
    let headers = [
        ("traceparent", format!("00-{trace_id}-b7ad6b7169203331-01")),
        ("x-forwarded-for", "10.9.8.7".to_owned()),
        ("x-real-ip", "10.9.8.7".to_owned()),
        ("x-stakemate-player", "somebody else".to_owned()),
    ];
    for (name, value) in headers {
        request.metadata_mut().insert(name, value.parse().expect("a header"));
    }
    grpc.get_ratings(request).await.expect("an answer");
    let arrived = fixture.behind.metadata().pop().expect("a call");
    assert!(arrived.get("traceparent").expect("a header").to_str().expect("text").contains(trace_id));
    for name in ["x-forwarded-for", "x-real-ip", "x-stakemate-player"] {
        assert!(arrived.get(name).is_none(), "{name}");
    }
    fixture.stop().await;
}

/// H06
#[tokio::test]
async fn a_request_that_is_too_long_is_refused_and_the_connection_lives_on() {
    let fixture = Fixture::start().await;
    let channel = clients::grpc(fixture.edge).await;
    let mut grpc = RatingServiceClient::new(channel.clone());
    let mut accounts = proto::gateway::v1::account_service_client::AccountServiceClient::new(channel);
    for bytes in [300 * 1024, 5 * 1024 * 1024] {
        let refused = grpc.get_ratings(get_ratings(&"x".repeat(bytes))).await.expect_err("too long");
        assert_eq!(refused.code(), Code::ResourceExhausted, "{refused:?}");
        let request = proto::gateway::v1::SignUpRequest { name: "x".repeat(bytes), password: String::new() };
        let refused = accounts.sign_up(request).await.expect_err("too long");
        assert!(matches!(refused.code(), Code::ResourceExhausted | Code::OutOfRange), "{refused:?}");
        assert!(grpc.get_ratings(get_ratings(ANSWER)).await.is_ok());
    }
    fixture.stop().await;
}

/// Neighbours on one connection do not wait for each other.
#[tokio::test]
async fn a_call_that_hangs_holds_up_no_other() {
    let fixture = Fixture::start().await;
    let grpc = RatingServiceClient::new(clients::grpc(fixture.edge).await);
    let mut hanging = grpc.clone();
    let hanging = tokio::spawn(async move { hanging.get_ratings(get_ratings(HANG)).await });
    eventually(PATIENCE, || async { (fixture.behind.hanging() == 1).then_some(()) }).await;
    let answered =
        tokio::time::timeout(Duration::from_secs(5), grpc.clone().get_ratings(get_ratings(ANSWER))).await;
    assert!(answered.expect("in time").is_ok());
    hanging.abort();
    fixture.stop().await;
}

/// All calls share one connection to the service, and what somebody does not read must not fill it.
#[tokio::test]
async fn clients_that_do_not_read_hold_up_nobody_else() {
    let fixture = Fixture::start_with(|config| config.open_calls_per_address_max = 1000).await;
    let mut lazy = MatchmakingServiceClient::new(clients::grpc(fixture.edge).await);
    let mut unread = Vec::new();
    for index in 0..30 {
        unread.push(lazy.join_queue(JoinQueueRequest::default()).await.expect("open"));
        let frames = fixture.behind.stream(index).await;
        for sequence in 0..100 {
            frames.unbounded_send(Ok(large_frame(sequence))).expect("open");
        }
    }
    // Another client's stream, and his call, at the same service.
    let mut other = MatchmakingServiceClient::new(clients::grpc(fixture.edge).await);
    let answered = async {
        let mut stream = other.join_queue(JoinQueueRequest::default()).await.expect("open").into_inner();
        let frames = fixture.behind.stream(30).await;
        for sequence in 0..100 {
            frames.unbounded_send(Ok(large_frame(sequence))).expect("open");
            assert!(stream.message().await.expect("open").is_some());
        }
    };
    tokio::time::timeout(PATIENCE, answered).await.expect("not held up");
    drop((unread, lazy));
    fixture.stop().await;
}
