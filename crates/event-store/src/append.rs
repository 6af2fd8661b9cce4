//! Writing appends: the statement, and its use inside a caller's transaction.

use crate::fault::{self, Fault};
use crate::fence::Grant;
use crate::{Append, InvalidAppend, Publication, Version, head};
use sqlx::postgres::PgArguments;
use sqlx::query::QueryScalar;
use sqlx::{PgConnection, PgExecutor, Postgres};
use std::collections::HashSet;
use std::sync::Arc;
use uuid::Uuid;

const APPEND: &str = include_str!("sql/append.sql");
const APPEND_SINGLE: &str = include_str!("sql/append_single.sql");
const STANDING: &str = include_str!("sql/standing.sql");

/// Why an append was not written, or why that is not known.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AppendError {
    /// Somebody else was first. Load again and decide again.
    #[error("the stream stands at version {actual}, not at {expected}")]
    Conflict { expected: Version, actual: Version },
    /// The right to write to this stream has passed to somebody else; nothing was written.
    #[error("the right to write to this stream has passed to somebody else")]
    Fenced,
    #[error("invalid append: {0}")]
    Invalid(#[from] InvalidAppend),
    /// The queue of the writers is full; nothing was written.
    #[error("too many appends are waiting")]
    Overloaded,
    /// The process is stopping; nothing was written.
    #[error("the writers have stopped")]
    Stopped,
    /// The database did not do it, or did not say so: see [`AppendError::may_have_landed`].
    #[error("the event store is unavailable")]
    Unavailable(#[source] Arc<sqlx::Error>),
}

impl AppendError {
    /// Whether the events may be in the log in spite of this error. Then the caller's state is void: it has to load the
    /// stream again before it decides anything. With [`append_in`] nothing is in the log before the caller's commit.
    pub fn may_have_landed(&self) -> bool {
        match self {
            Self::Unavailable(error) => fault::classify(error) == Fault::Unknown,
            Self::Conflict { .. } | Self::Fenced | Self::Invalid(_) | Self::Overloaded | Self::Stopped => {
                false
            }
        }
    }
}

impl From<sqlx::Error> for AppendError {
    fn from(error: sqlx::Error) -> Self {
        Self::Unavailable(Arc::new(error))
    }
}

/// Writes the events and their outbox rows inside the caller's transaction and answers the stream's new version. After an
/// error other than a refusal the transaction is lost. The caller calls [`crate::CommitSignal::committed`] after its commit.
///
/// A repeat is a conflict here, not a success: the caller's other changes would otherwise be made twice.
pub async fn append_in(conn: &mut PgConnection, append: &Append) -> Result<Version, AppendError> {
    append.validate()?;
    let metadata = append.metadata.to_bytes();
    let row = (append, metadata.as_slice(), None);
    let written = insert(&mut *conn, &Columns::of([row].into_iter())).await?;
    if written.contains(&append.stream.id) {
        return Ok(append.last_version());
    }
    let actual = head(conn, append.stream.id).await?;
    Err(AppendError::Conflict { expected: append.expected, actual })
}

/// Writes several appends of different streams with one statement inside the caller's transaction: all of them, or, on an
/// error, none that the caller may keep. For use cases that do the same for many streams at once.
pub async fn append_all_in(conn: &mut PgConnection, appends: &[Append]) -> Result<(), AppendError> {
    if appends.is_empty() {
        return Ok(());
    }
    let mut metadata = Vec::with_capacity(appends.len());
    for append in appends {
        append.validate()?;
        metadata.push(append.metadata.to_bytes());
    }
    let rows = appends.iter().zip(&metadata).map(|(append, metadata)| (append, metadata.as_slice(), None));
    let written = insert(&mut *conn, &Columns::of(rows)).await?;
    for append in appends {
        if !written.contains(&append.stream.id) {
            let actual = head(conn, append.stream.id).await?;
            return Err(AppendError::Conflict { expected: append.expected, actual });
        }
    }
    Ok(())
}

/// The rows of a batch, column by column as `unnest` takes them. A batch holds at most one append of a stream.
#[derive(Default)]
pub(crate) struct Columns<'a> {
    stream_ids: Vec<Uuid>,
    versions: Vec<Version>,
    event_ids: Vec<Option<Uuid>>,
    kinds: Vec<&'a str>,
    schemas: Vec<i16>,
    data: Vec<&'a [u8]>,
    metadata: Vec<&'a [u8]>,
    follows: Vec<Option<Version>>,
    stream_kinds: Vec<&'a str>,
    leads: Vec<bool>,
    fences: Vec<Option<i32>>,
    epochs: Vec<Option<i64>>,
}

