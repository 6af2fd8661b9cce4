//! Another service as far as this one can see it: a log of its own, and a relay.

use std::collections::HashMap;

use event_bus::{CommitSignal, Relay};
use event_store::{Append, Metadata, NewEvent, Publication, StreamId, Version};
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// A service that publishes what a test tells it.
pub struct Neighbour {
    pub pool: PgPool,
    stream_kind: &'static str,
    signal: CommitSignal,
    versions: HashMap<Uuid, Version>,
}

impl Neighbour {
    /// Starts the service's relay; it stops with `shutdown`.
    pub async fn start(
        service: &'static str,
        stream_kind: &'static str,
        nats_url: &str,
        shutdown: &CancellationToken,
    ) -> Self {
        let pool = test_kit::postgres().await.database(service).await.pool;
        sqlx::raw_sql(event_store::schema()).execute(&pool).await.expect("the log's tables can be made");
        let bus = event_bus::connect(nats_url, service).await.expect("the broker answers");
        let signal = CommitSignal::new();
        tokio::spawn(Relay::run(pool.clone(), bus, service, signal.clone(), shutdown.clone()));
        Self { pool, stream_kind, signal, versions: HashMap::new() }
    }

    /// Appends an event to a stream; the relay publishes it.
    pub async fn says(&mut self, stream_id: Uuid, kind: &'static str, data: Vec<u8>) {
        let version = self.versions.entry(stream_id).or_default();
        let append = Append {
            stream: StreamId::new(self.stream_kind, stream_id),
            expected: *version,
            events: vec![NewEvent {
                event_id: Uuid::now_v7(),
                kind,
                schema: 1,
                data,
                publication: Publication::Public { follows: *version },
            }],
            metadata: Metadata::for_request("test", Uuid::now_v7()),
        };
        let mut tx = self.pool.begin().await.expect("the database answers");
        *version = event_store::append_in(&mut tx, &append).await.expect("appended");
        tx.commit().await.expect("committed");
        self.signal.committed();
    }
}
