//! Everything that was fitted, and to what: a report is reproducible from the game, the engine and this.

use crate::expectation::{LossModel, MatchModel, Spread};
use crate::human::HumanModel;
use crate::levels::Limits;
use crate::timing::TimeModel;

/// A calibration.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// Its name; whoever changes a number changes the name.
    pub id: String,
    /// What was fitted to what.
    pub basis: Basis,
    /// How people choose.
    pub human: HumanModel,
    /// What people match.
    pub matches: MatchModel,
    /// What people lose.
    pub losses: LossModel,
    /// How far matches spread.
    pub match_spread: Spread,
    /// How far losses spread.
    pub loss_spread: Spread,
    /// How long people think.
    pub times: TimeModel,
    /// The 5 and 95 % quantiles of a person's rank correlation in one game.
    pub human_correlation: [f64; 2],
    /// The limits of the levels.
    pub limits: Limits,
    /// Shares of resampled human groups at or above each level.
    pub false_alarms: FalseAlarms,
}

impl Calibration {
    /// Whether evaluations of this engine may be scored with it.
    #[must_use]
    pub fn accepts(&self, engine: &str, nodes: u64) -> bool {
        self.basis.engine == engine && self.basis.accepted_nodes.contains(&nodes)
    }
}

/// What a calibration was made from.
#[derive(Clone, Debug, PartialEq)]
pub struct Basis {
    /// The engine as it names itself.
    pub engine: String,
    /// Nodes searched a position in the games fitted to.
    pub nodes: u64,
    /// Node budgets for which the fit is taken to hold; evaluations with any other are not scored.
    pub accepted_nodes: Vec<u64>,
    /// Lines searched a position.
    pub multi_pv: u32,
    /// Human games.
    pub human_games: usize,
    /// Eligible human moves.
    pub human_moves: usize,
    /// Day of making, as 2026-11-29.
    pub date: String,
}

/// The false-alarm rate of each level on the calibration set, and the upper end of its 95 % interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FalseAlarms {
    /// At review or above.
    pub review: Rate,
    /// At hold or above.
    pub hold: Rate,
    /// At flag.
    pub flag: Rate,
}

/// A measured share.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rate {
    /// The share seen.
    pub share: f64,
    /// The upper end of its 95 % interval, over independent players.
    pub upper: f64,
}
