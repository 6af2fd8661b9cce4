//! The log of an analysis. It begins with the game that waits; it ends with its report, or with why there is none.

use domain_fairplay::screen::Notice;
use event_store::{RecordedEvent, Version};
use proto::fairplay::v1::{
    AnalysisParked, AnalysisQueued, AnalysisRetried, GameCircumstances, GameReport, ReportReady,
    SecondPassReady,
};
use sqlx::PgPool;
use uuid::Uuid;

use super::{Encoded, ReadError, decode, uuid};
use crate::app::analysis::{Circumstances, FinishedGame};
use crate::app::screening;

/// The stream kind of an analysis, and a part of its subjects.
pub const ANALYSIS_STREAM: &str = "analysis";

/// The longest log of an analysis: queued, and one end; more when a person has it tried again.
const EVENTS_MAX: usize = 100;

/// An analysis as its log has it.
#[derive(Debug, Clone)]
pub struct AnalysisLog {
    /// The event that queued it: the cause of all others.
    pub queued: RecordedEvent,
    /// Version of its last event.
    pub version: Version,
}

impl AnalysisLog {
    /// The game.
    ///
    /// # Errors
    /// When the event cannot be read.
    pub fn game(&self) -> Result<FinishedGame, ReadError> {
        decode_queued(&self.queued)
    }
}

/// Reads the log.
///
/// # Errors
/// See [`ReadError`].
pub async fn read(pool: &PgPool, game_id: Uuid) -> Result<AnalysisLog, ReadError> {
    let events = event_store::load(pool, game_id, 0, EVENTS_MAX).await?;
    let version = events.last().map_or(0, |event| event.version);
    let queued = events.into_iter().next().ok_or(ReadError::Empty { stream_id: game_id })?;
    Ok(AnalysisLog { queued, version })
}

/// A game that waits, as it is stored.
#[must_use]
pub fn encode_queued(game: &FinishedGame, notices: &[Notice]) -> Encoded {
    let queued = AnalysisQueued {
        game_id: game.game_id.to_string(),
        white_player_id: game.white_id.to_string(),
        black_player_id: game.black_id.to_string(),
        moves: game.moves.clone(),
        start_fen: game.start_fen.clone(),
        unstaked: !game.is_staked,
        notices: screening::to_wire(game, notices),
        circumstances: game.circumstances.as_ref().map(|circumstances| GameCircumstances {
            white_rating: circumstances.white_rating,
            black_rating: circumstances.black_rating,
            base_ms: circumstances.base_ms,
            increment_ms: circumstances.increment_ms,
            white_score: circumstances.white_score,
            ended_at_ms: circumstances.ended_at_ms,
            charged_ms: circumstances.charged_ms.clone(),
        }),
    };
    Encoded::of("AnalysisQueued", &queued)
}

/// The game as it was.
///
/// # Errors
/// When the event cannot be read.
pub fn decode_queued(event: &RecordedEvent) -> Result<FinishedGame, ReadError> {
    let queued: AnalysisQueued = decode(event)?;
    Ok(FinishedGame {
        game_id: uuid(event, &queued.game_id)?,
        white_id: uuid(event, &queued.white_player_id)?,
        black_id: uuid(event, &queued.black_player_id)?,
        moves: queued.moves,
        start_fen: queued.start_fen,
        is_staked: !queued.unstaked,
        circumstances: queued.circumstances.map(|circumstances| Circumstances {
            white_rating: circumstances.white_rating,
            black_rating: circumstances.black_rating,
            base_ms: circumstances.base_ms,
            increment_ms: circumstances.increment_ms,
            white_score: circumstances.white_score,
            ended_at_ms: circumstances.ended_at_ms,
            charged_ms: circumstances.charged_ms,
        }),
    })
}

/// A complete report, as it is stored.
#[must_use]
pub fn encode_ready(report: GameReport) -> Encoded {
    Encoded::of("ReportReady", &ReportReady { report: Some(report) })
}

/// A complete second pass, as it is stored.
#[must_use]
pub fn encode_second_pass(ready: &SecondPassReady) -> Encoded {
    Encoded::of("SecondPassReady", ready)
}

/// Another try of one that was given up, as it is stored.
#[must_use]
pub fn encode_retried(retried: &AnalysisRetried) -> Encoded {
    Encoded::of("AnalysisRetried", retried)
}

/// An analysis that was given up, as it is stored.
#[must_use]
pub fn encode_parked(game_id: Uuid, cause: &str) -> Encoded {
    let parked = AnalysisParked { game_id: game_id.to_string(), cause: cause.to_owned() };
    Encoded::of("AnalysisParked", &parked)
}
