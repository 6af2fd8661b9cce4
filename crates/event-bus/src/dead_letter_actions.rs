//! What somebody does about a parked message, kept with his name and his reason (BUS-10).

use crate::dead_letters::{self, LetterPlace, SkipError};
use event_store::Version;
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, PgExecutor, PgPool, Row as _};
use time::OffsetDateTime;
use uuid::Uuid;

/// The most actions of a page.
pub const PAGE_ACTIONS_MAX: usize = 500;

const FIRST: &str = "select version, subject, error from dead_letters
    where consumer = $1 and stream_id = $2 order by version limit 1 for update";

const INSERT: &str = "insert into dead_letter_actions
        (actor, request_id, kind, consumer, stream_id, version, subject, error, reason)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

const FORMER: &str = "select kind, consumer, stream_id, version, reason from dead_letter_actions
    where actor = $1 and request_id = $2";

const LIST: &str =
    "select actor, request_id, kind, consumer, stream_id, version, subject, error, reason, acted_at
    from dead_letter_actions
    where $1::timestamptz is null or (acted_at, request_id) < ($1, $2)
    order by acted_at desc, request_id desc limit $3";

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionKind {
    /// Another try is asked for.
    Retry,
    /// The message is left out.
    Skip,
}

impl ActionKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Skip => "skip",
        }
    }
}

/// What is to be done, about which message, by whom and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// Chosen by the actor; the same again changes nothing.
    pub request_id: Uuid,
    pub kind: ActionKind,
    /// The message, which has to be the first of its stream that is parked.
    pub place: LetterPlace,
    pub actor: String,
    pub reason: String,
}

/// An action that was carried out.
#[derive(Debug, Clone, PartialEq)]
pub struct DoneAction {
    pub action: Action,
    /// The message's subject.
    pub subject: String,
    /// The error that it stood with.
    pub error: String,
    pub acted_at: OffsetDateTime,
}

/// Why an action was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum ActError {
    #[error("no such message is parked")]
    NotParked,
    #[error("version {first} of the stream is parked before it")]
    NotFirst { first: Version },
    /// The actor has used the request id for something else.
    #[error("the request id was used for something else")]
    RequestReused,
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// Retries or skips a stream's first parked message, and notes who did it and why. The same request again changes nothing.
pub async fn act(pool: &PgPool, action: &Action) -> Result<(), ActError> {
    let mut tx = pool.begin().await?;
    let place = &action.place;
    let first =
        sqlx::query(FIRST).bind(&place.consumer).bind(place.stream_id).fetch_optional(&mut *tx).await?;
    // Behind the lock, so that of two that come at once the second finds the first.
    if let Some(former) = former(&mut tx, action).await? {
        return if former { Ok(()) } else { Err(ActError::RequestReused) };
    }
    let Some(row) = first else { return Err(ActError::NotParked) };
    let first: Version = row.try_get("version")?;
    match place.version {
        version if version > first => return Err(ActError::NotFirst { first }),
        version if version < first => return Err(ActError::NotParked),
        _ => {}
    }
    note(&mut tx, action, &row).await?;
    match action.kind {
        ActionKind::Retry => {
            dead_letters::retry(&mut *tx, &place.consumer, place.stream_id).await?;
        }
        ActionKind::Skip => dead_letters::skip_in(&mut tx, place).await.map_err(of_skip)?,
    }
    tx.commit().await?;
    let (kind, version) = (action.kind.as_str(), place.version);
    tracing::warn!(kind, consumer = place.consumer, stream_id = %place.stream_id, version, actor = action.actor,
        reason = action.reason, "an operator acted on a dead letter");
    Ok(())
}

/// One page of what was done, the newest first; `after` is the place of the former page's last.
pub async fn list(
    executor: impl PgExecutor<'_>,
    after: Option<(OffsetDateTime, Uuid)>,
    limit: usize,
) -> Result<Vec<DoneAction>, sqlx::Error> {
    let rows = sqlx::query(LIST)
        .bind(after.map(|place| place.0))
        .bind(after.map(|place| place.1))
        .bind(limit.min(PAGE_ACTIONS_MAX) as i64)
        .fetch_all(executor)
        .await?;
    rows.iter().map(done_action).collect()
}

/// Whether the actor's request was carried out before, as the very same action.
async fn former(conn: &mut PgConnection, action: &Action) -> Result<Option<bool>, sqlx::Error> {
    let row = sqlx::query(FORMER).bind(&action.actor).bind(action.request_id).fetch_optional(conn).await?;
    let Some(row) = row else { return Ok(None) };
    let place = place_of(&row)?;
    let (kind, reason): (&str, &str) = (row.try_get("kind")?, row.try_get("reason")?);
    Ok(Some(place == action.place && kind == action.kind.as_str() && reason == action.reason))
}

async fn note(conn: &mut PgConnection, action: &Action, letter: &PgRow) -> Result<(), sqlx::Error> {
    sqlx::query(INSERT)
        .bind(&action.actor)
        .bind(action.request_id)
        .bind(action.kind.as_str())
        .bind(&action.place.consumer)
        .bind(action.place.stream_id)
        .bind(action.place.version)
        .bind(letter.try_get::<&str, _>("subject")?)
        .bind(letter.try_get::<&str, _>("error")?)
        .bind(&action.reason)
        .execute(conn)
        .await?;
    Ok(())
}

fn of_skip(error: SkipError) -> ActError {
    match error {
        SkipError::NotParked => ActError::NotParked,
        SkipError::NotFirst { first } => ActError::NotFirst { first },
        SkipError::Database(error) => ActError::Database(error),
    }
}

fn place_of(row: &PgRow) -> Result<LetterPlace, sqlx::Error> {
    Ok(LetterPlace {
        consumer: row.try_get("consumer")?,
        stream_id: row.try_get("stream_id")?,
        version: row.try_get("version")?,
    })
}

fn done_action(row: &PgRow) -> Result<DoneAction, sqlx::Error> {
    let kind = match row.try_get::<&str, _>("kind")? {
        "skip" => ActionKind::Skip,
        // The table takes no third word.
        _ => ActionKind::Retry,
    };
    Ok(DoneAction {
        action: Action {
            request_id: row.try_get("request_id")?,
            kind,
            place: place_of(row)?,
            actor: row.try_get("actor")?,
            reason: row.try_get("reason")?,
        },
        subject: row.try_get("subject")?,
        error: row.try_get("error")?,
        acted_at: row.try_get("acted_at")?,
    })
}
