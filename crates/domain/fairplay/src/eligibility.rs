//! Which plies may count when a player's moves are compared with an engine's.
//!
//! Easy and forced moves raise the match rate of everybody, so a rate over all moves says more about the positions
//! than about the player. A ply counts only when the mover had a real choice that still mattered.

use crate::evaluation::Evaluation;

/// Moves of each side that count as the opening.
pub const OPENING_MOVES: usize = 6;
/// With fewer legal moves there is too little to choose from.
pub const LEGAL_MOVES_MIN: usize = 3;
/// Beyond this the game is won or lost and people stop looking for the best move; centipawns.
pub const DECIDED_CENTIPAWNS: i32 = 600;
/// Within this of nothing a position is a draw to the engine; centipawns.
pub const DRAWN_CENTIPAWNS: i32 = 5;
/// When the second move is worse by more than this, the best one is obvious; points of win chance.
pub const GAP_POINTS_MAX: f64 = 20.0;

/// Why a ply does not count. A ply with several reasons is counted under the first in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Exclusion {
    /// One of the first [`OPENING_MOVES`] moves of the side, or a move in a known opening position.
    Opening,
    /// There was only one legal move.
    Forced,
    /// There were fewer than [`LEGAL_MOVES_MIN`] legal moves.
    FewMoves,
    /// The position had stood before: its answer was known.
    Repetition,
    /// The engine did not look at the position, or gave no second move to compare with.
    NotAnalysed,
    /// The best move was beyond [`DECIDED_CENTIPAWNS`] for either side.
    Decided,
    /// Every listed move draws: whatever was played, nothing was won or lost, and the engine's order says nothing.
    Drawn,
    /// The best move took back on the square of the opponent's capture.
    Recapture,
    /// The best move was better than the second by more than [`GAP_POINTS_MAX`].
    OneGoodMove,
}

impl Exclusion {
    /// All reasons, in order of precedence.
    pub const ALL: [Self; 9] = [
        Self::Opening,
        Self::Forced,
        Self::FewMoves,
        Self::Repetition,
        Self::NotAnalysed,
        Self::Decided,
        Self::Drawn,
        Self::Recapture,
        Self::OneGoodMove,
    ];
}

/// What decides whether a ply may count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circumstances {
    /// Moves the mover had made before this one.
    pub moves_before: usize,
    /// The position is one of a known opening.
    pub is_known_opening: bool,
    /// Legal moves.
    pub legal_moves: usize,
    /// The position had stood before in the game.
    pub is_repetition: bool,
    /// The engine's best move takes back on the square of the opponent's capture.
    pub is_recapture: bool,
    /// The evaluation of the best move.
    pub best: Option<Evaluation>,
    /// The evaluation of the second-best move.
    pub second: Option<Evaluation>,
    /// The evaluation of the worst move that the engine lists.
    pub worst: Option<Evaluation>,
}

/// The reason why a ply does not count, or `None` when it does.
#[must_use]
pub fn exclusion(ply: &Circumstances) -> Option<Exclusion> {
    if ply.moves_before < OPENING_MOVES || ply.is_known_opening {
        return Some(Exclusion::Opening);
    }
    if ply.legal_moves <= 1 {
        return Some(Exclusion::Forced);
    }
    if ply.legal_moves < LEGAL_MOVES_MIN {
        return Some(Exclusion::FewMoves);
    }
    if ply.is_repetition {
        return Some(Exclusion::Repetition);
    }
    let Some(best) = ply.best else {
        return Some(Exclusion::NotAnalysed);
    };
    if best.centipawns().abs() > DECIDED_CENTIPAWNS {
        return Some(Exclusion::Decided);
    }
    let Some(second) = ply.second else {
        return Some(Exclusion::NotAnalysed);
    };
    if [Some(best), ply.worst].into_iter().flatten().all(is_draw) {
        return Some(Exclusion::Drawn);
    }
    if ply.is_recapture {
        return Some(Exclusion::Recapture);
    }
    // The curve is symmetric, so the gap is the same in White's and Black's view.
    let white = shakmaty::Color::White;
    let gap = (best.win_chance_for(white) - second.win_chance_for(white)).abs();
    (gap > GAP_POINTS_MAX).then_some(Exclusion::OneGoodMove)
}

fn is_draw(evaluation: Evaluation) -> bool {
    evaluation.centipawns().abs() <= DRAWN_CENTIPAWNS
}

/// How many plies of a side were excluded, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exclusions {
    counts: [usize; Exclusion::ALL.len()],
}

impl Exclusions {
    /// Plies excluded for `reason`.
    #[must_use]
    pub fn count(&self, reason: Exclusion) -> usize {
        self.counts[reason as usize]
    }

    /// Plies excluded for any reason.
    #[must_use]
    pub fn total(&self) -> usize {
        self.counts.iter().sum()
    }

    /// Every reason with its count, zeros included.
    pub fn iter(&self) -> impl Iterator<Item = (Exclusion, usize)> + '_ {
        Exclusion::ALL.into_iter().map(|reason| (reason, self.count(reason)))
    }

    pub(crate) fn add(&mut self, reason: Exclusion) {
        self.counts[reason as usize] += 1;
    }
}
