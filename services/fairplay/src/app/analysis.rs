//! One game through an engine to a report.

use std::time::Duration;

use domain_fairplay::calibration::Calibration;
use domain_fairplay::replay::ReplayError;
use domain_fairplay::{ByColor, PlayedGame, PlyEvaluation, ReportError};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess};
use uci::{Fault, Pool};
use uuid::Uuid;

use super::asking::{Asking, Memory};
use super::scoring::{Scored, score};
use super::settings::{PLIES_MAX, SearchSettings};

/// A finished game.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishedGame {
    /// The game.
    pub game_id: Uuid,
    /// Who had White.
    pub white_id: Uuid,
    /// Who had Black.
    pub black_id: Uuid,
    /// The moves, in UCI notation.
    pub moves: Vec<String>,
    /// The start position in Forsyth-Edwards notation; empty for the standard one.
    pub start_fen: String,
    /// Played for a stake.
    pub is_staked: bool,
    /// What else the evidence depends on; absent in games from before it was kept.
    pub circumstances: Option<Circumstances>,
}

/// What the evidence of a game depends on beside its moves.
#[derive(Debug, Clone, PartialEq)]
pub struct Circumstances {
    /// White's rating before the game.
    pub white_rating: f64,
    /// Black's.
    pub black_rating: f64,
    /// Time on each clock at the start, in milliseconds.
    pub base_ms: i64,
    /// Added after every move, in milliseconds.
    pub increment_ms: i64,
    /// White's points: 1, 0.5 or 0.
    pub white_score: f64,
    /// When the game ended, in milliseconds since the Unix epoch.
    pub ended_at_ms: i64,
    /// What each move took off the mover's clock, in milliseconds.
    pub charged_ms: Vec<i64>,
}

