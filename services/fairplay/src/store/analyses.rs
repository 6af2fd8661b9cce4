//! The steps of an analysis, each one transaction of its log, its job and its report.

use domain_fairplay::calibration::Calibration;
use domain_fairplay::screen::{Notice, Urgency, urgency};
use event_store::{Append, AppendError, Metadata, NewEvent, Publication, StreamId, Version, append_in};
use prost::Message as _;
use proto::fairplay::v1::{AnalysisRetried, GameReport, SecondPassReady, SideReport};
use sqlx::{PgConnection, PgExecutor, PgPool};
use uuid::Uuid;

use super::analysis_log::{
    ANALYSIS_STREAM, AnalysisLog, encode_parked, encode_queued, encode_ready, encode_retried,
    encode_second_pass,
};
use super::evidence::{self, NewSide, Stakes};
use super::jobs::{self, Claim, End, NewJob, Priority};
use super::{Encoded, ReadError, SCHEMA, players, staked_games};
use crate::SERVICE;
use crate::app::analysis::{Analysed, FinishedGame};
use crate::app::standing::{self, StandingError, Subject};

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

impl From<StandingError> for FinishError {
    fn from(error: StandingError) -> Self {
        match error {
            StandingError::Append(error) => Self::Append(error),
            StandingError::Unavailable(error) => Self::Unavailable(error),
        }
    }
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

/// Queues a game inside the caller's transaction, with what was noticed of it (`FAIR-26`); does nothing if it was queued before.
///
/// # Errors
/// As [`append_in`].
pub async fn queue_in(
    conn: &mut PgConnection,
    game: &FinishedGame,
    notices: &[Notice],
    metadata: Metadata,
) -> Result<(), AppendError> {
    let priority = match (game.is_staked, urgency(notices)) {
        (false, _) => Priority::History,
        (true, Urgency::Early) => Priority::Noticed,
        (true, Urgency::InTurn) => Priority::Staked,
    };
    let job = NewJob { game_id: game.game_id, white_id: game.white_id, black_id: game.black_id, priority };
    if jobs::insert(&mut *conn, job).await? {
        append(conn, game.game_id, 0, encode_queued(game, notices), metadata).await?;
    }
    Ok(())
}

/// A complete first pass, as it is to be written.
#[derive(Debug)]
pub struct FirstPass<'a> {
    /// The game.
    pub game: &'a FinishedGame,
    /// Its report.
    pub report: GameReport,
    /// What standings are computed with.
    pub calibration: &'a Calibration,
    /// The stake from which both sides get a second pass, in minor units.
    pub second_pass_stake: i64,
}

/// Writes the report, its event, the end of the job, and what it means for both players.
///
/// # Errors
/// See [`FinishError`].
pub async fn complete(
    pool: &PgPool,
    claim: &Claim,
    log: &AnalysisLog,
    FirstPass { game, report, calibration, second_pass_stake }: FirstPass<'_>,
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
    let sides = [report.white.clone(), report.black.clone()];
    staked_games::put_analysis(&mut tx, claim.game_id, super::report::summary(&report)).await?;
    append(&mut tx, claim.game_id, log.version, encode_ready(report), metadata.clone()).await?;
    // In the order of the ids, so that two games of one pair do not wait for each other in a circle.
    let mut players = [(game.white_id, 0_usize), (game.black_id, 1)];
    players.sort_unstable();
    for (player_id, index) in players {
        let Some(side) = &sides[index] else { continue };
        let scored = ScoredSide { player_id, game, pass: 1, side };
        put_side(&mut tx, calibration, scored, &metadata).await?;
    }
    look_again(&mut tx, claim.game_id, second_pass_stake).await?;
    tx.commit().await?;
    Ok(Finished::Written)
}

/// Games for much money get a second pass, whoever played them.
async fn look_again(conn: &mut PgConnection, game_id: Uuid, from: i64) -> Result<(), sqlx::Error> {
    if staked_games::stake_of_game(&mut *conn, game_id).await?.is_some_and(|stake| stake >= from) {
        jobs::queue_stake_pass(conn, game_id).await?;
    }
    Ok(())
}

