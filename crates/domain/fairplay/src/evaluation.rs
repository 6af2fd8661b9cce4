//! Scores, evaluations and the win chance.

use std::fmt;

use shakmaty::Color;

/// Centipawn values beyond this say no more about who wins, so they are cut here; a mate counts as this much.
pub const CENTIPAWNS_MAX: i32 = 1000;

/// The evaluation of the start position: White's first move is worth a little.
pub const START: Evaluation = Evaluation::Centipawns(15);

/// The slope of the win chance in one centipawn, fitted by lichess on rated games of 2300-rated players.
const WIN_CHANCE_SLOPE: f64 = 0.003_682_08;

/// The win chance in percent of the side for which `centipawns` is positive.
///
/// `W = 50 + 50·(2/(1 + e^(−0.00368208·cp)) − 1)` with cp cut at ±1000. Source: lichess, "Accuracy" page and
/// the `WinPercent` of its open-source analysis.
#[must_use]
pub fn win_chance(centipawns: i32) -> f64 {
    let cut = f64::from(centipawns.clamp(-CENTIPAWNS_MAX, CENTIPAWNS_MAX));
    50.0 + 50.0 * (2.0 / (1.0 + (-WIN_CHANCE_SLOPE * cut).exp()) - 1.0)
}

/// A score as UCI engines give it: from the view of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Score {
    /// Hundredths of a pawn, positive when the side to move is better.
    Cp(i32),
    /// Moves to mate: positive when the side to move mates, zero or negative when it is mated.
    Mate(i32),
}

/// The evaluation of a position in White's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Evaluation {
    /// Hundredths of a pawn, positive when White is better.
    Centipawns(i32),
    /// A forced mate. The winner is named because a mate in zero moves has no sign.
    Mate {
        /// The side that mates.
        winner: Color,
        /// Moves until the mate; zero when it stands on the board.
        moves: u32,
    },
}

impl Evaluation {
    /// Turns a score in the view of `turn` into White's view.
    ///
    /// This is the only place where a sign changes (`FAIR-2`).
    #[must_use]
    pub fn seen_from(turn: Color, score: Score) -> Self {
        match score {
            Score::Cp(cp) => Self::Centipawns(turn.fold_wb(cp, cp.saturating_neg())),
            Score::Mate(moves) => {
                Self::Mate { winner: if moves > 0 { turn } else { !turn }, moves: moves.unsigned_abs() }
            }
        }
    }

    /// Centipawns in White's view, cut at ±[`CENTIPAWNS_MAX`]; a mate counts as the maximum.
    #[must_use]
    pub fn centipawns(self) -> i32 {
        match self {
            Self::Centipawns(cp) => cp.clamp(-CENTIPAWNS_MAX, CENTIPAWNS_MAX),
            Self::Mate { winner, .. } => winner.fold_wb(CENTIPAWNS_MAX, -CENTIPAWNS_MAX),
        }
    }

    /// The same centipawns in the view of `side`.
    #[must_use]
    pub fn centipawns_for(self, side: Color) -> i32 {
        side.fold_wb(self.centipawns(), -self.centipawns())
    }

    /// The win chance of `side` in percent.
    #[must_use]
    pub fn win_chance_for(self, side: Color) -> f64 {
        win_chance(self.centipawns_for(side))
    }
}

/// `+0.35`, `-1.20`, `+M3`, and `-M1` for a mate by Black in one.
impl fmt::Display for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Centipawns(cp) => write!(f, "{:+.2}", f64::from(cp) / 100.0),
            Self::Mate { winner, moves } => write!(f, "{}M{moves}", winner.fold_wb('+', '-')),
        }
    }
}
