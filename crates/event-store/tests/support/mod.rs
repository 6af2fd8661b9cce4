//! What the tests of the store share.
#![allow(dead_code, reason = "each test binary uses its part")]

use event_store::{
    Append, GroupCommit, GroupCommitConfig, Metadata, NewEvent, Publication, RecordedEvent, StreamId,
    Version, load_all, schema,
};
use sqlx::PgPool;
use std::time::Duration;
use test_kit::TestDatabase;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// How long a test waits for what must happen; long, because the machine may be busy.
pub const PATIENCE: Duration = Duration::from_secs(30);

pub async fn database(hint: &str) -> TestDatabase {
    let database = test_kit::postgres().await.database(hint).await;
    sqlx::raw_sql(schema()).execute(&database.pool).await.expect("the schema is valid");
    database
}

pub fn group_commit(pool: &PgPool, config: GroupCommitConfig) -> GroupCommit {
    GroupCommit::start(pool.clone(), config, "test", CancellationToken::new())
}

pub fn new_stream() -> StreamId {
    StreamId::new("game", Uuid::now_v7())
}

/// `count` private events after `expected`, without ids of their own.
pub fn append(stream: StreamId, expected: Version, count: usize) -> Append {
    let events = (0..count).map(|index| event("MovePlayed", index as u8, Publication::Private)).collect();
    Append { stream, expected, events, metadata: Metadata::for_request("tester", Uuid::now_v7()) }
}

/// The same, and all of them public, with ids.
pub fn public_append(stream: StreamId, expected: Version, count: usize) -> Append {
    let events = (expected..)
        .take(count)
        .map(|follows| event("GameStarted", follows as u8, Publication::Public { follows }))
        .collect();
    Append { stream, expected, events, metadata: Metadata::for_request("tester", Uuid::now_v7()) }
}

pub fn event(kind: &'static str, data: u8, publication: Publication) -> NewEvent {
    let event_id = (publication != Publication::Private).then(Uuid::now_v7);
    NewEvent { event_id, kind, schema: 1, data: vec![data; 20], publication }
}

pub async fn events_of(pool: &PgPool, stream: StreamId) -> Vec<RecordedEvent> {
    let mut conn = pool.acquire().await.expect("a connection");
    load_all(&mut conn, stream.id).await.expect("readable events")
}

/// What an event is told from all others by: its id if it has one, the request that it came of, and its data.
pub type Mark = (Option<Uuid>, Uuid, Vec<u8>);

pub fn marks(append: &Append) -> Vec<Mark> {
    let request_id = append.metadata.correlation_id;
    append.events.iter().map(|event| (event.event_id, request_id, event.data.clone())).collect()
}

pub async fn marks_of(pool: &PgPool, stream: StreamId) -> Vec<Mark> {
    let events = events_of(pool, stream).await.into_iter();
    events.map(|event| (event.event_id, event.metadata.correlation_id, event.data)).collect()
}

/// The outbox as (stream, version, follows), in the order of positions.
pub async fn outbox(pool: &PgPool) -> Vec<(Uuid, Version, Version)> {
    sqlx::query_as("select stream_id, version, follows from outbox order by position")
        .fetch_all(pool)
        .await
        .expect("readable outbox")
}

/// Waits until some backend of this database waits for a lock.
pub async fn a_backend_waits_for_a_lock(pool: &PgPool) -> i32 {
    test_kit::eventually(PATIENCE, || async {
        sqlx::query_scalar::<_, i32>(
            "select pid from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock' limit 1",
        )
        .fetch_optional(pool)
        .await
        .expect("a readable activity view")
    })
    .await
}
