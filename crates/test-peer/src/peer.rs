//! Another service, as far as its events go.

use std::collections::HashMap;

use event_bus::{CommitSignal, Relay};
use event_store::{Append, Metadata, NewEvent, Publication, StreamId, Version};
use prost::Message;
use sqlx::PgPool;
use tokio::sync::Mutex;
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

/// The name of the events that a peer keeps to itself.
const PRIVATE_EVENT: &str = "KeptPrivate";

/// A log under a service's name and a relay that publishes it, until the peer is dropped.
#[derive(Debug)]
pub struct Peer {
    service: &'static str,
    pool: PgPool,
    signal: CommitSignal,
    heads: Mutex<HashMap<Uuid, Head>>,
    _relay: DropGuard,
}

/// Where a stream stands.
#[derive(Debug, Clone, Copy, Default)]
struct Head {
    version: Version,
    public: Version,
}

impl Peer {
    /// Starts a service of this name with a database of its own.
    pub async fn start(service: &'static str, nats_url: &str) -> Self {
        let pool = test_kit::postgres().await.database(service).await.pool;
        sqlx::raw_sql(event_store::schema()).execute(&pool).await.expect("the tables of a log can be made");
        let bus = event_bus::connect(nats_url, service).await.expect("the broker answers");
        event_bus::ensure_stream(&bus, service).await.expect("the broker makes the stream");
        let (signal, stop) = (CommitSignal::new(), CancellationToken::new());
        tokio::spawn(Relay::run(pool.clone(), bus, service, signal.clone(), stop.clone()));
        Self { service, pool, signal, heads: Mutex::default(), _relay: stop.drop_guard() }
    }

    /// Appends a public event to a stream, behind what stands there; the relay publishes it. Answers the event's id.
    pub async fn publish(&self, stream: StreamId, event: &'static str, message: &impl Message) -> Uuid {
        self.publish_behind(stream, 0, event, message).await
    }

    /// The same behind `hidden` events that stay in the service, as moves do in the game's: the published versions of the
    /// stream then have a hole that nobody may take for a gap.
    pub async fn publish_behind(
        &self,
        stream: StreamId,
        hidden: usize,
        event: &'static str,
        message: &impl Message,
    ) -> Uuid {
        // Held over the append: two callers must not take one version.
        let mut heads = self.heads.lock().await;
        let head = heads.entry(stream.id).or_default();
        let event_id = Uuid::now_v7();
        let mut events: Vec<NewEvent> = (0..hidden)
            .map(|_| NewEvent {
                event_id: None,
                kind: PRIVATE_EVENT,
                schema: 1,
                data: Vec::new(),
                publication: Publication::Private,
            })
            .collect();
        events.push(NewEvent {
            event_id: Some(event_id),
            kind: event,
            schema: 1,
            data: message.encode_to_vec(),
            publication: Publication::Public { follows: head.public },
        });
        let append = Append {
            stream,
            expected: head.version,
            events,
            metadata: Metadata::for_request(self.service, Uuid::now_v7()),
        };
        let version = self.append(&append).await;
        *head = Head { version, public: version };
        event_id
    }

    /// The peer's database, for a test that looks into its log.
    #[must_use]
    pub fn pool(&self) -> &PgPool {
        &self.pool
    }

    async fn append(&self, append: &Append) -> Version {
        let mut transaction = self.pool.begin().await.expect("the database answers");
        let version =
            event_store::append_in(&mut transaction, append).await.expect("nobody else writes here");
        transaction.commit().await.expect("the database answers");
        self.signal.committed();
        version
    }
}
