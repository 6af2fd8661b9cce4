//! From an analysed game to the calibrated evidence of both sides. A function of the game, the evaluations and the
//! calibration alone, so that anybody can do it again.

use domain_fairplay::calibration::Calibration;
use domain_fairplay::decision::{Decision, decisions};
use domain_fairplay::evidence::{Evidence, Outcome, Seat, TellingMove, telling_moves};
use domain_fairplay::time_class::{Clock, TimeClass};
use domain_fairplay::timing::{MoveTimes, TimedMove};
use domain_fairplay::{ByColor, Color, PlayedGame, PlyEvaluation, ReportError};

use super::analysis::{Circumstances, FinishedGame};

/// Telling moves that a report shows of each side.
const TELLING_MOVES_MAX: usize = 5;

/// The evidence of a side.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// Whose moves, and against what.
    pub seat: Seat,
    /// The sums.
    pub evidence: Evidence,
    /// The moves that speak most for help.
    pub telling: Vec<TellingMove>,
}

/// Scores both sides; nothing when what the evidence depends on is not known.
///
/// # Errors
/// When the evaluations do not belong to the game.
pub fn score(
    calibration: &Calibration,
    game: &FinishedGame,
    played: &PlayedGame,
    evaluations: &[PlyEvaluation],
) -> Result<Option<ByColor<Scored>>, ReportError> {
    let Some(circumstances) = &game.circumstances else { return Ok(None) };
    let decisions = decisions(played, evaluations)?;
    Ok(Some(ByColor::new_with(|color| {
        let seat = seat(circumstances, color);
        let timed = timed_moves(circumstances, &decisions, color);
        Scored {
            seat,
            evidence: Evidence::of(calibration, seat, &decisions, &timed),
            telling: telling_moves(calibration, seat, &decisions, TELLING_MOVES_MAX),
        }
    })))
}

fn clock(circumstances: &Circumstances) -> Clock {
    Clock { base_s: seconds(circumstances.base_ms), increment_s: seconds(circumstances.increment_ms) }
}

fn seat(circumstances: &Circumstances, color: Color) -> Seat {
    let (rating, score) = match color {
        Color::White => (circumstances.white_rating, circumstances.white_score),
        Color::Black => (circumstances.black_rating, 1.0 - circumstances.white_score),
    };
    let outcome = match score {
        score if score > 0.75 => Outcome::Won,
        score if score < 0.25 => Outcome::Lost,
        _ => Outcome::Drawn,
    };
    Seat { color, rating, class: TimeClass::of(clock(circumstances)), outcome }
}

/// The moves of a side with their times, without the first: nobody's clock shows how long he looked at an empty board.
fn timed_moves(circumstances: &Circumstances, decisions: &[Decision], color: Color) -> Vec<TimedMove> {
    let clock = clock(circumstances);
    let mut left_s = clock.base_s;
    let mut moves = Vec::new();
    for (index, decision) in decisions.iter().enumerate() {
        let Some(charged) = circumstances.charged_ms.get(index) else { break };
        if decision.mover != color {
            continue;
        }
        let times = MoveTimes {
            seconds: seconds(*charged),
            opponent_seconds: index.checked_sub(1).map(|before| seconds(circumstances.charged_ms[before])),
            left_share: left_s / clock.base_s.max(1.0),
        };
        left_s += clock.increment_s - times.seconds;
        if index >= 2 && !decision.losses.is_empty() {
            moves.push(TimedMove::new(decision, times));
        }
    }
    moves
}

#[expect(clippy::cast_precision_loss, reason = "clocks are far below 2^52 ms")]
fn seconds(ms: i64) -> f64 {
    ms as f64 / 1_000.0
}
