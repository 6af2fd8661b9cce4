//! What a player had to decide at each ply, and what he decided: the raw material of every statistic.

use shakmaty::{Color, Position};

use crate::eligibility::Exclusion;
use crate::evaluation::win_chance;
use crate::replay::{PlayedGame, legal_move};
use crate::report::{
    PlyEvaluation, ReportError, check_count, exclusion_of, listed_moves, loss, position_evaluations,
};

/// A ply seen as a choice among the engine's listed moves and all others.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// Half-move number, from 1.
    pub ply: usize,
    /// The side that moved.
    pub mover: Color,
    /// The move played, in UCI notation.
    pub uci: String,
    /// Why the ply does not count; `None` when it does.
    pub exclusion: Option<Exclusion>,
    /// What each listed move gives away against the best one, in points of win chance; best first, so the first is
    /// zero. Empty when the position was not analysed.
    pub losses: Vec<f64>,
    /// Which of the listed moves was played; `None` for another one.
    pub played: Option<usize>,
    /// What the played move gave away, in points of win chance, as far as known.
    pub loss: f64,
    /// Legal moves.
    pub legal_moves: usize,
    /// The win chance of the mover with the best move, in percent; 50 when the position was not analysed.
    pub win_chance: f64,
    /// The mover stood in check.
    pub is_check: bool,
    /// The played move captured.
    pub is_capture: bool,
    /// The played move took back on the square of the opponent's capture.
    pub is_recapture: bool,
}

impl Decision {
    /// Whether the engine's best move was played.
    #[must_use]
    pub fn is_best(&self) -> bool {
        self.played == Some(0)
    }

    /// What the `index`-th listed move gives away; beyond the list, what the last one does.
    #[must_use]
    pub fn loss_at(&self, index: usize) -> f64 {
        self.losses.get(index).or(self.losses.last()).copied().unwrap_or(0.0)
    }

    /// Moves that are not listed.
    #[must_use]
    pub fn unlisted(&self) -> usize {
        self.legal_moves.saturating_sub(self.losses.len())
    }
}

/// The decisions of a game, one a ply.
///
/// # Errors
///
/// [`ReportError`] when the evaluations do not belong to this game.
pub fn decisions(game: &PlayedGame, evaluations: &[PlyEvaluation]) -> Result<Vec<Decision>, ReportError> {
    check_count(game, evaluations)?;
    let lists = listed_moves(game, evaluations)?;
    let positions = position_evaluations(game, &lists);
    let plies = game.plies().iter().enumerate().map(|(index, facts)| {
        let (list, mover) = (&lists[index], facts.mover);
        let chances: Vec<f64> =
            list.iter().map(|listed| win_chance(listed.evaluation.centipawns_for(mover))).collect();
        let best = chances.first().copied();
        let played = legal_move(&facts.position, &facts.uci).expect("the replay checked every move");
        Decision {
            ply: index + 1,
            mover,
            uci: facts.uci.clone(),
            exclusion: exclusion_of(index, facts, list),
            losses: chances.iter().map(|chance| (best.unwrap_or(*chance) - chance).max(0.0)).collect(),
            played: list.iter().position(|listed| listed.uci == facts.uci),
            loss: loss(facts, list, positions[index + 1]).map_or(0.0, |loss| loss.win_chance_points),
            legal_moves: facts.legal_moves,
            win_chance: best.unwrap_or(50.0),
            is_check: facts.position.is_check(),
            is_capture: played.is_capture(),
            is_recapture: facts.captured_on == Some(played.to()),
        }
    });
    Ok(plies.collect())
}
