//! The steps of an analysis, each one transaction of its log, its job and its report.

use event_store::{Append, AppendError, Metadata, NewEvent, Publication, StreamId, Version, append_in};
use prost::Message as _;
use proto::fairplay::v1::GameReport;
use sqlx::{PgConnection, PgExecutor, PgPool};
use uuid::Uuid;

use super::analysis_log::{ANALYSIS_STREAM, AnalysisLog, encode_parked, encode_queued, encode_ready};
use super::jobs::{self, Claim, End, NewJob};
use super::{Encoded, ReadError, SCHEMA};
use crate::SERVICE;
use crate::app::analysis::FinishedGame;

/// Whether the end of a job was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finished {
    /// It was.
    Written,
    /// Somebody else has the job; nothing was written.
    ClaimLost,
}

/// Why a step was not written, or why that is not known. The job then waits until its claim runs out.
#[derive(Debug, thiserror::Error)]
pub enum FinishError {
    /// The log cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The event was not written.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// Postgres did not do it.
    #[error("the analyses are unavailable")]
    Unavailable(#[from] sqlx::Error),
}

/// How far an analysis is.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// It waits.
    Queued,
    /// An engine is at work.
    Running,
    /// It is complete.
    Ready(Box<GameReport>),
    /// It was given up.
    Parked,
}

/// An analysis, and whom it concerns.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// Who had White.
    pub white_id: Uuid,
    /// Who had Black.
    pub black_id: Uuid,
    /// How far it is.
    pub progress: Progress,
}

/// Queues a game inside the caller's transaction; does nothing if it was queued before.
///
/// # Errors
/// As [`append_in`].
pub async fn queue_in(
    conn: &mut PgConnection,
    game: &FinishedGame,
    metadata: Metadata,
) -> Result<(), AppendError> {
    let job = NewJob { game_id: game.game_id, white_id: game.white_id, black_id: game.black_id };
    if jobs::insert(&mut *conn, job).await? {
        append(conn, game.game_id, 0, encode_queued(game), metadata).await?;
    }
    Ok(())
}

/// Writes the report, its event and the end of the job.
///
/// # Errors
/// See [`FinishError`].
pub async fn complete(
    pool: &PgPool,
    claim: &Claim,
    log: &AnalysisLog,
    report: GameReport,
) -> Result<Finished, FinishError> {
    let mut tx = pool.begin().await?;
    if !jobs::end(&mut tx, claim, End::Ready).await? {
        tx.rollback().await?;
        return Ok(Finished::ClaimLost);
    }
    sqlx::query("insert into reports (game_id, report) values ($1, $2)")
        .bind(claim.game_id)
        .bind(report.encode_to_vec())
        .execute(&mut *tx)
        .await?;
    let metadata = Metadata::caused_by(&log.queued, SERVICE);
    append(&mut tx, claim.game_id, log.version, encode_ready(report), metadata).await?;
    tx.commit().await?;
    Ok(Finished::Written)
}

/// Gives a job up, for a person to look at.
///
/// # Errors
/// See [`FinishError`].
pub async fn park(
    pool: &PgPool,
    claim: &Claim,
    log: &AnalysisLog,
    cause: &str,
) -> Result<Finished, FinishError> {
    let mut tx = pool.begin().await?;
    if !jobs::end(&mut tx, claim, End::Parked { cause }).await? {
        tx.rollback().await?;
        return Ok(Finished::ClaimLost);
    }
    let metadata = Metadata::caused_by(&log.queued, SERVICE);
    append(&mut tx, claim.game_id, log.version, encode_parked(claim.game_id, cause), metadata).await?;
    tx.commit().await?;
    Ok(Finished::Written)
}

/// The analysis of a game, if there is one.
///
/// # Errors
/// When Postgres does not answer, or what it holds is damaged.
pub async fn find(executor: impl PgExecutor<'_>, game_id: Uuid) -> Result<Option<Standing>, sqlx::Error> {
    let row: Option<Row> = sqlx::query_as(include_str!("queries/find_analysis.sql"))
        .bind(game_id)
        .fetch_optional(executor)
        .await?;
    row.map(|row| {
        let progress = match (row.status.as_str(), row.report) {
            ("ready", Some(report)) => Progress::Ready(Box::new(decode_report(&report)?)),
            ("running", _) => Progress::Running,
            ("parked", _) => Progress::Parked,
            _ => Progress::Queued,
        };
        Ok(Standing { white_id: row.white_player_id, black_id: row.black_player_id, progress })
    })
    .transpose()
}

#[derive(sqlx::FromRow)]
struct Row {
    status: String,
    white_player_id: Uuid,
    black_player_id: Uuid,
    report: Option<Vec<u8>>,
}

fn decode_report(bytes: &[u8]) -> Result<GameReport, sqlx::Error> {
    GameReport::decode(bytes)
        .map_err(|error| sqlx::Error::ColumnDecode { index: "report".to_owned(), source: Box::new(error) })
}

async fn append(
    conn: &mut PgConnection,
    game_id: Uuid,
    expected: Version,
    Encoded { kind, data }: Encoded,
    metadata: Metadata,
) -> Result<(), AppendError> {
    let append = Append {
        stream: StreamId::new(ANALYSIS_STREAM, game_id),
        expected,
        events: vec![NewEvent {
            event_id: Uuid::now_v7(),
            kind,
            schema: SCHEMA,
            data,
            publication: Publication::Public { follows: expected },
        }],
        metadata,
    };
    append_in(conn, &append).await?;
    Ok(())
}
