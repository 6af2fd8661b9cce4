//! What a person would be expected to match and to lose in these very positions.
//!
//! Raw match rates mislead: forcing games raise them, and many old human games match nearly perfectly
//! [Barnes & Hernandez-Castro 2015]. So every match and every loss is compared with its expectation from the
//! position and the rating.

use crate::decision::Decision;
use crate::fit::linear::{dot, logistic};
use crate::human::scaled_rating;

/// Explaining variables of a decision.
pub const FEATURES: usize = 9;

/// Losses beyond this scale say little more, in points of win chance.
const LOSS_SCALE_POINTS: f64 = 8.0;
/// The least variance of one loss: no position is so easy that nobody errs.
const VARIANCE_MIN: f64 = 0.004;

/// The explaining variables of a decision by a player of this rating.
#[must_use]
pub fn features(decision: &Decision, rating: f64) -> [f64; FEATURES] {
    let gap = |index: usize| decision.loss_at(index).min(20.0) / 10.0;
    let skill = scaled_rating(rating);
    [
        1.0,
        skill,
        gap(1),
        gap(1).sqrt(),
        gap(2),
        gap(3),
        libm::log(crate::accuracy::count(decision.legal_moves.max(1))) - 3.0,
        (decision.win_chance - 50.0).abs() / 50.0,
        skill * gap(1),
    ]
}

/// A loss on a scale of 0 to 1 that grows ever more slowly, so that one blunder does not outweigh a game.
#[must_use]
pub fn scaled_loss(points: f64) -> f64 {
    1.0 - libm::exp(-points.max(0.0) / LOSS_SCALE_POINTS)
}

/// The logistic expectation of playing the engine's best move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchModel {
    /// One weight a variable.
    pub weights: [f64; FEATURES],
}

/// The ridge expectation of the scaled loss, and of its variance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossModel {
    /// One weight a variable.
    pub weights: [f64; FEATURES],
    /// Weights of the squared residual.
    pub variance_weights: [f64; FEATURES],
}

/// What a model says of one decision; more than expected speaks for help.
pub trait Expectation {
    /// What was seen.
    fn observed(&self, decision: &Decision) -> f64;
    /// What a person of this rating would be expected to show.
    fn expected(&self, decision: &Decision, rating: f64) -> f64;
    /// How far that varies.
    fn variance(&self, decision: &Decision, rating: f64) -> f64;
}

impl Expectation for MatchModel {
    fn observed(&self, decision: &Decision) -> f64 {
        f64::from(u8::from(decision.is_best()))
    }

    fn expected(&self, decision: &Decision, rating: f64) -> f64 {
        logistic(dot(&self.weights, &features(decision, rating)))
    }

    fn variance(&self, decision: &Decision, rating: f64) -> f64 {
        let expected = self.expected(decision, rating);
        expected * (1.0 - expected)
    }
}

/// Losses count as negative numbers here, so that fewer of them speak for help.
impl Expectation for LossModel {
    fn observed(&self, decision: &Decision) -> f64 {
        -scaled_loss(decision.loss)
    }

    fn expected(&self, decision: &Decision, rating: f64) -> f64 {
        -dot(&self.weights, &features(decision, rating)).clamp(0.0, 1.0)
    }

    fn variance(&self, decision: &Decision, rating: f64) -> f64 {
        dot(&self.variance_weights, &features(decision, rating)).max(VARIANCE_MIN)
    }
}

/// What is known of how far sums of residuals spread beyond what single moves would.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Factor of the variance, because moves of a game depend on each other.
    pub inflation: f64,
    /// Standard deviation of a player's own mean residual: people differ from what their rating says.
    pub between_players: f64,
}

/// Observed against expected, summed over moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Channel {
    /// Moves.
    pub moves: usize,
    /// Sum of what was seen.
    pub observed: f64,
    /// Sum of what was expected.
    pub expected: f64,
    /// Sum of the variances of single moves.
    pub variance: f64,
}

impl Channel {
    pub(crate) fn add_move(&mut self, decision: &Decision, model: &impl Expectation, rating: f64) {
        self.moves += 1;
        self.observed += model.observed(decision);
        self.expected += model.expected(decision, rating);
        self.variance += model.variance(decision, rating);
    }

    /// Adds the sums of another game.
    pub fn add(&mut self, other: &Self) {
        self.moves += other.moves;
        self.observed += other.observed;
        self.expected += other.expected;
        self.variance += other.variance;
    }

    /// The standard deviation of observed minus expected.
    #[must_use]
    pub fn deviation(&self, spread: Spread) -> f64 {
        let between = spread.between_players * crate::accuracy::count(self.moves);
        (spread.inflation * self.variance + between * between).sqrt()
    }

    /// How many deviations the observed lies above the expected; 0 without a move.
    #[must_use]
    pub fn z(&self, spread: Spread) -> f64 {
        let deviation = self.deviation(spread);
        if deviation > 0.0 { (self.observed - self.expected) / deviation } else { 0.0 }
    }

    /// How many deviations this mean residual lies above that of `other`, both of the same player. The term between
    /// players cancels.
    #[must_use]
    pub fn z_against(&self, other: &Self, spread: Spread) -> f64 {
        if self.moves == 0 || other.moves == 0 {
            return 0.0;
        }
        let mean = |c: &Self| (c.observed - c.expected) / crate::accuracy::count(c.moves);
        let error = |c: &Self| spread.inflation * c.variance / crate::accuracy::count(c.moves).powi(2);
        let deviation = (error(self) + error(other)).sqrt();
        if deviation > 0.0 { (mean(self) - mean(other)) / deviation } else { 0.0 }
    }
}
