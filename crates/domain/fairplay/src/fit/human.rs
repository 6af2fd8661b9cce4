//! The human choice model, by maximum likelihood.

use super::simplex::minimise;
use crate::decision::Decision;
use crate::human::HumanModel;
use crate::time_class::TimeClass;

/// A human decision to fit to.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// The decision; eligible.
    pub decision: &'a Decision,
    /// The player's rating.
    pub rating: f64,
    /// The class of the clock.
    pub class: TimeClass,
}

/// The model under which the samples are most likely. Blitz is what the sensitivity is measured in; bullet, of which there
/// are no evaluated games, is taken like blitz, and classical like rapid.
#[must_use]
pub fn human_model(samples: &[Sample<'_>]) -> HumanModel {
    let start = [-1.0, 0.3, 0.1, -0.4, 1.0, -1.5, 0.0];
    let steps = [0.3, 0.1, 0.1, 0.2, 0.3, 0.3, 0.2];
    let fitted = minimise(start, steps, |point| surprise(&model(point), samples));
    model(&fitted)
}

/// Minus the mean log-likelihood.
#[must_use]
pub fn surprise(model: &HumanModel, samples: &[Sample<'_>]) -> f64 {
    let log = |sample: &Sample<'_>| {
        let options = model.options(sample.decision, sample.rating, sample.class);
        libm::log(options.of(sample.decision.played))
    };
    -samples.iter().map(log).sum::<f64>() / crate::accuracy::count(samples.len().max(1))
}

fn model(point: &[f64; 7]) -> HumanModel {
    let rapid = point[2].clamp(-1.0, 1.0);
    HumanModel {
        log_sensitivity: point[0],
        log_sensitivity_per_400: point[1],
        log_sensitivity_by_class: [0.0, 0.0, rapid, rapid],
        exponent: libm::exp(point[3].clamp(-3.0, 1.0)),
        unlisted_points: libm::exp(point[4].clamp(-4.0, 4.0)),
        unlisted_bias: point[5],
        unlisted_bias_per_400: point[6],
    }
}
