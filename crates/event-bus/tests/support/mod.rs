//! What the tests of the bus share: a service with a database, a relay and consumers, on private servers.
#![allow(dead_code, reason = "each test binary uses its part")]

use event_bus::{
    Bus, CommitSignal, ConsumerConfig, HandleError, Handler, Message, Relay, Version, connect, ensure_stream,
    run_consumer, stream_name,
};
use event_store::{Append, Metadata, NewEvent, Publication, StreamId, append_in};
use sqlx::{PgConnection, PgPool};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use test_kit::{TestDatabase, eventually};
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

/// How long a test waits for what must happen; long, because the machine may be busy.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A service of its own name, with a database that has the tables of store and bus and a table for effects.
pub struct Service {
    pub name: &'static str,
    pub database: TestDatabase,
    pub bus: Bus,
    pub signal: CommitSignal,
    shutdown: CancellationToken,
    _stop: DropGuard,
}

impl Service {
    pub async fn new(hint: &str) -> Self {
        let database = test_kit::postgres().await.database(hint).await;
        Self::on(database, &test_kit::nats().await.url()).await
    }

    pub async fn on(database: TestDatabase, nats_url: &str) -> Self {
        // Tests share a broker; their own name keeps their streams and consumers apart.
        let name = Box::leak(format!("t{}", Uuid::new_v4().simple()).into_boxed_str());
        Self::named(name, database, nats_url).await
    }

    pub async fn named(name: &'static str, database: TestDatabase, nats_url: &str) -> Self {
        for schema in [event_store::schema(), event_bus::schema(), EFFECTS] {
            sqlx::raw_sql(schema).execute(&database.pool).await.expect("a valid schema");
        }
        let bus = connect(nats_url, "test").await.expect("a broker");
        let shutdown = CancellationToken::new();
        Self {
            name,
            database,
            bus,
            signal: CommitSignal::new(),
            _stop: shutdown.clone().drop_guard(),
            shutdown,
        }
    }

    pub fn pool(&self) -> &PgPool {
        &self.database.pool
    }

    /// A relay that ends with the test or by the token.
    pub fn start_relay(&self) -> CancellationToken {
        let stop = self.shutdown.child_token();
        tokio::spawn(Relay::run(
            self.pool().clone(),
            self.bus.clone(),
            self.name,
            self.signal.clone(),
            stop.clone(),
        ));
        stop
    }

    /// A consumer of this service's own game events.
    pub fn config(&self) -> ConsumerConfig {
        ConsumerConfig {
            backoff_min: Duration::from_millis(20),
            backoff_max: Duration::from_millis(200),
            parked_interval: Duration::from_millis(50),
            ..ConsumerConfig::new("wallet_settlement", self.name, "game")
        }
    }

    pub fn start_consumer(
        &self,
        config: ConsumerConfig,
        handler: Recorder,
    ) -> (CancellationToken, JoinHandle<()>) {
        let stop = self.shutdown.child_token();
        let running = tokio::spawn(run_consumer(
            self.pool().clone(),
            self.bus.clone(),
            config,
            handler,
            self.signal.clone(),
            stop.clone(),
        ));
        (stop, running)
    }

    /// Commits `count` public events of the given kind behind `expected`.
    pub async fn commit(&self, stream: StreamId, expected: Version, kinds: &[&'static str]) {
        let mut tx = self.pool().begin().await.expect("a transaction");
        append_in(&mut tx, &public_append(stream, expected, kinds)).await.expect("written");
        tx.commit().await.expect("committed");
        self.signal.committed();
    }

    /// What a consumer's handler has done, in the order in which it was done.
    pub async fn effects(&self, consumer: &str) -> Vec<(Uuid, Version)> {
        effects(self.pool(), consumer).await
    }

    /// The versions of a stream that took effect, in the order in which they did.
    pub async fn effects_on(&self, stream: StreamId) -> Vec<Version> {
        let all = self.effects("wallet_settlement").await;
        all.into_iter().filter(|(id, _)| *id == stream.id).map(|(_, version)| version).collect()
    }

    pub async fn until_effects_on(&self, stream: StreamId, wanted: &[Version]) {
        eventually(PATIENCE, || async { (self.effects_on(stream).await == wanted).then_some(()) }).await;
    }

    pub async fn until_effects(&self, count: usize) {
        eventually(PATIENCE, || async {
            (self.effects("wallet_settlement").await.len() == count).then_some(())
        })
        .await;
    }

    pub async fn unpublished(&self) -> i64 {
        sqlx::query_scalar("select count(*) from outbox where published_at is null")
            .fetch_one(self.pool())
            .await
            .expect("counted")
    }

    pub async fn until_all_is_published(&self) {
        eventually(PATIENCE, || async { (self.unpublished().await == 0).then_some(()) }).await;
    }

    /// Messages the broker holds for this service.
    pub async fn stored(&self) -> u64 {
        ensure_stream(&self.bus, self.name).await.expect("a stream");
        let stream = self.bus.jetstream().get_stream(stream_name(self.name)).await.expect("a stream");
        stream.cached_info().state.messages
    }

    pub async fn letters(&self) -> Vec<(Uuid, Version, String)> {
        sqlx::query_as("select stream_id, version, reason from dead_letters order by stream_id, version")
            .fetch_all(self.pool())
            .await
            .expect("readable")
    }

    pub async fn until_letters(&self, wanted: &[(Uuid, Version, &str)]) {
        let wanted: Vec<(Uuid, Version, String)> =
            wanted.iter().map(|(id, version, reason)| (*id, *version, (*reason).to_owned())).collect();
        eventually(PATIENCE, || async { (self.letters().await == wanted).then_some(()) }).await;
    }
}

pub async fn effects(pool: &PgPool, consumer: &str) -> Vec<(Uuid, Version)> {
    sqlx::query_as("select stream_id, version from effects where consumer = $1 order by position")
        .bind(consumer)
        .fetch_all(pool)
        .await
        .expect("readable")
}

/// Nothing here forbids a double: a doubled effect must show, not be repaired.
const EFFECTS: &str = "create table if not exists effects (
    position bigint generated always as identity, consumer text not null, stream_id uuid not null,
    version bigint not null, event_id uuid not null)";

