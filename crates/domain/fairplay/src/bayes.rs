//! The weight of evidence: a player helped by an engine on a share of his moves, against a person, perhaps a
//! stronger one than his rating says.

use crate::decision::Decision;
use crate::human::{HumanModel, engine_options};
use crate::time_class::TimeClass;

/// Shares of the moves that an engine may have chosen.
pub const SHARES: [f64; 6] = [0.1, 0.2, 0.35, 0.5, 0.75, 1.0];

/// By how much a person may be stronger than his rating, and how likely that is beforehand. This lets "a stronger
/// person" compete with "an engine", so that improving players and second accounts stay clean.
pub const SHIFTS: [f64; 5] = [0.0, 200.0, 400.0, 600.0, 800.0];
/// See [`SHIFTS`].
pub const SHIFT_WEIGHTS: [f64; 5] = [0.6, 0.2, 0.1, 0.06, 0.04];

/// Moves of a game depend on each other, so that a sum of logarithms claims more than it knows. It is divided by the same
/// factor by which the method inflates the variances of its other channels.
const INFLATION: f64 = 1.25;

/// What of the positive part of the evidence of a lost game counts: nobody pays an engine to lose.
const LOST_SHARE: f64 = 0.5;

/// Logarithms of likelihood ratios against a person of the labelled rating; they add up over moves and games.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Likelihoods {
    /// `lq`: an engine on each of [`SHARES`].
    pub engine: [f64; SHARES.len()],
    /// `l0`: a person stronger by each of [`SHIFTS`].
    pub human: [f64; SHIFTS.len()],
}

/// A Bayes factor with what explains the moves best on either side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BayesFactor {
    /// `ln BF`.
    pub log: f64,
    /// The share of [`SHARES`] that fits best.
    pub share: f64,
    /// The shift of [`SHIFTS`] that fits best.
    pub shift: f64,
}

impl Likelihoods {
    /// Adds one decision of a player of this rating.
    pub fn add(&mut self, model: &HumanModel, decision: &Decision, rating: f64, class: TimeClass) {
        let probability = |shift: f64| model.options(decision, rating + shift, class).of(decision.played);
        let human = probability(0.0);
        let engine = engine_options(decision).of(decision.played);
        for (sum, share) in self.engine.iter_mut().zip(SHARES) {
            *sum += libm::log(share * engine / human + 1.0 - share);
        }
        for (sum, shift) in self.human.iter_mut().zip(SHIFTS).skip(1) {
            *sum += libm::log(probability(shift) / human);
        }
    }

    /// Adds a game; one that was lost counts half on its positive part.
    pub fn add_game(&mut self, game: &Self, is_lost: crate::evidence::Outcome) {
        let weighed = |term: f64| match is_lost {
            crate::evidence::Outcome::Lost if term > 0.0 => term * LOST_SHARE,
            _ => term,
        };
        for (sum, term) in self.engine.iter_mut().zip(game.engine) {
            *sum += weighed(term);
        }
        for (sum, term) in self.human.iter_mut().zip(game.human) {
            *sum += weighed(term);
        }
    }

    /// `BF = mean_q e^{Σ lq / 1.25} / Σ_Δ w_Δ e^{Σ l0 / 1.25}`.
    #[must_use]
    pub fn bayes_factor(&self) -> BayesFactor {
        let even = [1.0 / crate::accuracy::count(SHARES.len()); SHARES.len()];
        let (engine, share) = log_sum(&self.engine.map(|log| log / INFLATION), &even);
        let (human, shift) = log_sum(&self.human.map(|log| log / INFLATION), &SHIFT_WEIGHTS);
        BayesFactor { log: engine - human, share: SHARES[share], shift: SHIFTS[shift] }
    }
}

/// `ln Σ w·e^l` without overflow, and which term is the greatest.
fn log_sum(logs: &[f64], weights: &[f64]) -> (f64, usize) {
    let mut best = 0;
    for (index, log) in logs.iter().enumerate() {
        if *log > logs[best] {
            best = index;
        }
    }
    let top = logs[best];
    let sum: f64 = logs.iter().zip(weights).map(|(log, weight)| weight * libm::exp(log - top)).sum();
    (top + libm::log(sum), best)
}
