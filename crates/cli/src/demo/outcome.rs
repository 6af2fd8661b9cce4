//! What a game came to, as the last line of the demonstration has it.

use proto::fairplay::v1::{EvidenceLevel, GameReport, SideReport};
use proto::rating::v1::Rating;
use serde::Serialize;

/// The last line.
#[derive(Debug, Serialize)]
pub struct Summary {
    /// Every game, in the order played.
    pub games: Vec<GameOutcome>,
    /// Sum of all entries of the ledger, in minor units: 0, or money was made or lost.
    pub ledger_sum: i64,
}

/// A game.
#[derive(Debug, Serialize)]
pub struct GameOutcome {
    /// What the story calls it.
    pub name: &'static str,
    /// UUID of the game.
    pub game_id: String,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: &'static str,
    /// Why it ended.
    pub end_reason: &'static str,
    /// Half-moves played.
    pub plies: usize,
    /// What each player staked, in minor units.
    pub stake: i64,
    /// What the house took, in minor units.
    pub fee: i64,
    /// Both players.
    pub players: Vec<PlayerOutcome>,
    /// Whether the replay from the log equals what was played.
    pub replay_equal: bool,
    /// The engine's report; null for an aborted game, which is not analysed.
    pub report: Option<ReportOutcome>,
}

/// A player of a game.
#[derive(Debug, Serialize)]
pub struct PlayerOutcome {
    /// His name.
    pub name: String,
    /// `white` or `black`.
    pub color: &'static str,
    /// What he could stake before, in minor units.
    pub balance_before: i64,
    /// And after.
    pub balance_after: i64,
    /// His rating before.
    pub rating_before: f64,
    /// And after.
    pub rating_after: f64,
    /// Its deviation after.
    pub deviation_after: f64,
}

/// A report, in short.
#[derive(Debug, Serialize)]
pub struct ReportOutcome {
    /// The engine as it names itself.
    pub engine: String,
    /// Nodes searched a position.
    pub nodes: u64,
    /// Plies with an evaluation.
    pub plies: usize,
    /// White.
    pub white: SideOutcome,
    /// Black.
    pub black: SideOutcome,
}

/// One side of a report.
#[derive(Debug, Serialize)]
pub struct SideOutcome {
    /// Accuracy, 0 to 100.
    pub accuracy: f64,
    /// Mean loss of win chance a move, in points of 100.
    pub mean_loss: f64,
    /// Mean loss in centipawns a move.
    pub mean_centipawn_loss: f64,
    /// Positions that count for the best-move match.
    pub eligible: u32,
    /// Of these, how often the best move was played.
    pub best_move_matches: u32,
    /// What it amounts to.
    pub level: &'static str,
}

impl From<&GameReport> for ReportOutcome {
    fn from(report: &GameReport) -> Self {
        Self {
            engine: report.engine.clone(),
            nodes: report.nodes,
            plies: report.plies.len(),
            white: side(report.white.as_ref()),
            black: side(report.black.as_ref()),
        }
    }
}

fn side(report: Option<&SideReport>) -> SideOutcome {
    let report = report.cloned().unwrap_or_default();
    let level = EvidenceLevel::try_from(report.level).unwrap_or(EvidenceLevel::Unspecified);
    SideOutcome {
        accuracy: tenths(report.accuracy),
        mean_loss: tenths(report.mean_loss),
        mean_centipawn_loss: tenths(report.mean_centipawn_loss),
        eligible: report.eligible,
        best_move_matches: report.best_move_matches,
        level: level.as_str_name().trim_start_matches("EVIDENCE_LEVEL_"),
    }
}

/// A number to one decimal, as ratings and percentages are read.
pub fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// A player's line from his ratings before and after.
pub fn ratings(before: &Rating, after: &Rating) -> (f64, f64, f64) {
    (tenths(before.rating), tenths(after.rating), tenths(after.deviation))
}
