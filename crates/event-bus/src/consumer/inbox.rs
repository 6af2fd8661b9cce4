//! The inbox and the dead letters as a consumer uses them.

use crate::Message;
use crate::dead_letters::Reason;
use crate::message::Place;
use event_store::{Metadata, Version};
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, PgExecutor, Row as _};
use uuid::Uuid;

const STATE: &str = "select
        coalesce((select version from inbox where consumer = $1 and stream_id = $2), 0) as last,
        exists (select from dead_letters where consumer = $1 and stream_id = $2 and version < $3) as is_blocked";

// The condition is the last guard against two processes that handle one stream at once: the second one's row does not
// come back, and its effects are undone.
const ADVANCE: &str = "insert into inbox (consumer, stream_id, version, event_id) values ($1, $2, $3, $4)
    on conflict (consumer, stream_id) do update
        set version = excluded.version, event_id = excluded.event_id, handled_at = clock_timestamp()
        where inbox.version = $5";

const STATES: &str = "select coalesce(i.version, 0) as last,
        exists (select from dead_letters d
                where d.consumer = $1 and d.stream_id = m.stream_id and d.version < m.version) as is_blocked
    from unnest($2::uuid[], $3::bigint[]) with ordinality as m (stream_id, version, place)
    left join inbox i on i.consumer = $1 and i.stream_id = m.stream_id
    order by m.place";

// As ADVANCE, for many streams, in one order of the rows for everybody.
const ADVANCE_MANY: &str = "insert into inbox as i (consumer, stream_id, version, event_id)
    select $1, m.stream_id, m.version, m.event_id
    from unnest($2::uuid[], $3::bigint[], $4::uuid[]) as m (stream_id, version, event_id)
    order by m.stream_id
    on conflict (consumer, stream_id) do update
        set version = excluded.version, event_id = excluded.event_id, handled_at = clock_timestamp()
        where i.version = (select w.last from unnest($2::uuid[], $5::bigint[]) as w (stream_id, last)
                           where w.stream_id = excluded.stream_id)";

const PARK: &str =
    "insert into dead_letters (consumer, stream_id, version, follows, event_id, subject, schema, data,
        metadata, recorded_at, reason, error, attempts)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
    on conflict (consumer, stream_id, version) do nothing";

const READY: &str = "select first.stream_id
    from (select distinct on (stream_id) stream_id, follows, reason, retry_requested
          from dead_letters where consumer = $1 order by stream_id, version) as first
    where (first.reason <> 'fault' or first.retry_requested)
      and first.follows <= coalesce(
          (select i.version from inbox i where i.consumer = $1 and i.stream_id = first.stream_id), 0)
    limit $2";

const FIRST: &str =
    "select stream_id, version, follows, event_id, subject, schema, data, metadata, recorded_at,
        reason, attempts, retry_requested
    from dead_letters where consumer = $1 and stream_id = $2 order by version limit 1 for update";

const REMOVE: &str = "delete from dead_letters where consumer = $1 and stream_id = $2 and version = $3";

const FAILED: &str = "update dead_letters
    set attempts = attempts + 1, error = $4,
        reason = case when $5 then 'fault' else reason end,
        retry_requested = retry_requested and not $5
    where consumer = $1 and stream_id = $2 and version = $3";

/// The most characters of an error that are kept with a letter.
const ERROR_CHARS_MAX: usize = 2_000;

/// What is to be done with a message, by what its consumer has handled of the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Admission {
    /// It is next. `last` is the version handled last.
    Next { last: Version },
    /// It was handled before.
    Duplicate,
    /// Its predecessor was not handled yet.
    Gap { last: Version },
    /// An earlier message of its stream is parked.
    Blocked,
}

/// A parked message.
pub(super) struct Letter {
    pub(super) message: Message,
    pub(super) reason: Reason,
    pub(super) attempts: i32,
    pub(super) retry_requested: bool,
}

/// Why a message is parked.
pub(super) struct Parking<'a> {
    pub(super) reason: Reason,
    pub(super) error: &'a str,
    pub(super) attempts: u32,
}

/// Whether a failed letter is tried again by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    TryAgain,
    WaitForOperator,
}

pub(super) async fn admit(
    conn: &mut PgConnection,
    consumer: &str,
    message: &Message,
) -> Result<Admission, sqlx::Error> {
    let row = sqlx::query(STATE)
        .bind(consumer)
        .bind(message.stream_id)
        .bind(message.version)
        .fetch_one(conn)
        .await?;
    admission(message, &row)
}

fn admission(message: &Message, row: &PgRow) -> Result<Admission, sqlx::Error> {
    let last: Version = row.try_get("last")?;
    Ok(if message.version <= last {
        Admission::Duplicate
    } else if row.try_get("is_blocked")? {
        Admission::Blocked
    } else if message.follows > last {
        Admission::Gap { last }
    } else {
        Admission::Next { last }
    })
}

/// Moves the inbox on to `message`; false if another process was faster.
pub(super) async fn advance(
    conn: &mut PgConnection,
    consumer: &str,
    message: &Message,
    last: Version,
) -> Result<bool, sqlx::Error> {
    let result = sqlx::query(ADVANCE)
        .bind(consumer)
        .bind(message.stream_id)
        .bind(message.version)
        .bind(message.event_id)
        .bind(last)
        .execute(conn)
        .await?;
    Ok(result.rows_affected() == 1)
}

