//! A report made again: from the log, where the same moves and evaluations must give the same numbers to the last digit; and by
//! anybody, from the game's record, an engine and a calibration.

use std::time::Duration;

use domain_fairplay::calibration::Calibration;
use proto::fairplay::v1 as wire;
use sqlx::PgPool;
use uci::{EngineConfig, Pool};
use uuid::Uuid;

use super::analysis::{AnalysisError, FinishedGame, Source, analyse, conclude, replay};
use super::asking::Memory;
use super::second_pass::evaluations;
use super::settings::SearchSettings;
use crate::store::analysis_log;
use crate::store::report;
use crate::store::{ReadError, analyses};

/// Why a report could not be made again.
#[derive(Debug, thiserror::Error)]
pub enum RecomputeError {
    /// The log cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Postgres did not answer.
    #[error("the analyses are unavailable: {0}")]
    Unavailable(#[from] sqlx::Error),
    /// There is no report to make again.
    #[error("game {0} has no report")]
    NoReport(Uuid),
    /// The stored evaluations do not belong to the stored game.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
}

/// A report as it is stored and as it comes out now.
#[derive(Debug, Clone, PartialEq)]
pub struct Recomputed {
    /// From the log.
    pub stored: wire::GameReport,
    /// Made again.
    pub again: wire::GameReport,
}

impl Recomputed {
    /// Whether every number is the same.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.stored == self.again
    }
}

/// Makes a game's report from its record, with an engine of one's own. But for the engine's time it is the service's report.
///
/// # Errors
/// When the engine does not start, or fails.
pub async fn reproduce(
    engine: EngineConfig,
    search: SearchSettings,
    calibration: &Calibration,
    game: &FinishedGame,
) -> Result<wire::GameReport, AnalysisError> {
    let engines = Pool::start(engine, 1).await?;
    let analysed = analyse(&engines, search, calibration, game, Memory::None).await;
    engines.close();
    Ok(report::to_wire(game, &analysed?))
}

/// The record of a game in the log; see [`record`](super::record).
///
/// # Errors
/// See [`RecomputeError`].
pub async fn record(pool: &PgPool, game_id: Uuid) -> Result<String, RecomputeError> {
    let log = analysis_log::read(pool, game_id).await.map_err(|error| match error {
        ReadError::Empty { .. } => RecomputeError::NoReport(game_id),
        other => other.into(),
    })?;
    Ok(super::record::write(&log.game()?)?)
}

/// Makes a game's report again from its log.
///
/// # Errors
/// See [`RecomputeError`].
pub async fn recompute(
    pool: &PgPool,
    calibration: &Calibration,
    game_id: Uuid,
) -> Result<Recomputed, RecomputeError> {
    let log = analysis_log::read(pool, game_id).await.map_err(|error| match error {
        ReadError::Empty { .. } => RecomputeError::NoReport(game_id),
        other => other.into(),
    })?;
    let game = log.game()?;
    let stored = match analyses::find(pool, game_id).await?.map(|standing| standing.progress) {
        Some(analyses::Progress::Ready(report)) => *report,
        _ => return Err(RecomputeError::NoReport(game_id)),
    };
    let played = replay(&game)?;
    let source = Source {
        engine: stored.engine.clone(),
        search: SearchSettings {
            nodes: stored.nodes,
            multi_pv: u16::try_from(stored.multi_pv).unwrap_or(u16::MAX),
        },
        engine_time: Duration::from_millis(stored.engine_ms.unsigned_abs()),
    };
    let analysed = conclude(calibration, &game, &played, evaluations(&stored, &played), source)?;
    let again = report::to_wire(&game, &analysed);
    Ok(Recomputed { stored, again })
}
