//! Messages that could not be handled, for an operator: list, retry, skip.
//!
//! All three work on the service's database alone. A retry is carried out by the running consumer, which owns the handler.

use event_store::Version;
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, PgExecutor, PgPool, Row as _};
use time::OffsetDateTime;
use uuid::Uuid;

/// The most letters of a page.
pub const PAGE_LETTERS_MAX: usize = 500;

const LIST: &str = "select consumer, stream_id, version, follows, event_id, subject, reason, error, attempts,
        retry_requested, parked_at
    from dead_letters
    where ($1::text is null or consumer = $1)
      and ($2::text is null or (consumer, stream_id, version) > ($2, $3, $4))
    order by consumer, stream_id, version limit $5";

const RETRY: &str = "update dead_letters set retry_requested = true, attempts = 0
    where consumer = $1 and stream_id = $2
      and version = (select min(version) from dead_letters where consumer = $1 and stream_id = $2)";

const FIRST_VERSION: &str = "select min(version) from dead_letters where consumer = $1 and stream_id = $2";

const FIRST: &str = "select version, event_id from dead_letters
    where consumer = $1 and stream_id = $2 order by version limit 1 for update";

const REMOVE: &str = "delete from dead_letters where consumer = $1 and stream_id = $2 and version = $3";

const PASS: &str = "insert into inbox (consumer, stream_id, version, event_id) values ($1, $2, $3, $4)
    on conflict (consumer, stream_id) do update
        set version = excluded.version, event_id = excluded.event_id, handled_at = clock_timestamp()
        where inbox.version < excluded.version";

/// Why a message is parked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It could not be handled, and waits for an operator.
    Fault,
    /// An earlier public event of its stream has not arrived.
    Gap,
    /// An earlier message of its stream is parked.
    Behind,
}

impl Reason {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fault => "fault",
            Self::Gap => "gap",
            Self::Behind => "behind",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        [Self::Fault, Self::Gap, Self::Behind].into_iter().find(|reason| reason.as_str() == text)
    }
}

/// Where a letter stands; also the place at which a page ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LetterPlace {
    pub consumer: String,
    pub stream_id: Uuid,
    pub version: Version,
}

/// A parked message, without its data.
#[derive(Debug, Clone, PartialEq)]
pub struct DeadLetter {
    pub place: LetterPlace,
    pub follows: Version,
    pub event_id: Uuid,
    pub subject: String,
    pub reason: Reason,
    /// The last error; empty for a message that merely waits.
    pub error: String,
    /// Tries since it was parked or its retry was asked for.
    pub attempts: i32,
    pub retry_requested: bool,
    pub parked_at: OffsetDateTime,
}

/// Why a message was not skipped.
#[derive(Debug, thiserror::Error)]
pub enum SkipError {
    #[error("no such message is parked")]
    NotParked,
    /// Skipping out of order would leave out the messages before it.
    #[error("version {first} of the stream is parked before it")]
    NotFirst { first: Version },
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// One page of the parked messages, of one consumer or of all, in the order of consumer, stream and version.
pub async fn list(
    executor: impl PgExecutor<'_>,
    consumer: Option<&str>,
    after: Option<&LetterPlace>,
    limit: usize,
) -> Result<Vec<DeadLetter>, sqlx::Error> {
    let rows = sqlx::query(LIST)
        .bind(consumer)
        .bind(after.map(|place| place.consumer.as_str()))
        .bind(after.map(|place| place.stream_id))
        .bind(after.map(|place| place.version))
        .bind(limit.min(PAGE_LETTERS_MAX) as i64)
        .fetch_all(executor)
        .await?;
    rows.iter().map(dead_letter).collect()
}

/// The version of a stream's first parked message, if one is parked.
pub async fn first(
    executor: impl PgExecutor<'_>,
    consumer: &str,
    stream_id: Uuid,
) -> Result<Option<Version>, sqlx::Error> {
    sqlx::query_scalar(FIRST_VERSION).bind(consumer).bind(stream_id).fetch_one(executor).await
}

/// Asks for another try of a stream's first parked message; those behind it follow by themselves. False if none is parked.
pub async fn retry(
    executor: impl PgExecutor<'_>,
    consumer: &str,
    stream_id: Uuid,
) -> Result<bool, sqlx::Error> {
    let result = sqlx::query(RETRY).bind(consumer).bind(stream_id).execute(executor).await?;
    Ok(result.rows_affected() > 0)
}

/// Counts a stream's first parked message as handled without its effects. The message has to be named in full, so that an
/// operator cannot skip more than has been looked at.
pub async fn skip(pool: &PgPool, place: &LetterPlace) -> Result<(), SkipError> {
    let mut tx = pool.begin().await?;
    skip_in(&mut tx, place).await?;
    tx.commit().await?;
    tracing::warn!(consumer = place.consumer, stream_id = %place.stream_id, version = place.version, "event skipped");
    Ok(())
}

pub(crate) async fn skip_in(conn: &mut PgConnection, place: &LetterPlace) -> Result<(), SkipError> {
    let first =
        sqlx::query(FIRST).bind(&place.consumer).bind(place.stream_id).fetch_optional(&mut *conn).await?;
    let Some(row) = first else { return Err(SkipError::NotParked) };
    let first: Version = row.try_get("version")?;
    if place.version > first {
        return Err(SkipError::NotFirst { first });
    }
    if place.version < first {
        return Err(SkipError::NotParked);
    }
    let event_id: Uuid = row.try_get("event_id")?;
    for statement in [
        sqlx::query(PASS).bind(&place.consumer).bind(place.stream_id).bind(place.version).bind(event_id),
        sqlx::query(REMOVE).bind(&place.consumer).bind(place.stream_id).bind(place.version),
    ] {
        statement.execute(&mut *conn).await?;
    }
    Ok(())
}

fn dead_letter(row: &PgRow) -> Result<DeadLetter, sqlx::Error> {
    let reason: &str = row.try_get("reason")?;
    let reason = Reason::parse(reason).ok_or_else(|| sqlx::Error::ColumnDecode {
        index: "reason".to_owned(),
        source: "not a reason".into(),
    })?;
    Ok(DeadLetter {
        place: LetterPlace {
            consumer: row.try_get("consumer")?,
            stream_id: row.try_get("stream_id")?,
            version: row.try_get("version")?,
        },
        follows: row.try_get("follows")?,
        event_id: row.try_get("event_id")?,
        subject: row.try_get("subject")?,
        reason,
        error: row.try_get("error")?,
        attempts: row.try_get("attempts")?,
        retry_requested: row.try_get("retry_requested")?,
        parked_at: row.try_get("parked_at")?,
    })
}
