//! The second pass: more nodes, on one player's moves that count.

use domain_fairplay::calibration::Calibration;
use domain_fairplay::{Candidate, Color, PlayedGame, PlyEvaluation, Score};
use proto::fairplay::v1 as wire;
use shakmaty::Position as _;
use uci::{Pool, Search};
use uuid::Uuid;

use super::analysis::{Analysed, AnalysisError, Asked, FinishedGame, Source, conclude, replay, start};
use super::settings::SearchSettings;

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
    first: &wire::GameReport,
    player_id: Uuid,
) -> Result<Analysed, AnalysisError> {
    let played = replay(game)?;
    let mut evaluations = evaluations(first, &played);
    let color = if game.white_id == player_id { Color::White } else { Color::Black };
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
    for (index, ply) in first.plies.iter().enumerate() {
        let mover = played.plies().get(index).map(|facts| facts.mover);
        if mover == Some(color) && ply.excluded.is_empty() {
            evaluations[index] = asked.evaluation().await?;
        }
        asked.search.moves.push(ply.uci.clone());
    }
    let cpu_after = asked.session.engine_cpu_time().unwrap_or_default();
    let engine_time = cpu_after.saturating_sub(cpu_before);
    conclude(calibration, game, &played, evaluations, Source { engine: asked.engine, search, engine_time })
}

/// The evaluations that a stored report was made of.
#[must_use]
pub fn evaluations(report: &wire::GameReport, played: &PlayedGame) -> Vec<PlyEvaluation> {
    let ply_evaluation = |index: usize, lines: &[wire::EngineLine]| {
        let turn = played.position(index).map_or(Color::White, |position| position.turn());
        let lines = lines.iter().filter_map(|line| {
            let score = score_for(turn, line.evaluation.as_ref()?)?;
            Some(Candidate { uci: line.uci.clone(), score })
        });
        PlyEvaluation { lines: lines.collect() }
    };
    let mut evaluations: Vec<PlyEvaluation> =
        report.plies.iter().enumerate().map(|(index, ply)| ply_evaluation(index, &ply.lines)).collect();
    if !report.last_lines.is_empty() {
        evaluations.push(ply_evaluation(report.plies.len(), &report.last_lines));
    }
    evaluations
}

/// A stored evaluation as the engine gave it: in the view of the side to move.
fn score_for(mover: Color, stored: &wire::Evaluation) -> Option<Score> {
    let sign = mover.fold_wb(1, -1);
    match stored.score? {
        wire::evaluation::Score::Centipawns(centipawns) => Some(Score::Cp(sign * centipawns)),
        wire::evaluation::Score::MateIn(moves) => Some(Score::Mate(sign * moves)),
    }
}
