//! How far the relay and each consumer are, for an operator who looks.

use crate::{Bus, stream_name, telemetry};
use sqlx::{PgExecutor, PgPool};
use std::time::Duration;
use time::OffsetDateTime;

/// How long the broker may take to say how far a consumer is.
const ANSWER_MAX: Duration = Duration::from_secs(2);

const WAITING: &str =
    "select count(*) from (select from outbox where published_at is null limit $1) as waiting";

const OLDEST: &str = "select e.recorded_at
    from outbox o join events e on e.stream_id = o.stream_id and e.version = o.version
    where o.published_at is null order by o.position limit 1";

const PARKED: &str = "select consumer, count(*), count(*) filter (where reason = 'fault') from dead_letters
    group by consumer order by consumer";

/// A consumer that runs, and whose events it follows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Followed {
    /// Its durable name.
    pub consumer: &'static str,
    /// The service whose events it follows.
    pub source_service: &'static str,
}

/// How far a consumer is, by the broker's word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lag {
    /// Messages that are not delivered yet.
    pub waiting: u64,
    /// Messages that are delivered and not acknowledged.
    pub in_hand: u64,
}

/// What waits to be published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutboxStanding {
    /// How much, counted up to [`telemetry::OUTBOX_DEPTH_COUNTED_MAX`].
    pub waiting: i64,
    /// When the oldest of it was recorded.
    pub oldest: Option<OffsetDateTime>,
}

/// How much is parked for a consumer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parked {
    /// Its name. One that does not run any more may have left something.
    pub consumer: String,
    /// All of it.
    pub count: i64,
    /// What could not be handled.
    pub faults: i64,
}

/// How far a consumer is; nothing when the broker does not say in time, or the consumer is not there yet.
pub async fn lag(bus: &Bus, followed: &Followed) -> Option<Lag> {
    let asking = async {
        let stream = bus.jetstream().get_stream_no_info(stream_name(followed.source_service)).await.ok()?;
        stream.consumer_info(followed.consumer).await.ok()
    };
    let info = tokio::time::timeout(ANSWER_MAX, asking).await.ok()??;
    Some(Lag { waiting: info.num_pending, in_hand: info.num_ack_pending as u64 })
}

/// What waits to be published.
pub async fn outbox(pool: &PgPool) -> Result<OutboxStanding, sqlx::Error> {
    let counted_max = telemetry::OUTBOX_DEPTH_COUNTED_MAX;
    let waiting: i64 = sqlx::query_scalar(WAITING).bind(counted_max).fetch_one(pool).await?;
    let oldest = sqlx::query_scalar(OLDEST).fetch_optional(pool).await?;
    Ok(OutboxStanding { waiting, oldest })
}

/// What is parked, by consumer.
pub async fn parked(executor: impl PgExecutor<'_>) -> Result<Vec<Parked>, sqlx::Error> {
    let rows: Vec<(String, i64, i64)> = sqlx::query_as(PARKED).fetch_all(executor).await?;
    Ok(rows.into_iter().map(|(consumer, count, faults)| Parked { consumer, count, faults }).collect())
}