pub fn new_stream() -> StreamId {
    StreamId::new("game", Uuid::now_v7())
}

/// Public events of the given kinds, each following the one before.
pub fn public_append(stream: StreamId, expected: Version, kinds: &[&'static str]) -> Append {
    let events = kinds
        .iter()
        .zip(expected..)
        .map(|(kind, follows)| NewEvent {
            event_id: Some(Uuid::now_v7()),
            kind,
            schema: 1,
            data: vec![1, 2, 3],
            publication: Publication::Public { follows },
        })
        .collect();
    Append { stream, expected, events, metadata: Metadata::for_request("tester", Uuid::now_v7()) }
}

/// Writes an event into `effects`.
pub async fn record(conn: &mut PgConnection, consumer: &str, message: &Message) -> Result<(), sqlx::Error> {
    sqlx::query("insert into effects (consumer, stream_id, version, event_id) values ($1, $2, $3, $4)")
        .bind(consumer)
        .bind(message.stream_id)
        .bind(message.version)
        .bind(message.event_id)
        .execute(conn)
        .await?;
    Ok(())
}

/// A handler that writes each event into `effects`, and misbehaves by the event's kind:
/// `Broken` is permanent until repaired, `Flaky` fails transiently `flaky_failures` times, `Away` reports the database
/// away as often, `Slow` takes `slow_time`.
#[derive(Clone)]
pub struct Recorder {
    pub consumer: &'static str,
    pub flaky_failures: u32,
    pub slow_time: Duration,
    pub is_repaired: Arc<AtomicBool>,
    /// Tries of each event.
    pub tries: Arc<Mutex<HashMap<Uuid, u32>>>,
    /// Calls of `committed`.
    pub committed: Arc<AtomicU32>,
}

impl Default for Recorder {
    fn default() -> Self {
        Self {
            consumer: "wallet_settlement",
            flaky_failures: 2,
            slow_time: Duration::from_secs(1),
            is_repaired: Arc::default(),
            tries: Arc::default(),
            committed: Arc::default(),
        }
    }
}

impl Recorder {
    pub fn repair(&self) {
        self.is_repaired.store(true, Ordering::SeqCst);
    }

    pub fn tries_of(&self, event_id: Uuid) -> u32 {
        self.tries.lock().expect("not poisoned").get(&event_id).copied().unwrap_or(0)
    }

    pub fn total_tries(&self) -> u32 {
        self.tries.lock().expect("not poisoned").values().sum()
    }

    fn count_try(&self, event_id: Uuid) -> u32 {
        let mut tries = self.tries.lock().expect("not poisoned");
        let count = tries.entry(event_id).or_default();
        *count += 1;
        *count
    }
}

impl Handler for Recorder {
    async fn handle(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        let tries = self.count_try(message.event_id);
        // The effect comes first, so that a failure has something to undo.
        record(conn, self.consumer, message).await?;
        match message.kind.as_str() {
            "Broken" if !self.is_repaired.load(Ordering::SeqCst) => {
                Err(HandleError::Permanent("broken as asked".into()))
            }
            "Flaky" if tries <= self.flaky_failures => Err(HandleError::Transient("flaky as asked".into())),
            "Away" if tries <= self.flaky_failures => Err(HandleError::Unavailable("away as asked".into())),
            "Slow" => {
                // The work itself, not a way to wait for somebody.
                tokio::time::sleep(self.slow_time).await;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn committed(&self, _message: &Message) {
        self.committed.fetch_add(1, Ordering::SeqCst);
    }
}
