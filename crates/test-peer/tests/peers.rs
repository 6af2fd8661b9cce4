//! A peer says things, a listener hears them.

use event_bus::{HandleError, Handler, Message};
use event_store::StreamId;
use sqlx::PgConnection;
use test_peer::delivery::{deliver, message};
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

/// Writes down what it is given, and fails afterwards when it is told to.
struct Clerk;

impl Handler for Clerk {
    async fn handle(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        sqlx::query("insert into notes (note) values ($1)")
            .bind(message.decode::<String>()?)
            .execute(conn)
            .await?;
        if message.kind == "Bad" { Err(HandleError::Permanent("as told".to_owned())) } else { Ok(()) }
    }
}

#[tokio::test]
async fn what_a_handler_did_before_it_failed_is_undone() {
    let pool = test_kit::postgres().await.database("clerk").await.pool;
    sqlx::query("create table notes (note text not null)").execute(&pool).await.expect("a table can be made");
    let stream = StreamId::new("game", Uuid::now_v7());
    let good = deliver(&pool, &Clerk, &message("game", stream, "Good", &text("kept"))).await;
    let bad = deliver(&pool, &Clerk, &message("game", stream, "Bad", &text("undone"))).await;
    assert_eq!((good, bad), (Ok(()), Err(HandleError::Permanent("as told".to_owned()))));
    let notes: Vec<String> =
        sqlx::query_scalar("select note from notes").fetch_all(&pool).await.expect("the database answers");
    assert_eq!(notes, ["kept"]);
}
