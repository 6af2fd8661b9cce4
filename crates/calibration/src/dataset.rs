//! Evaluated games as they lie in a folder: one JSON object a line, packed.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use domain_fairplay::decision::{Decision, decisions};
use domain_fairplay::evidence::{Outcome, Seat};
use domain_fairplay::time_class::{Clock, TimeClass};
use domain_fairplay::timing::{MoveTimes, TimedMove};
use domain_fairplay::{Candidate, Color, PlayedGame, PlyEvaluation, Score};
use flate2::read::GzDecoder;
use serde::Deserialize;

/// The name that the helped side of a synthetic game has.
const HELPED: &str = "CHEAT";

/// Why a data set cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// A file cannot be read.
    #[error("{path}: {cause}")]
    File {
        /// Which.
        path: PathBuf,
        /// Why not.
        cause: std::io::Error,
    },
    /// A line is not what it should be.
    #[error("{path}, line {line}: {cause}")]
    Line {
        /// Which file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong.
        cause: String,
    },
}

/// A game with its evaluations worked out.
#[derive(Debug, Clone)]
pub struct Game {
    /// The kind of help, for a synthetic game; else the event.
    pub event: String,
    /// Which side was helped; none in a human game.
    pub helped: Option<Color>,
    /// White and Black.
    pub seats: [Seat; 2],
    /// The moves, in UCI notation.
    pub moves: Vec<String>,
    /// What the engine said, one a ply.
    pub evaluations: Vec<PlyEvaluation>,
    /// One a ply.
    pub decisions: Vec<Decision>,
    /// Timed moves of White and of Black.
    pub timed: [Vec<TimedMove>; 2],
}

#[derive(Deserialize)]
struct Line {
    h: Headers,
    rows: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Headers {
    event: String,
    white: String,
    black: String,
    result: String,
    white_elo: String,
    black_elo: String,
    time_control: Option<String>,
}

#[derive(Deserialize)]
struct Row {
    uci: String,
    clk: Option<f64>,
    #[serde(default)]
    pv: Vec<(String, i32, u32)>,
}

/// Reads a file of evaluated games.
///
/// # Errors
/// [`DatasetError`] names the line.
pub fn read(path: &Path) -> Result<Vec<Game>, DatasetError> {
    let file_error = |cause| DatasetError::File { path: path.to_owned(), cause };
    let file = File::open(path).map_err(file_error)?;
    let mut games = Vec::new();
    for (index, text) in BufReader::new(GzDecoder::new(file)).lines().enumerate() {
        let text = text.map_err(file_error)?;
        let game = game(&text).map_err(|cause| DatasetError::Line {
            path: path.to_owned(),
            line: index + 1,
            cause,
        })?;
        games.push(game);
    }
    Ok(games)
}

fn game(text: &str) -> Result<Game, String> {
    let line: Line = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let moves: Vec<&str> = line.rows.iter().map(|row| row.uci.as_str()).collect();
    let played = PlayedGame::replay(&moves).map_err(|error| error.to_string())?;
    let evaluations: Vec<PlyEvaluation> = line.rows.iter().map(evaluation).collect();
    let decisions = decisions(&played, &evaluations).map_err(|error| error.to_string())?;
    let clock = line.h.time_control.as_deref().and_then(clock);
    // The synthetic games have no clock; the players they imitate were blitz players.
    let class = clock.map_or(TimeClass::Blitz, TimeClass::of);
    let seat = |color: Color, rating: &str| -> Result<Seat, String> {
        Ok(Seat {
            color,
            rating: rating.parse().map_err(|_| format!("{rating:?} is no rating"))?,
            class,
            outcome: outcome(color, &line.h.result),
        })
    };
    let seats = [seat(Color::White, &line.h.white_elo)?, seat(Color::Black, &line.h.black_elo)?];
    let helped = match HELPED {
        name if line.h.white == name => Some(Color::White),
        name if line.h.black == name => Some(Color::Black),
        _ => None,
    };
    let clocks: Vec<Option<f64>> = line.rows.iter().map(|row| row.clk).collect();
    let timed = clock.map(|clock| timed(clock, &clocks, &decisions)).unwrap_or_default();
    let moves = line.rows.into_iter().map(|row| row.uci).collect();
    Ok(Game { event: line.h.event, helped, seats, moves, evaluations, decisions, timed })
}

fn evaluation(row: &Row) -> PlyEvaluation {
    let mut lines: Vec<Candidate> = Vec::with_capacity(row.pv.len());
    for (uci, cp, _) in &row.pv {
        // When the nodes run out in the middle of a depth, a move may stand under two numbers.
        if lines.iter().all(|line| line.uci != *uci) {
            lines.push(Candidate { uci: uci.clone(), score: Score::Cp(*cp) });
        }
    }
    PlyEvaluation { lines }
}

fn outcome(color: Color, result: &str) -> Outcome {
    match (result, color) {
        ("1-0", Color::White) | ("0-1", Color::Black) => Outcome::Won,
        ("1-0", Color::Black) | ("0-1", Color::White) => Outcome::Lost,
        _ => Outcome::Drawn,
    }
}

/// A clock as PGN writes it: `300+3`.
pub fn clock(text: &str) -> Option<Clock> {
    let (base, increment) = text.split_once('+')?;
    Some(Clock { base_s: base.parse().ok()?, increment_s: increment.parse().ok()? })
}

/// Seconds thought at each ply, from the clocks after each; `None` for the first move of a side.
pub fn seconds(clock: Clock, clocks: &[Option<f64>]) -> Vec<Option<f64>> {
    let one = |index: usize| {
        let before = clocks[index.checked_sub(2)?]?;
        Some((before + clock.increment_s - clocks[index]?).max(0.0))
    };
    (0..clocks.len()).map(one).collect()
}

fn timed(clock: Clock, clocks: &[Option<f64>], decisions: &[Decision]) -> [Vec<TimedMove>; 2] {
    let times = seconds(clock, clocks);
    let mut sides = [Vec::new(), Vec::new()];
    for (index, decision) in decisions.iter().enumerate() {
        let Some(seconds) = times[index] else { continue };
        if decision.losses.is_empty() {
            continue;
        }
        let left = clocks[index - 2].unwrap_or_default();
        let times = MoveTimes {
            seconds,
            opponent_seconds: times[index - 1],
            left_share: left / clock.base_s.max(1.0),
        };
        sides[index % 2].push(TimedMove::new(decision, times));
    }
    sides
}
