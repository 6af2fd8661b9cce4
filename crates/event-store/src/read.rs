//! Reading the log.

use crate::{Metadata, RecordedEvent, Version};
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, PgExecutor, Row as _};
use uuid::Uuid;

/// The most rows one call of [`load`] or [`scan`] answers.
pub const LOAD_ROWS_MAX: usize = 1_000;
/// The most events [`load_all`] reads of one stream; the longest possible game is far below.
pub const STREAM_EVENTS_MAX: usize = 100_000;

/// The most events that [`load_many`] reads at once.
pub const LOAD_MANY_EVENTS_MAX: usize = 100_000;

const LOAD: &str = "select stream_id, version, event_id, type, schema, data, metadata, recorded_at
    from events where stream_id = $1 and version > $2 order by version limit $3";

/// Stream by stream, as [`LOAD`] reads one: of a table that has grown quickly the planner knows too little, and with a list of streams it may
/// read all of it.
const LOAD_MANY: &str = "select e.*
    from (select distinct unnest($1::uuid[]) as id) s
    cross join lateral (select stream_id, version, event_id, type, schema, data, metadata, recorded_at
                        from events where stream_id = s.id order by version limit $2) e
    order by e.stream_id, e.version limit $2";

const HEAD: &str = "select version from events where stream_id = $1 order by version desc limit 1";

const HEADS: &str = "select s.id, e.version from unnest($1::uuid[]) as s (id)
    cross join lateral (select version from events where stream_id = s.id order by version desc limit 1) e";

const SCAN: &str = "select stream_id, version, event_id, type, schema, data, metadata, recorded_at
    from events where stream_id >= $1 and (stream_id, version) > ($1, $2) order by stream_id, version limit $3";

/// A place in a [`scan`] of the whole log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanPosition {
    pub stream_id: Uuid,
    pub version: Version,
}

impl ScanPosition {
    /// Before the first event of the log.
    pub const START: Self = Self { stream_id: Uuid::nil(), version: 0 };

    /// Directly behind `event`.
    pub fn after(event: &RecordedEvent) -> Self {
        Self { stream_id: event.stream_id, version: event.version }
    }
}

/// The events of a stream with a version above `after`, at most `limit` and at most [`LOAD_ROWS_MAX`], in order.
pub async fn load(
    executor: impl PgExecutor<'_>,
    stream_id: Uuid,
    after: Version,
    limit: usize,
) -> Result<Vec<RecordedEvent>, sqlx::Error> {
    let rows =
        sqlx::query(LOAD).bind(stream_id).bind(after).bind(row_limit(limit)).fetch_all(executor).await?;
    rows.iter().map(recorded_event).collect()
}

/// All events of a stream, in order. More than [`STREAM_EVENTS_MAX`] is an error.
pub async fn load_all(conn: &mut PgConnection, stream_id: Uuid) -> Result<Vec<RecordedEvent>, sqlx::Error> {
    let mut events: Vec<RecordedEvent> = Vec::new();
    loop {
        let after = events.last().map_or(0, |event| event.version);
        let page = load(&mut *conn, stream_id, after, LOAD_ROWS_MAX).await?;
        let is_last = page.len() < LOAD_ROWS_MAX;
        events.extend(page);
        if events.len() > STREAM_EVENTS_MAX {
            return Err(sqlx::Error::Protocol(format!("a stream has more than {STREAM_EVENTS_MAX} events")));
        }
        if is_last {
            return Ok(events);
        }
    }
}

/// All events of several streams, stream after stream, each in order: for taking many short streams up at once. More than
/// [`LOAD_MANY_EVENTS_MAX`] is an error; a caller asks for fewer streams then.
pub async fn load_many(
    executor: impl PgExecutor<'_>,
    stream_ids: &[Uuid],
) -> Result<Vec<RecordedEvent>, sqlx::Error> {
    let limit = LOAD_MANY_EVENTS_MAX as i64 + 1;
    let rows = sqlx::query(LOAD_MANY).bind(stream_ids).bind(limit).fetch_all(executor).await?;
    if rows.len() > LOAD_MANY_EVENTS_MAX {
        let message = format!("the streams have more than {LOAD_MANY_EVENTS_MAX} events together");
        return Err(sqlx::Error::Protocol(message));
    }
    rows.iter().map(recorded_event).collect()
}

/// The version of a stream's last event, 0 if it has none.
pub async fn head(executor: impl PgExecutor<'_>, stream_id: Uuid) -> Result<Version, sqlx::Error> {
    Ok(sqlx::query_scalar(HEAD).bind(stream_id).fetch_optional(executor).await?.unwrap_or(0))
}

/// The versions of the last events of several streams; those without any are left out.
pub async fn heads(
    executor: impl PgExecutor<'_>,
    stream_ids: &[Uuid],
) -> Result<Vec<(Uuid, Version)>, sqlx::Error> {
    sqlx::query_as(HEADS).bind(stream_ids).fetch_all(executor).await
}

/// One page of the whole log, stream after stream in the order of their ids (for UUIDv7: of their creation), each stream
/// in the order of its versions. It is meant for rebuilding a projection side by side: events that are appended behind
/// the scan's place meanwhile are not seen, the live consumer brings them.
pub async fn scan(
    executor: impl PgExecutor<'_>,
    after: ScanPosition,
    limit: usize,
) -> Result<Vec<RecordedEvent>, sqlx::Error> {
    let rows = sqlx::query(SCAN)
        .bind(after.stream_id)
        .bind(after.version)
        .bind(row_limit(limit))
        .fetch_all(executor)
        .await?;
    rows.iter().map(recorded_event).collect()
}

fn row_limit(limit: usize) -> i64 {
    limit.min(LOAD_ROWS_MAX) as i64
}

pub(crate) fn recorded_event(row: &PgRow) -> Result<RecordedEvent, sqlx::Error> {
    let metadata: &[u8] = row.try_get("metadata")?;
    let metadata = Metadata::from_bytes(metadata).map_err(|error| sqlx::Error::ColumnDecode {
        index: "metadata".to_owned(),
        source: Box::new(error),
    })?;
    Ok(RecordedEvent {
        stream_id: row.try_get("stream_id")?,
        version: row.try_get("version")?,
        event_id: row.try_get("event_id")?,
        kind: row.try_get("type")?,
        schema: row.try_get("schema")?,
        data: row.try_get("data")?,
        metadata,
        recorded_at: row.try_get("recorded_at")?,
    })
}
