//! The second pass: more nodes, on one player's moves that count.

use domain_fairplay::calibration::Calibration;
use domain_fairplay::{Color, PlayedGame, PlyEvaluation};
use proto::fairplay::v1 as wire;
use shakmaty::{Chess, Position as _};
use uci::Pool;
use uuid::Uuid;

use super::analysis::{Analysed, AnalysisError, FinishedGame, conclude, replay};
use super::asking::{Asking, Memory};
use super::settings::SearchSettings;
use crate::store::report::evaluation_from_wire;

/// Searches the player's positions that count once more, and scores the game with what was found there and with the first
/// pass elsewhere.
///
/// # Errors
/// See [`AnalysisError`].
pub async fn search_again(
    engines: &Pool,
    search: SearchSettings,
    calibration: &Calibration,
    game: &FinishedGame,
    (first, player_id): (&wire::GameReport, Uuid),
    memory: Memory<'_>,
) -> Result<Analysed, AnalysisError> {
    let played = replay(game)?;
    let mut evaluations = evaluations(first, &played);
    let color = if game.white_id == player_id { Color::White } else { Color::Black };
    let counted: Vec<(usize, &Chess)> = first
        .plies
        .iter()
        .enumerate()
        .filter(|(index, ply)| {
            ply.excluded.is_empty() && played.plies().get(*index).is_some_and(|facts| facts.mover == color)
        })
        .filter_map(|(index, _)| Some((index, played.position(index)?)))
        .collect();
    let positions: Vec<&Chess> = counted.iter().map(|(_, position)| *position).collect();
    let mut asking = Asking::open(engines, search, memory, &positions).await?;
    for (index, position) in counted {
        evaluations[index] = asking.whole(index, position).await?;
    }
    conclude(calibration, game, &played, evaluations, asking.finish().await)
}

/// The evaluations that a stored report was made of.
#[must_use]
pub fn evaluations(report: &wire::GameReport, played: &PlayedGame) -> Vec<PlyEvaluation> {
    let ply_evaluation = |index: usize, lines: &[wire::EngineLine]| {
        let turn = played.position(index).map_or(Color::White, |position| position.turn());
        evaluation_from_wire(turn, lines)
    };
    let mut evaluations: Vec<PlyEvaluation> =
        report.plies.iter().enumerate().map(|(index, ply)| ply_evaluation(index, &ply.lines)).collect();
    if !report.last_lines.is_empty() {
        evaluations.push(ply_evaluation(report.plies.len(), &report.last_lines));
    }
    evaluations
}
