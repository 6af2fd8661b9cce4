//! The expectations of matches and losses.

use super::linear::{Observation, logistic_ridge, ridge};
use crate::decision::Decision;
use crate::expectation::{Expectation as _, LossModel, MatchModel, features, scaled_loss};

/// Penalty of the weights; the data are few.
const PENALTY: f64 = 3.0;

/// The logistic model of matches. Each sample is a decision and the player's rating.
#[must_use]
pub fn match_model(samples: &[(&Decision, f64)]) -> MatchModel {
    let observations: Vec<_> = samples
        .iter()
        .map(|(decision, rating)| Observation {
            features: features(decision, *rating),
            value: f64::from(u8::from(decision.is_best())),
        })
        .collect();
    MatchModel { weights: logistic_ridge(&observations, PENALTY) }
}

/// The ridge model of losses and of their variance.
#[must_use]
pub fn loss_model(samples: &[(&Decision, f64)]) -> LossModel {
    let mut observations: Vec<_> = samples
        .iter()
        .map(|(decision, rating)| Observation {
            features: features(decision, *rating),
            value: scaled_loss(decision.loss),
        })
        .collect();
    let weights = ridge(&observations, PENALTY);
    let means = LossModel { weights, variance_weights: weights };
    for (observation, (decision, rating)) in observations.iter_mut().zip(samples) {
        let residual = -observation.value - means.expected(decision, *rating);
        observation.value = residual * residual;
    }
    LossModel { weights, variance_weights: ridge(&observations, PENALTY) }
}
