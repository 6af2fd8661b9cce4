//! A peer says things, a listener hears them.

use event_store::StreamId;
use test_peer::{Listener, Peer};
use uuid::Uuid;

/// Any protobuf message does.
fn text(text: &str) -> String {
    text.to_owned()
}

// PEER-1
#[tokio::test]
async fn what_a_peer_publishes_is_heard_in_order_with_the_versions_of_a_real_log() {
    let nats = test_kit::own_nats().await;
    let peer = Peer::start("game", &nats.url()).await;
    let stream = StreamId::new("game", Uuid::now_v7());
    peer.publish(stream, "GameStarted", &text("begun")).await;
    // A listener that comes late hears what was said before.
    let listener = Listener::start("game", &nats.url()).await;
    let last = peer.publish_behind(stream, 5, "GameEnded", &text("over")).await;

    let ended = listener.message(stream.id, "GameEnded").await;
    assert_eq!((ended.event_id, ended.version, ended.follows), (last, 7, 1));
    assert_eq!(listener.event::<String>(stream.id, "GameStarted").await, "begun");
    assert_eq!(listener.names(stream.id), ["GameStarted", "GameEnded"]);
    assert!(listener.names(Uuid::now_v7()).is_empty());
}
