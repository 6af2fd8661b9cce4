//! The outbox table as the relay uses it.

use super::OUTBOX_RETENTION_DAYS;
use crate::{Message, telemetry};
use event_store::Metadata;
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, Row as _};
use time::OffsetDateTime;

const UNPUBLISHED: &str = "select o.position, o.generation, o.stream_kind, o.stream_id, o.version, o.follows,
        e.event_id, e.type, e.schema, e.data, e.metadata, e.recorded_at
    from outbox o join events e on e.stream_id = o.stream_id and e.version = o.version
    where o.published_at is null order by o.position limit $1";

// The generation: a row that was put back while its message was on the way stays unpublished.
const MARK: &str = "update outbox o set published_at = clock_timestamp()
    from unnest($1::bigint[], $2::smallint[]) as p (position, generation)
    where o.position = p.position and o.generation = p.generation and o.published_at is null";

const FORGET: &str = "delete from outbox where (stream_id, version) in (
        select stream_id, version from outbox
        where published_at < now() - make_interval(days => $1) limit $2)";

const DEPTH: &str =
    "select count(*) from (select from outbox where published_at is null limit $1) as waiting";

const OLDEST: &str = "select e.recorded_at
    from outbox o join events e on e.stream_id = o.stream_id and e.version = o.version
    where o.published_at is null order by o.position limit 1";

/// Rows deleted by one statement, and how many statements one housekeeping runs.
const FORGET_ROWS: i64 = 5_000;
const FORGET_ROUNDS_MAX: usize = 200;

/// An outbox row with its event, ready to go out.
pub(super) struct Entry {
    pub(super) mark: Mark,
    pub(super) message: Message,
}

/// Names an outbox row in the state in which it was read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    position: i64,
    pub(super) generation: i16,
}

/// Lets the server find out soon that this client is gone, so that its lock is free for the next leader.
pub(super) async fn tune_session(conn: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query(
        "select set_config('tcp_keepalives_idle', '5', false), set_config('tcp_keepalives_interval', '2', false),
                set_config('tcp_keepalives_count', '3', false)",
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub(super) async fn try_lead(conn: &mut PgConnection, service: &str) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar("select pg_try_advisory_lock(hashtextextended('stakemate.outbox.' || $1, 0))")
        .bind(service)
        .fetch_one(conn)
        .await
}

/// The oldest rows without a published mark. Not "after the last position": positions are drawn before the commit, so a
/// lower one may appear later.
pub(super) async fn unpublished(
    conn: &mut PgConnection,
    service: &str,
    rows_max: i64,
) -> Result<Vec<Entry>, sqlx::Error> {
    let rows = sqlx::query(UNPUBLISHED).bind(rows_max).fetch_all(conn).await?;
    rows.iter().map(|row| entry(row, service)).collect()
}

pub(super) async fn mark(conn: &mut PgConnection, marks: &[Mark]) -> Result<(), sqlx::Error> {
    if marks.is_empty() {
        return Ok(());
    }
    let positions: Vec<i64> = marks.iter().map(|mark| mark.position).collect();
    let generations: Vec<i16> = marks.iter().map(|mark| mark.generation).collect();
    sqlx::query(MARK).bind(positions).bind(generations).execute(conn).await?;
    Ok(())
}

/// Deletes published rows that are older than a republication reaches.
pub(super) async fn forget_old(conn: &mut PgConnection) -> Result<(), sqlx::Error> {
    for _ in 0..FORGET_ROUNDS_MAX {
        let rows = sqlx::query(FORGET)
            .bind(OUTBOX_RETENTION_DAYS)
            .bind(FORGET_ROWS)
            .execute(&mut *conn)
            .await?
            .rows_affected();
        if rows < FORGET_ROWS as u64 {
            break;
        }
    }
    Ok(())
}

pub(super) async fn measure(conn: &mut PgConnection, service: &'static str) -> Result<(), sqlx::Error> {
    let depth: i64 =
        sqlx::query_scalar(DEPTH).bind(telemetry::OUTBOX_DEPTH_COUNTED_MAX).fetch_one(&mut *conn).await?;
    let oldest: Option<OffsetDateTime> = sqlx::query_scalar(OLDEST).fetch_optional(conn).await?;
    let age_seconds =
        oldest.map_or(0.0, |oldest| (OffsetDateTime::now_utc() - oldest).as_seconds_f64().max(0.0));
    metrics::gauge!(telemetry::OUTBOX_DEPTH, "service" => service).set(depth as f64);
    metrics::gauge!(telemetry::OUTBOX_AGE_SECONDS, "service" => service).set(age_seconds);
    Ok(())
}

fn entry(row: &PgRow, service: &str) -> Result<Entry, sqlx::Error> {
    let metadata: &[u8] = row.try_get("metadata")?;
    let metadata = Metadata::from_bytes(metadata).map_err(|error| sqlx::Error::ColumnDecode {
        index: "metadata".to_owned(),
        source: Box::new(error),
    })?;
    let message = Message {
        service: service.to_owned(),
        stream_kind: row.try_get("stream_kind")?,
        stream_id: row.try_get("stream_id")?,
        version: row.try_get("version")?,
        follows: row.try_get("follows")?,
        event_id: row.try_get("event_id")?,
        kind: row.try_get("type")?,
        schema: row.try_get("schema")?,
        data: row.try_get("data")?,
        metadata,
        recorded_at: row.try_get("recorded_at")?,
    };
    let mark = Mark { position: row.try_get("position")?, generation: row.try_get("generation")? };
    Ok(Entry { mark, message })
}