impl<'a> Columns<'a> {
    /// Takes valid appends with their encoded metadata and the grants that they are written under.
    pub(crate) fn of(appends: impl Iterator<Item = (&'a Append, &'a [u8], Option<Grant>)>) -> Self {
        let mut columns = Self::default();
        for (append, metadata, grant) in appends {
            for (version, event) in (append.expected + 1..).zip(&append.events) {
                columns.stream_ids.push(append.stream.id);
                columns.versions.push(version);
                columns.event_ids.push(event.event_id);
                columns.kinds.push(event.kind);
                columns.schemas.push(event.schema);
                columns.data.push(&event.data);
                columns.metadata.push(metadata);
                columns.follows.push(match event.publication {
                    Publication::Private => None,
                    Publication::Public { follows } => Some(follows),
                });
                columns.stream_kinds.push(append.stream.kind);
                columns.leads.push(version == append.expected + 1);
                columns.fences.push(grant.map(|grant| grant.fence));
                columns.epochs.push(grant.map(|grant| grant.epoch));
            }
        }
        columns
    }

    fn are_single_and_private(&self) -> bool {
        self.leads.iter().all(|leads| *leads) && self.follows.iter().all(Option::is_none)
    }

    /// Binds what all the statements begin with.
    fn bind_events<'q>(&'q self, query: Scalar<'q>) -> Scalar<'q> {
        query
            .bind(&self.stream_ids)
            .bind(&self.versions)
            .bind(&self.event_ids)
            .bind(&self.kinds)
            .bind(&self.schemas)
            .bind(&self.data)
            .bind(&self.metadata)
    }
}

/// A statement that answers stream ids.
type Scalar<'q> = QueryScalar<'q, Postgres, Uuid, PgArguments>;

/// Runs the statement and answers the streams whose append was written.
pub(crate) async fn insert(
    executor: impl PgExecutor<'_>,
    columns: &Columns<'_>,
) -> Result<HashSet<Uuid>, sqlx::Error> {
    let query = if columns.are_single_and_private() {
        columns.bind_events(sqlx::query_scalar(APPEND_SINGLE)).bind(&columns.fences).bind(&columns.epochs)
    } else {
        columns
            .bind_events(sqlx::query_scalar(APPEND))
            .bind(&columns.follows)
            .bind(&columns.stream_kinds)
            .bind(&columns.leads)
            .bind(&columns.fences)
            .bind(&columns.epochs)
    };
    let written: Vec<Uuid> = query.fetch_all(executor).await?;
    Ok(written.into_iter().collect())
}

/// Where the stream of an append that was not written stands.
#[derive(sqlx::FromRow)]
pub(crate) struct Standing {
    pub(crate) stream_id: Uuid,
    pub(crate) actual: Version,
    /// Whether all the events of the append stand at their places, byte for byte.
    pub(crate) stands: bool,
    /// The present epoch of the fence that the stream lies behind, if it lies behind one.
    pub(crate) epoch: Option<i64>,
}

/// Looks what became of the appends that [`insert`] did not write.
pub(crate) async fn standing(
    executor: impl PgExecutor<'_>,
    refused: &Columns<'_>,
) -> Result<Vec<Standing>, sqlx::Error> {
    sqlx::query_as(STANDING)
        .bind(&refused.stream_ids)
        .bind(&refused.versions)
        .bind(&refused.event_ids)
        .bind(&refused.kinds)
        .bind(&refused.schemas)
        .bind(&refused.data)
        .bind(&refused.metadata)
        .bind(&refused.fences)
        .fetch_all(executor)
        .await
}
