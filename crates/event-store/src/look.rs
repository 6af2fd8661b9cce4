//! Looking into the log: the newest events first, for people.
//!
//! A search by streams is one read of the primary key. A search by time goes back in steps, each several times as long as the
//! one before, until it has found enough: what happened a moment ago costs little however long the log is. An event that is
//! committed late may be missed by a search that has passed its time, so nothing that has to be complete may go by this.

use crate::read::recorded_event;
use crate::{RecordedEvent, Version};
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, PgPool, Row as _};
use std::time::Duration;
use time::OffsetDateTime;
use uuid::Uuid;

/// The most events of one look.
pub const LOOK_ROWS_MAX: usize = 101;
/// How far a search by time goes back when nobody says.
pub const LOOK_BACK_MAX: Duration = Duration::from_secs(31 * 24 * 3600);
/// How long one statement of a look may take: people wait no longer, and the service has other work.
pub const LOOK_TIME_MAX: Duration = Duration::from_secs(3);

/// The steps back of a search by time; the last one is [`LOOK_BACK_MAX`].
const STEPS: [Duration; 5] = [
    Duration::from_secs(60),
    Duration::from_secs(15 * 60),
    Duration::from_secs(4 * 3600),
    Duration::from_secs(48 * 3600),
    LOOK_BACK_MAX,
];

/// The code of a statement that took too long.
const QUERY_CANCELED: &str = "57014";

// The correlation id is the first field of the metadata, always 16 bytes behind a tag and a length.
const COLUMNS: &str =
    "select e.stream_id, e.version, e.event_id, e.type, e.schema, e.data, e.metadata, e.recorded_at,
        o.stream_kind, o.published_at
    from events e left join outbox o on o.stream_id = e.stream_id and o.version = e.version";
const CONDITIONS: &str = "(e.recorded_at, e.stream_id, e.version) < ($1, $2, $3)
      and e.recorded_at >= $4
      and (cardinality($5::bytea[]) = 0 or substring(e.metadata from 3 for 16) = any ($5))
      and (cardinality($6::text[]) = 0 or e.type = any ($6))";
const ORDER: &str = "order by e.recorded_at desc, e.stream_id desc, e.version desc limit $7";

/// What is looked for. Empty lists leave a condition out.
#[derive(Debug, Clone, Default)]
pub struct Look {
    /// Of these streams.
    pub stream_ids: Vec<Uuid>,
    /// In these chains of causes.
    pub correlation_ids: Vec<Uuid>,
    /// With these names.
    pub kinds: Vec<String>,
    /// Not before.
    pub since: Option<OffsetDateTime>,
}

/// A place in the order of a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LookPosition {
    /// When the event was recorded.
    pub recorded_at: OffsetDateTime,
    /// Its stream.
    pub stream_id: Uuid,
    /// Its version.
    pub version: Version,
}

impl LookPosition {
    /// Before everything that was recorded at or after an instant.
    pub fn before(instant: OffsetDateTime) -> Self {
        Self { recorded_at: instant, stream_id: Uuid::nil(), version: 0 }
    }

    /// Directly behind an event, which is earlier in time.
    pub fn behind(event: &RecordedEvent) -> Self {
        Self { recorded_at: event.recorded_at, stream_id: event.stream_id, version: event.version }
    }
}

/// An event, and what became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenEvent {
    /// The event.
    pub event: RecordedEvent,
    /// The kind of its stream, for a public one that still is in the outbox.
    pub stream_kind: Option<String>,
    /// When the broker had it, for such a one.
    pub published_at: Option<OffsetDateTime>,
}

/// Why nothing was seen.
#[derive(Debug, thiserror::Error)]
pub enum LookError {
    /// The search took longer than [`LOOK_TIME_MAX`].
    #[error("the search took too long")]
    TooLong,
    /// The database failed.
    #[error(transparent)]
    Database(sqlx::Error),
}

impl From<sqlx::Error> for LookError {
    fn from(error: sqlx::Error) -> Self {
        let code = error.as_database_error().and_then(|error| error.code());
        if code.as_deref() == Some(QUERY_CANCELED) { Self::TooLong } else { Self::Database(error) }
    }
}

/// The newest events behind `from` that fit, at most `limit` and at most [`LOOK_ROWS_MAX`].
pub async fn look(
    pool: &PgPool,
    look: &Look,
    from: LookPosition,
    limit: usize,
) -> Result<Vec<SeenEvent>, LookError> {
    let limit = limit.min(LOOK_ROWS_MAX);
    let mut tx = pool.begin().await?;
    let time_max = LOOK_TIME_MAX.as_millis();
    let settings = format!("set transaction read only; set local statement_timeout = {time_max}");
    sqlx::raw_sql(sqlx::AssertSqlSafe(settings)).execute(&mut *tx).await?;
    let seen = if look.stream_ids.is_empty() {
        by_time(&mut tx, look, from, limit).await?
    } else {
        let since = look.since.unwrap_or(OffsetDateTime::UNIX_EPOCH);
        find(&mut tx, look, from, since, limit).await?
    };
    tx.rollback().await?;
    Ok(seen)
}

async fn by_time(
    conn: &mut PgConnection,
    look: &Look,
    from: LookPosition,
    limit: usize,
) -> Result<Vec<SeenEvent>, sqlx::Error> {
    let mut seen = Vec::new();
    for step in STEPS {
        let back =
            from.recorded_at.checked_sub(time::Duration::try_from(step).unwrap_or(time::Duration::DAY));
        let back = back.unwrap_or(OffsetDateTime::UNIX_EPOCH);
        let since = look.since.map_or(back, |since| since.max(back));
        seen = find(conn, look, from, since, limit).await?;
        if seen.len() >= limit || since > back {
            break;
        }
    }
    Ok(seen)
}

async fn find(
    conn: &mut PgConnection,
    look: &Look,
    from: LookPosition,
    since: OffsetDateTime,
    limit: usize,
) -> Result<Vec<SeenEvent>, sqlx::Error> {
    let correlations: Vec<&[u8]> = look.correlation_ids.iter().map(|id| id.as_bytes().as_slice()).collect();
    // Two texts, because one condition that is left out by a parameter would keep the key from being used.
    let text = if look.stream_ids.is_empty() {
        format!("{COLUMNS} where {CONDITIONS} {ORDER}")
    } else {
        format!("{COLUMNS} where {CONDITIONS} and e.stream_id = any ($8) {ORDER}")
    };
    let mut query = sqlx::query(sqlx::AssertSqlSafe(text))
        .bind(from.recorded_at)
        .bind(from.stream_id)
        .bind(from.version)
        .bind(since)
        .bind(correlations)
        .bind(&look.kinds)
        .bind(limit as i64);
    if !look.stream_ids.is_empty() {
        query = query.bind(&look.stream_ids);
    }
    query.fetch_all(conn).await?.iter().map(seen_event).collect()
}

fn seen_event(row: &PgRow) -> Result<SeenEvent, sqlx::Error> {
    Ok(SeenEvent {
        event: recorded_event(row)?,
        stream_kind: row.try_get("stream_kind")?,
        published_at: row.try_get("published_at")?,
    })
}