/// A complete analysis.
#[derive(Debug, Clone)]
pub struct Analysed {
    /// The report.
    pub report: domain_fairplay::GameReport,
    /// What the engine said, one a position: what everything follows from.
    pub evaluations: Vec<PlyEvaluation>,
    /// The calibrated evidence; absent when the calibration does not fit or the circumstances are not known.
    pub scored: Option<ByColor<Scored>>,
    /// The calibration it was scored with; empty without evidence.
    pub calibration_id: String,
    /// The engine as it names itself.
    pub engine: String,
    /// What was asked about each position.
    pub search: SearchSettings,
    /// CPU time of the engine, as far as the system tells.
    pub engine_time: Duration,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum AnalysisError {
    /// The start position is none.
    #[error("the start position is not legal: {0}")]
    Start(String),
    /// The game is too long.
    #[error("{plies} plies are more than the {PLIES_MAX} that are analysed")]
    TooLong {
        /// Plies played.
        plies: usize,
    },
    /// The record is not a game.
    #[error("the game cannot be replayed: {0}")]
    Replay(#[from] ReplayError),
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] uci::Error),
    /// The engine answered about another position.
    #[error("the answers do not fit the game: {0}")]
    Answers(#[from] ReportError),
    /// The engine that was started in place of one that failed is another one.
    #[error("{found} answers in place of {expected}")]
    OtherEngine {
        /// Which one began.
        expected: String,
        /// Which one went on.
        found: String,
    },
    /// A second pass without a first one.
    #[error("there is no report to look at again")]
    NoFirstPass,
    /// The report of the first pass could not be read.
    #[error("the report of the first pass is unavailable")]
    Unavailable(#[from] sqlx::Error),
    /// A ply is without evaluation although every position was asked about.
    #[error("ply {ply} has no evaluation")]
    Incomplete {
        /// From 1.
        ply: usize,
    },
}

/// What to do after a failed analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// Try again later, a few times.
    TryAgain,
    /// No try can succeed.
    GiveUp,
    /// The engine is away; the game is not to blame.
    Wait,
}

impl AnalysisError {
    /// What to do about it.
    #[must_use]
    pub fn remedy(&self) -> Remedy {
        match self {
            Self::Start(_) | Self::TooLong { .. } | Self::Replay(_) | Self::NoFirstPass => Remedy::GiveUp,
            Self::Answers(_) | Self::Incomplete { .. } | Self::OtherEngine { .. } | Self::Unavailable(_) => {
                Remedy::TryAgain
            }
            Self::Engine(error) => match error {
                uci::Error::Engine(Fault::Start(_)) | uci::Error::Busy | uci::Error::Closed => Remedy::Wait,
                uci::Error::Engine(_) | uci::Error::SessionEnded => Remedy::TryAgain,
                uci::Error::IllegalPosition(_) | uci::Error::GameOver | uci::Error::OutOfLimits { .. } => {
                    Remedy::GiveUp
                }
            },
        }
    }
}

/// Replays the game, asks about every position of it, and makes the report. Every position is asked about, also those that do
/// not count for the match rate: the accuracy needs them.
///
/// # Errors
/// See [`AnalysisError`]. Nothing of an analysis that failed is kept, but for the positions that were found.
pub async fn analyse(
    engines: &Pool,
    search: SearchSettings,
    calibration: &Calibration,
    game: &FinishedGame,
    memory: Memory<'_>,
) -> Result<Analysed, AnalysisError> {
    let played = replay(game)?;
    // The board itself decides a mate or a stalemate; after a resignation or a flag the last position is asked about too.
    let is_last_asked = played.ending().is_none() && !game.moves.is_empty();
    let positions: Vec<&Chess> = (0..game.moves.len() + usize::from(is_last_asked))
        .filter_map(|index| played.position(index))
        .collect();
    let mut asking = Asking::open(engines, search, memory, &positions).await?;
    let mut evaluations = Vec::with_capacity(positions.len());
    for (index, position) in positions.into_iter().enumerate() {
        evaluations.push(asking.pass_a(index, position).await?);
    }
    conclude(calibration, game, &played, evaluations, asking.finish().await)
}

/// Where evaluations come from.
#[derive(Debug, Clone)]
pub struct Source {
    /// The engine as it names itself.
    pub engine: String,
    /// What was asked about each position.
    pub search: SearchSettings,
    /// CPU time it took.
    pub engine_time: Duration,
}

/// Makes the report and the evidence of evaluations, wherever they come from. Evaluations that the calibration was not made
/// for are not scored.
///
/// # Errors
/// When the evaluations do not belong to the game, or one is missing.
pub fn conclude(
    calibration: &Calibration,
    game: &FinishedGame,
    played: &PlayedGame,
    evaluations: Vec<PlyEvaluation>,
    source: Source,
) -> Result<Analysed, AnalysisError> {
    let report = domain_fairplay::report(played, &evaluations)?;
    check_complete(&report)?;
    let is_accepted = calibration.accepts(&source.engine, source.search.nodes);
    let scored = if is_accepted { score(calibration, game, played, &evaluations)? } else { None };
    Ok(Analysed {
        report,
        evaluations,
        calibration_id: scored.as_ref().map(|_| calibration.id.clone()).unwrap_or_default(),
        scored,
        engine: source.engine,
        search: source.search,
        engine_time: source.engine_time,
    })
}

/// Replays a game from its record.
///
/// # Errors
/// When the record is no game that is analysed.
pub fn replay(game: &FinishedGame) -> Result<PlayedGame, AnalysisError> {
    let plies = game.moves.len();
    if plies > PLIES_MAX {
        return Err(AnalysisError::TooLong { plies });
    }
    Ok(PlayedGame::replay_from(start_position(&game.start_fen)?, &game.moves)?)
}

/// The position that a FEN tells; the standard one for none.
///
/// # Errors
/// When it is no position.
pub fn start_position(fen: &str) -> Result<Chess, AnalysisError> {
    if fen.is_empty() {
        return Ok(Chess::default());
    }
    let unreadable = |error: String| AnalysisError::Start(error);
    let fen = Fen::from_ascii(fen.as_bytes()).map_err(|error| unreadable(error.to_string()))?;
    fen.into_position(CastlingMode::Standard).map_err(|error| unreadable(error.to_string()))
}

fn check_complete(report: &domain_fairplay::GameReport) -> Result<(), AnalysisError> {
    for (ply, entry) in (1..).zip(&report.plies) {
        let is_whole = entry.before.is_some() && entry.after.is_some() && entry.best.is_some();
        if !is_whole || entry.accuracy.is_none() {
            return Err(AnalysisError::Incomplete { ply });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_game_is_blamed_only_for_what_it_is_to_blame_for() {
        let engine = |fault| AnalysisError::Engine(uci::Error::Engine(fault));
        let missing = std::io::Error::from(std::io::ErrorKind::NotFound);
        assert_eq!(engine(Fault::Start(missing)).remedy(), Remedy::Wait);
        assert_eq!(AnalysisError::Engine(uci::Error::Closed).remedy(), Remedy::Wait);
        assert_eq!(engine(Fault::Exited).remedy(), Remedy::TryAgain);
        assert_eq!(engine(Fault::Hung { limit: Duration::ZERO }).remedy(), Remedy::TryAgain);
        assert_eq!(AnalysisError::TooLong { plies: PLIES_MAX + 1 }.remedy(), Remedy::GiveUp);
        let error = ReplayError::IllegalMove { index: 0, uci: "e2e5".to_owned() };
        assert_eq!(AnalysisError::Replay(error).remedy(), Remedy::GiveUp);
        let foreign = ReportError::WrongCount { evaluations: 1, plies: 2 };
        assert_eq!(AnalysisError::Answers(foreign).remedy(), Remedy::TryAgain);
    }
}