/// A complete second pass, as it is to be written.
#[derive(Debug)]
pub struct SecondPass<'a> {
    /// The game.
    pub game: &'a FinishedGame,
    /// Whose moves.
    pub player_id: Uuid,
    /// His side, with the new evidence.
    pub side: SideReport,
    /// What it was made with.
    pub analysed: &'a Analysed,
    /// What it was scored with.
    pub calibration: &'a Calibration,
    /// See [`FirstPass::second_pass_stake`].
    pub second_pass_stake: i64,
}

/// Writes the evidence of a second pass, its event, the end of the job, and what it means for the player.
///
/// # Errors
/// See [`FinishError`].
pub async fn complete_second(
    pool: &PgPool,
    claim: &Claim,
    log: &AnalysisLog,
    second: SecondPass<'_>,
) -> Result<Finished, FinishError> {
    let mut tx = pool.begin().await?;
    if !jobs::end(&mut tx, claim, End::Ready).await? {
        tx.rollback().await?;
        return Ok(Finished::ClaimLost);
    }
    let SecondPass { game, player_id, side, analysed, calibration, second_pass_stake } = second;
    let ready = SecondPassReady {
        game_id: game.game_id.to_string(),
        player_id: player_id.to_string(),
        nodes: analysed.search.nodes,
        engine: analysed.engine.clone(),
        calibration_id: analysed.calibration_id.clone(),
        evidence: side.evidence.clone(),
    };
    let metadata = Metadata::caused_by(&log.queued, SERVICE);
    append(&mut tx, game.game_id, log.version, encode_second_pass(&ready), metadata.clone()).await?;
    let scored = ScoredSide { player_id, game, pass: 2, side: &side };
    put_side(&mut tx, calibration, scored, &metadata).await?;
    look_again(&mut tx, game.game_id, second_pass_stake).await?;
    tx.commit().await?;
    Ok(Finished::Written)
}

struct ScoredSide<'a> {
    player_id: Uuid,
    game: &'a FinishedGame,
    pass: i16,
    side: &'a SideReport,
}

/// Writes a side's evidence, if it has any, and the player's standing.
async fn put_side(
    conn: &mut PgConnection,
    calibration: &Calibration,
    scored: ScoredSide<'_>,
    metadata: &Metadata,
) -> Result<(), FinishError> {
    let ScoredSide { player_id, game, pass, side } = scored;
    let (Some(evidence), Some(circumstances)) = (&side.evidence, &game.circumstances) else { return Ok(()) };
    let time_class = evidence.time_class.as_str();
    let ended_at_ms = circumstances.ended_at_ms;
    let stakes = if game.is_staked { Stakes::Staked } else { Stakes::Unstaked };
    let new = NewSide { player_id, game_id: game.game_id, time_class, ended_at_ms, pass, side, stakes };
    // The row of the player first: whoever holds it sees all of his games that were written before.
    players::lock(conn, player_id).await?;
    evidence::put(conn, new).await?;
    standing::update(conn, calibration, Subject { player_id, time_class }, metadata.clone()).await?;
    Ok(())
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

/// What became of the wish for another try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retried {
    /// It waits again.
    Queued,
    /// It was not given up, or is not any more.
    NotParked,
    /// There is no such analysis.
    Unknown,
}

/// Has an analysis that was given up tried again, with who wants it and why.
///
/// # Errors
/// See [`FinishError`].
pub async fn retry(
    pool: &PgPool,
    game_id: Uuid,
    retried: AnalysisRetried,
    metadata: Metadata,
) -> Result<Retried, FinishError> {
    let mut tx = pool.begin().await?;
    if !jobs::retry_parked(&mut tx, game_id).await? {
        let is_known = find(&mut *tx, game_id).await?.is_some();
        return Ok(if is_known { Retried::NotParked } else { Retried::Unknown });
    }
    let version = event_store::head(&mut *tx, game_id).await?;
    append(&mut tx, game_id, version, encode_retried(&retried), metadata).await?;
    tx.commit().await?;
    Ok(Retried::Queued)
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
        // A report that is there stays there while a second pass is under way.
        let progress = match (row.status.as_str(), row.report) {
            (_, Some(report)) => Progress::Ready(Box::new(decode_report(&report)?)),
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
            event_id: Some(Uuid::now_v7()),
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
