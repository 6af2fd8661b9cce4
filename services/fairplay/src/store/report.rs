//! A report as it is stored and sent.

use domain_fairplay::{
    Candidate, Color, Evaluation, Exclusion, GameReport, PlyEvaluation, PlyReport, Score, SideReport,
};
use proto::fairplay::v1 as wire;
use uuid::Uuid;

use super::evidence::{self, count};
use super::staked_games::Analysis;
use crate::app::analysis::{Analysed, FinishedGame};
use crate::app::explanation;

/// The report of a complete analysis.
#[must_use]
pub fn to_wire(game: &FinishedGame, analysed: &Analysed) -> wire::GameReport {
    let report = &analysed.report;
    wire::GameReport {
        game_id: game.game_id.to_string(),
        engine: analysed.engine.clone(),
        nodes: analysed.search.nodes,
        multi_pv: analysed.search.multi_pv.into(),
        plies: report
            .plies
            .iter()
            .enumerate()
            .map(|(index, ply)| wire::PlyReport {
                lines: lines_to_wire(ply.mover, analysed.evaluations.get(index)),
                ..ply_report(index, ply)
            })
            .collect(),
        white: Some(side_of(Color::White, game.white_id, analysed)),
        black: Some(side_of(Color::Black, game.black_id, analysed)),
        engine_ms: i64::try_from(analysed.engine_time.as_millis()).unwrap_or(i64::MAX),
        calibration_id: analysed.calibration_id.clone(),
        last_lines: lines_to_wire(last_turn(report), analysed.evaluations.get(report.plies.len())),
    }
}

/// A side with its evidence.
#[must_use]
pub fn side_of(color: Color, player_id: Uuid, analysed: &Analysed) -> wire::SideReport {
    let scored = analysed.scored.as_ref().map(|sides| sides.get(color));
    wire::SideReport {
        evidence: scored.map(evidence::to_wire),
        ..side(color, player_id, analysed.report.sides.get(color))
    }
}

/// Who would move after the last ply. A report without a ply has no last lines.
fn last_turn(report: &GameReport) -> Color {
    report.plies.last().map_or(Color::White, |ply| !ply.mover)
}

/// The engine's moves in a position, from White's side.
#[must_use]
pub fn lines_to_wire(turn: Color, position: Option<&PlyEvaluation>) -> Vec<wire::EngineLine> {
    let candidates = position.iter().flat_map(|position| &position.lines);
    candidates
        .map(|candidate| wire::EngineLine {
            uci: candidate.uci.clone(),
            evaluation: Some(evaluation(Evaluation::seen_from(turn, candidate.score))),
        })
        .collect()
}

/// The engine's moves as it gave them: in the view of the side to move.
#[must_use]
pub fn evaluation_from_wire(turn: Color, lines: &[wire::EngineLine]) -> PlyEvaluation {
    let lines = lines.iter().filter_map(|line| {
        let score = score_for(turn, line.evaluation.as_ref()?)?;
        Some(Candidate { uci: line.uci.clone(), score })
    });
    PlyEvaluation { lines: lines.collect() }
}

fn score_for(mover: Color, stored: &wire::Evaluation) -> Option<Score> {
    let sign = mover.fold_wb(1, -1);
    match stored.score? {
        wire::evaluation::Score::Centipawns(centipawns) => Some(Score::Cp(sign * centipawns)),
        wire::evaluation::Score::MateIn(moves) => Some(Score::Mate(sign * moves)),
    }
}

/// What signs of collusion need of a report.
#[must_use]
pub fn summary(report: &wire::GameReport) -> Analysis {
    use wire::evaluation::Score;

    let mean_loss = |side: &Option<wire::SideReport>| side.as_ref().map_or(0.0, |side| side.mean_loss);
    let last = report.plies.last().and_then(|ply| ply.after.as_ref()?.score);
    let white_last_chance = match last {
        None => 50.0,
        Some(Score::Centipawns(centipawns)) => domain_fairplay::win_chance(centipawns),
        // Mate on the board: whoever moved last has mated.
        Some(Score::MateIn(0)) => {
            if report.plies.len() % 2 == 1 {
                100.0
            } else {
                0.0
            }
        }
        Some(Score::MateIn(moves)) => {
            if moves > 0 {
                100.0
            } else {
                0.0
            }
        }
    };
    Analysis { mean_losses: [mean_loss(&report.white), mean_loss(&report.black)], white_last_chance }
}

/// The stable word for a reason.
#[must_use]
pub fn exclusion_word(reason: Exclusion) -> &'static str {
    match reason {
        Exclusion::Opening => "opening",
        Exclusion::Forced => "forced",
        Exclusion::FewMoves => "few_moves",
        Exclusion::Repetition => "repetition",
        Exclusion::NotAnalysed => "not_analysed",
        Exclusion::Decided => "decided",
        Exclusion::Drawn => "drawn",
        Exclusion::Recapture => "recapture",
        Exclusion::OneGoodMove => "one_good_move",
    }
}

fn ply_report(index: usize, ply: &PlyReport) -> wire::PlyReport {
    wire::PlyReport {
        ply: count(index + 1),
        uci: ply.uci.clone(),
        before: ply.before.map(evaluation),
        after: ply.after.map(evaluation),
        best_uci: ply.best.clone().unwrap_or_default(),
        accuracy: ply.accuracy.unwrap_or_default(),
        excluded: ply.exclusion.map(exclusion_word).unwrap_or_default().to_owned(),
        lines: Vec::new(),
    }
}

fn evaluation(evaluation: Evaluation) -> wire::Evaluation {
    use wire::evaluation::Score;

    let score = match evaluation {
        Evaluation::Centipawns(centipawns) => Score::Centipawns(centipawns),
        Evaluation::Mate { winner, moves } => {
            let moves = i32::try_from(moves).unwrap_or(i32::MAX);
            Score::MateIn(if winner == Color::White { moves } else { -moves })
        }
    };
    wire::Evaluation { score: Some(score) }
}

fn side(color: Color, player_id: Uuid, side: &SideReport) -> wire::SideReport {
    let loss = side.mean_loss.unwrap_or_default();
    let excluded = side.exclusions.iter().filter(|(_, number)| *number > 0);
    wire::SideReport {
        color: match color {
            Color::White => proto::types::v1::Color::White.into(),
            Color::Black => proto::types::v1::Color::Black.into(),
        },
        player_id: player_id.to_string(),
        accuracy: side.accuracy.unwrap_or_default(),
        mean_loss: loss.win_chance_points,
        mean_centipawn_loss: loss.centipawns,
        eligible: count(side.eligible_plies),
        best_move_matches: count(side.best_matches),
        inaccuracies: count(side.judgements.inaccuracies),
        mistakes: count(side.judgements.mistakes),
        blunders: count(side.judgements.blunders),
        excluded: excluded
            .map(|(reason, number)| (exclusion_word(reason).to_owned(), count(number)))
            .collect(),
        level: explanation::level(side.level).into(),
        evidence: None,
    }
}
