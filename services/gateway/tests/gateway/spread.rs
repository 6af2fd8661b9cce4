//! Several instances of one service: calls go to all of them, and past those that are away or stand still.

use std::time::Duration;

use proto::rating::v1::GetRatingsRequest;
use proto::rating::v1::rating_service_client::RatingServiceClient;
use test_kit::eventually;
use tokio::net::TcpListener;
use tonic::transport::Channel;

use crate::behind::{ANSWER, Behind};
use crate::clients;
use crate::fixture::{Fixture, PATIENCE};

/// Shorter than it takes until a connection that stands still is given up.
const PROMPT: Duration = Duration::from_secs(1);

async fn ask(client: &mut RatingServiceClient<Channel>) -> Result<(), tonic::Status> {
    let request = GetRatingsRequest { player_id: ANSWER.to_owned() };
    client.get_ratings(request).await.map(|_| ())
}

#[tokio::test]
async fn calls_are_spread_over_all_instances() {
    let other = Behind::start().await;
    let url = format!("http://{}", other.address());
    let fixture = Fixture::start_with(|config| config.upstream_rating.push_str(&format!(",{url}"))).await;
    let mut client = RatingServiceClient::new(clients::grpc(fixture.edge).await);
    for _ in 0..20 {
        ask(&mut client).await.expect("an answer");
    }
    for instance in [&fixture.behind, &other] {
        let calls = instance.metadata().len();
        assert!((5..=15).contains(&calls), "{calls} of 20 calls");
    }
    fixture.stop().await;
}

/// EDGE-7
#[tokio::test]
async fn an_instance_at_which_nobody_listens_costs_no_call() {
    let reserved = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}", reserved.local_addr().expect("an address"));
    drop(reserved);
    let fixture = Fixture::start_with(|config| config.upstream_rating.push_str(&format!(",{url}"))).await;
    let mut client = RatingServiceClient::new(clients::grpc(fixture.edge).await);
    for _ in 0..20 {
        ask(&mut client).await.expect("an answer of the other instance");
    }
    fixture.stop().await;
}

/// A process that was stopped still has its port; only its answers fail to come.
#[tokio::test]
async fn an_instance_that_stands_still_is_left_out_after_a_moment() {
    let silent = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", silent.local_addr().expect("an address"));
    let fixture = Fixture::start_with(|config| config.upstream_rating.push_str(&format!(",{url}"))).await;
    let client = RatingServiceClient::new(clients::grpc(fixture.edge).await);
    eventually(PATIENCE, || {
        let mut client = client.clone();
        async move {
            for _ in 0..6 {
                tokio::time::timeout(PROMPT, ask(&mut client)).await.ok()?.ok()?;
            }
            Some(())
        }
    })
    .await;
    fixture.stop().await;
}
