//! A report as it is stored and sent.

use domain_fairplay::{Color, Evaluation, Exclusion, Level, PlyReport, SideReport};
use proto::fairplay::v1 as wire;
use uuid::Uuid;

use crate::app::analysis::{Analysed, FinishedGame};

/// The report of a complete analysis.
#[must_use]
pub fn to_wire(game: &FinishedGame, analysed: &Analysed) -> wire::GameReport {
    let report = &analysed.report;
    wire::GameReport {
        game_id: game.game_id.to_string(),
        engine: analysed.engine.clone(),
        nodes: analysed.search.nodes,
        multi_pv: analysed.search.multi_pv.into(),
        plies: (1..).zip(&report.plies).map(|(number, ply)| ply_report(number, ply)).collect(),
        white: Some(side(Color::White, game.white_id, report.sides.get(Color::White))),
        black: Some(side(Color::Black, game.black_id, report.sides.get(Color::Black))),
        engine_ms: i64::try_from(analysed.engine_time.as_millis()).unwrap_or(i64::MAX),
    }
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
        Exclusion::Recapture => "recapture",
        Exclusion::OneGoodMove => "one_good_move",
    }
}

fn ply_report(number: u32, ply: &PlyReport) -> wire::PlyReport {
    wire::PlyReport {
        ply: number,
        uci: ply.uci.clone(),
        before: ply.before.map(evaluation),
        after: ply.after.map(evaluation),
        best_uci: ply.best.clone().unwrap_or_default(),
        accuracy: ply.accuracy.unwrap_or_default(),
        excluded: ply.exclusion.map(exclusion_word).unwrap_or_default().to_owned(),
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
        level: match side.level {
            Level::NotEnoughData => wire::EvidenceLevel::NotEnoughData.into(),
            Level::Clean => wire::EvidenceLevel::Clean.into(),
        },
    }
}

/// A count of plies, of which a game has far fewer than fit.
fn count(plies: usize) -> u32 {
    u32::try_from(plies).unwrap_or(u32::MAX)
}
