//! A stop ends, whatever clients do.

use proto::matchmaking::v1::JoinQueueRequest;
use proto::matchmaking::v1::matchmaking_service_client::MatchmakingServiceClient;
use service_kit::server::STOP_MAX;
use tokio::net::TcpStream;
use tonic::Code;

use crate::behind::frame;
use crate::clients;
use crate::fixture::{Fixture, details};

/// H02
#[tokio::test]
async fn open_streams_end_as_unavailable_and_do_not_hold_up_the_stop() {
    let fixture = Fixture::start().await;
    let mut grpc = MatchmakingServiceClient::new(clients::grpc(fixture.edge).await);
    let mut streams = Vec::new();
    for index in 0..20 {
        let mut stream = grpc.join_queue(JoinQueueRequest::default()).await.expect("open").into_inner();
        fixture.behind.stream(index).await.unbounded_send(Ok(frame(1))).expect("open");
        assert!(stream.message().await.expect("open").is_some());
        streams.push(stream);
    }
    let mut web = MatchmakingServiceClient::with_origin(clients::web(), clients::origin(fixture.edge));
    streams.push(web_frames(&mut web, &fixture).await);

    let ended = tokio::spawn(async move {
        let mut codes = Vec::new();
        for mut stream in streams {
            let status = stream.message().await.expect_err("never a clean end");
            assert!(details(&status).retry_info().is_some());
            codes.push(status.code());
        }
        codes
    });
    let took = fixture.stop().await;
    assert_eq!(ended.await.expect("no panic"), vec![Code::Unavailable; 21]);
    assert!(took < STOP_MAX, "{took:?}");
}

async fn web_frames(
    web: &mut MatchmakingServiceClient<clients::WebTransport>,
    fixture: &Fixture,
) -> tonic::Streaming<proto::matchmaking::v1::JoinQueueResponse> {
    let mut stream = web.join_queue(JoinQueueRequest::default()).await.expect("open").into_inner();
    fixture.behind.stream(20).await.unbounded_send(Ok(frame(1))).expect("open");
    assert!(stream.message().await.expect("open").is_some());
    stream
}

/// H01
#[tokio::test]
async fn idle_connections_do_not_hold_up_the_stop() {
    let fixture = Fixture::start().await;
    let mut idle = Vec::new();
    for _ in 0..5 {
        idle.push(TcpStream::connect(fixture.edge).await.expect("connected"));
    }
    // A client whose stream is open and never read.
    let mut grpc = MatchmakingServiceClient::new(clients::grpc(fixture.edge).await);
    let _unread = grpc.join_queue(JoinQueueRequest::default()).await.expect("open");
    let frames = fixture.behind.stream(0).await;
    for sequence in 0..10_000 {
        frames.unbounded_send(Ok(frame(sequence))).expect("open");
    }
    let took = fixture.stop().await;
    assert!(took < STOP_MAX, "{took:?}");
}