/// As [`admit`], for messages of different streams.
pub(super) async fn admit_many(
    conn: &mut PgConnection,
    consumer: &str,
    messages: &[&Message],
) -> Result<Vec<Admission>, sqlx::Error> {
    let streams: Vec<Uuid> = messages.iter().map(|message| message.stream_id).collect();
    let versions: Vec<Version> = messages.iter().map(|message| message.version).collect();
    let rows = sqlx::query(STATES).bind(consumer).bind(streams).bind(versions).fetch_all(conn).await?;
    messages.iter().zip(&rows).map(|(message, row)| admission(message, row)).collect()
}

/// As [`advance`], for messages of different streams, each with the version handled before it; false, and none of it to be
/// kept, if another process was faster with any of them.
pub(super) async fn advance_many(
    conn: &mut PgConnection,
    consumer: &str,
    handled: &[(&Message, Version)],
) -> Result<bool, sqlx::Error> {
    let streams: Vec<Uuid> = handled.iter().map(|(message, _)| message.stream_id).collect();
    let versions: Vec<Version> = handled.iter().map(|(message, _)| message.version).collect();
    let events: Vec<Uuid> = handled.iter().map(|(message, _)| message.event_id).collect();
    let lasts: Vec<Version> = handled.iter().map(|(_, last)| *last).collect();
    let result = sqlx::query(ADVANCE_MANY)
        .bind(consumer)
        .bind(streams)
        .bind(versions)
        .bind(events)
        .bind(lasts)
        .execute(conn)
        .await?;
    Ok(result.rows_affected() == handled.len() as u64)
}

pub(super) async fn park(
    executor: impl PgExecutor<'_>,
    consumer: &str,
    message: &Message,
    parking: &Parking<'_>,
) -> Result<(), sqlx::Error> {
    sqlx::query(PARK)
        .bind(consumer)
        .bind(message.stream_id)
        .bind(message.version)
        .bind(message.follows)
        .bind(message.event_id)
        .bind(message.subject())
        .bind(message.schema)
        .bind(&message.data)
        .bind(message.metadata.to_bytes())
        .bind(message.recorded_at)
        .bind(parking.reason.as_str())
        .bind(clipped(parking.error))
        .bind(parking.attempts as i32)
        .execute(executor)
        .await?;
    Ok(())
}

/// Streams whose first parked message can be handled now.
pub(super) async fn ready_streams(
    executor: impl PgExecutor<'_>,
    consumer: &str,
    streams_max: i64,
) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar(READY).bind(consumer).bind(streams_max).fetch_all(executor).await
}

/// A stream's first parked message, locked until the transaction ends.
pub(super) async fn first_letter(
    conn: &mut PgConnection,
    consumer: &str,
    stream_id: Uuid,
) -> Result<Option<Letter>, sqlx::Error> {
    let row = sqlx::query(FIRST).bind(consumer).bind(stream_id).fetch_optional(conn).await?;
    row.as_ref().map(letter).transpose()
}

pub(super) async fn remove_letter(
    conn: &mut PgConnection,
    consumer: &str,
    message: &Message,
) -> Result<(), sqlx::Error> {
    sqlx::query(REMOVE).bind(consumer).bind(message.stream_id).bind(message.version).execute(conn).await?;
    Ok(())
}

/// Notes another failure of a letter.
pub(super) async fn letter_failed(
    executor: impl PgExecutor<'_>,
    consumer: &str,
    message: &Message,
    error: &str,
    verdict: Verdict,
) -> Result<(), sqlx::Error> {
    sqlx::query(FAILED)
        .bind(consumer)
        .bind(message.stream_id)
        .bind(message.version)
        .bind(clipped(error))
        .bind(verdict == Verdict::WaitForOperator)
        .execute(executor)
        .await?;
    Ok(())
}

/// Postgres text holds no NUL.
fn clipped(error: &str) -> String {
    error.chars().filter(|character| *character != '\0').take(ERROR_CHARS_MAX).collect()
}

fn letter(row: &PgRow) -> Result<Letter, sqlx::Error> {
    let damaged = |index: &str, source: Box<dyn std::error::Error + Send + Sync>| sqlx::Error::ColumnDecode {
        index: index.to_owned(),
        source,
    };
    let subject: String = row.try_get("subject")?;
    let place =
        Place::parse(&subject).ok_or_else(|| damaged("subject", "not the subject of an event".into()))?;
    let metadata: &[u8] = row.try_get("metadata")?;
    let reason: &str = row.try_get("reason")?;
    let message = Message {
        service: place.service.to_owned(),
        stream_kind: place.stream_kind.to_owned(),
        stream_id: row.try_get("stream_id")?,
        version: row.try_get("version")?,
        follows: row.try_get("follows")?,
        event_id: row.try_get("event_id")?,
        kind: place.event.to_owned(),
        schema: row.try_get("schema")?,
        data: row.try_get("data")?,
        metadata: Metadata::from_bytes(metadata).map_err(|error| damaged("metadata", Box::new(error)))?,
        recorded_at: row.try_get("recorded_at")?,
    };
    Ok(Letter {
        message,
        reason: Reason::parse(reason).ok_or_else(|| damaged("reason", "not a reason".into()))?,
        attempts: row.try_get("attempts")?,
        retry_requested: row.try_get("retry_requested")?,
    })
}
