//! One game through an engine to a report.

use std::time::Duration;

use domain_fairplay::calibration::Calibration;
use domain_fairplay::replay::ReplayError;
use domain_fairplay::{ByColor, Candidate, PlayedGame, PlyEvaluation, ReportError, Score};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess};
use uci::{Analysis, Fault, GameSession, Pool, Search, Start};
use uuid::Uuid;

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
            Self::Answers(_) | Self::Incomplete { .. } | Self::Unavailable(_) => Remedy::TryAgain,
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

/// Replays the game, asks an engine about every position of it, and makes the report. Every position is asked about, also
/// those that do not count for the match rate: the accuracy needs them.
///
/// # Errors
/// See [`AnalysisError`]. Nothing of an analysis that failed is kept.
pub async fn analyse(
    engines: &Pool,
    search: SearchSettings,
    calibration: &Calibration,
    game: &FinishedGame,
) -> Result<Analysed, AnalysisError> {
    let played = replay(game)?;
    let mut asked = Asked {
        session: engines.open_game().await?,
        search: Search {
            start: start(game),
            moves: Vec::with_capacity(game.moves.len()),
            nodes: search.nodes,
            multi_pv: search.multi_pv,
        },
        engine: engines.identity().name.clone(),
    };
    let cpu_before = asked.session.engine_cpu_time().unwrap_or_default();
    let mut evaluations = Vec::with_capacity(game.moves.len() + 1);
    for uci in &game.moves {
        evaluations.push(asked.evaluation().await?);
        asked.search.moves.push(uci.clone());
    }
    // The board itself decides a mate or a stalemate; after a resignation or a flag the last position is asked about too.
    if played.ending().is_none() && !game.moves.is_empty() {
        evaluations.push(asked.evaluation().await?);
    }
    let cpu_after = asked.session.engine_cpu_time().unwrap_or_default();
    let engine_time = cpu_after.saturating_sub(cpu_before);
    let source = Source { engine: asked.engine, search, engine_time };
    conclude(calibration, game, &played, evaluations, source)
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

/// An engine in the middle of a game.
pub(super) struct Asked {
    pub(super) session: GameSession,
    pub(super) search: Search,
    pub(super) engine: String,
}

impl Asked {
    pub(super) async fn evaluation(&mut self) -> Result<PlyEvaluation, uci::Error> {
        let analysis = self.session.analyse(&self.search).await?;
        self.engine.clone_from(&analysis.engine.name);
        Ok(evaluation(analysis))
    }
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
    let start = if game.start_fen.is_empty() { Chess::default() } else { read_start(&game.start_fen)? };
    Ok(PlayedGame::replay_from(start, &game.moves)?)
}

fn read_start(fen: &str) -> Result<Chess, AnalysisError> {
    let unreadable = |error: String| AnalysisError::Start(error);
    let fen = Fen::from_ascii(fen.as_bytes()).map_err(|error| unreadable(error.to_string()))?;
    fen.into_position(CastlingMode::Standard).map_err(|error| unreadable(error.to_string()))
}

pub(super) fn start(game: &FinishedGame) -> Start {
    if game.start_fen.is_empty() { Start::Standard } else { Start::Fen(game.start_fen.clone()) }
}

fn evaluation(analysis: Analysis) -> PlyEvaluation {
    let lines = analysis.lines.into_iter().filter_map(|line| {
        let uci = line.moves.into_iter().next()?;
        Some(Candidate { uci, score: engine_score(line.score) })
    });
    PlyEvaluation { lines: lines.collect() }
}

fn engine_score(score: uci::Score) -> Score {
    match score {
        uci::Score::Cp(centipawns) => Score::Cp(centipawns),
        uci::Score::Mate(moves) => Score::Mate(moves),
    }
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
