//! How people choose: the probability that a person of a rating plays each of the listed moves, or another one.
//!
//! Regan's intrinsic ratings [Regan & Haworth 2011] made the probability of a move a function of what it gives away
//! and of the player's skill; this is the same idea as a conditional logit, with the moves that are not listed as
//! one more option that grows with their number.

use crate::decision::Decision;
use crate::time_class::TimeClass;

/// The rating at which the sensitivity has no correction, and the step it is measured in.
const RATING_CENTRE: f64 = 1700.0;
const RATING_STEP: f64 = 400.0;

/// Share of choices that no model explains: slips of the mouse and of the mind, spread evenly over the options.
pub const FLOOR_SHARE: f64 = 0.03;

/// The listed moves that a model speaks of; the engine is asked for this many.
pub const LISTED_MAX: usize = 4;

/// A rating in steps of 400 from 1700.
#[must_use]
pub fn scaled_rating(rating: f64) -> f64 {
    (rating - RATING_CENTRE) / RATING_STEP
}

/// The human choice model: `u_i = −k·loss_i^c` for a listed move, `u_other = −k·(loss_last + pw)^c + lo +
/// ln(unlisted)` for the others together, `p = softmax(u)`, and `ln k = k0 + k1·(R − 1700)/400 + k_tc`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HumanModel {
    /// `k0`: sensitivity to loss at 1700.
    pub log_sensitivity: f64,
    /// `k1`: what 400 points of rating add to it.
    pub log_sensitivity_per_400: f64,
    /// `k_tc`: what a time class adds to it, in the order of [`TimeClass::ALL`].
    pub log_sensitivity_by_class: [f64; 4],
    /// `c`.
    pub exponent: f64,
    /// `pw`: how much worse than the last listed move the others are, in points of win chance.
    pub unlisted_points: f64,
    /// `lo`: how tempting an unlisted move is beside a listed one.
    pub unlisted_bias: f64,
    /// What 400 points of rating add to it: stronger players look elsewhere less often even where little is at stake.
    pub unlisted_bias_per_400: f64,
}

/// The probabilities of the options of one decision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    listed: [f64; LISTED_MAX],
    other: f64,
}

impl Options {
    /// The probability of what was played.
    #[must_use]
    pub fn of(&self, played: Option<usize>) -> f64 {
        played.map_or(self.other, |index| self.listed[index.min(LISTED_MAX - 1)])
    }

    /// Turns utilities into probabilities, with the floor. `None` stands for an option that does not exist.
    pub(crate) fn softmax(utilities: [Option<f64>; LISTED_MAX + 1]) -> Self {
        let top = utilities.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights = utilities.map(|utility| utility.map_or(0.0, |utility| libm::exp(utility - top)));
        let sum: f64 = weights.iter().sum();
        let number = crate::accuracy::count(utilities.iter().flatten().count());
        let probability = |index: usize| match utilities[index] {
            Some(_) => (1.0 - FLOOR_SHARE) * weights[index] / sum + FLOOR_SHARE / number,
            None => FLOOR_SHARE / number,
        };
        Self { listed: std::array::from_fn(probability), other: probability(LISTED_MAX) }
    }
}

impl HumanModel {
    /// The probabilities of a person with this rating in this class.
    #[must_use]
    pub fn options(&self, decision: &Decision, rating: f64, class: TimeClass) -> Options {
        let k = self.sensitivity(rating, class);
        let cost = |loss: f64| -k * libm::pow(loss, self.exponent);
        let mut utilities = [None; LISTED_MAX + 1];
        for (utility, loss) in utilities.iter_mut().zip(decision.losses.iter().take(LISTED_MAX)) {
            *utility = Some(cost(*loss));
        }
        let unlisted = decision.unlisted();
        if unlisted > 0 {
            let last = decision.loss_at(LISTED_MAX - 1);
            let number = crate::accuracy::count(unlisted);
            let bias = self.unlisted_bias + self.unlisted_bias_per_400 * scaled_rating(rating);
            let utility = cost(last + self.unlisted_points) + bias + libm::log(number);
            utilities[LISTED_MAX] = Some(utility);
        }
        Options::softmax(utilities)
    }

    fn sensitivity(&self, rating: f64, class: TimeClass) -> f64 {
        let by_class = self.log_sensitivity_by_class[class as usize];
        libm::exp(self.log_sensitivity + self.log_sensitivity_per_400 * scaled_rating(rating) + by_class)
    }
}

/// The engine's choice: `p ∝ e^(−loss)` over the listed moves, so that close moves share and clearly worse ones are not
/// played; with the same floor.
#[must_use]
pub fn engine_options(decision: &Decision) -> Options {
    let mut utilities = [None; LISTED_MAX + 1];
    for (utility, loss) in utilities.iter_mut().zip(decision.losses.iter().take(LISTED_MAX)) {
        *utility = Some(-loss);
    }
    Options::softmax(utilities)
}
