//! The expectation of thinking times.

use super::linear::{Observation, ridge};
use crate::timing::{TIME_FEATURES, TimeModel, TimedMove};

/// Penalty of the weights.
const PENALTY: f64 = 3.0;

/// The ridge model of `ln(t + 0.3)`. Each game's times are centred first: what is modelled is a player's slow and fast moves,
/// not slow and fast players.
#[must_use]
pub fn time_model(games: &[Vec<TimedMove>]) -> TimeModel {
    let mut observations = Vec::new();
    for game in games.iter().filter(|game| !game.is_empty()) {
        let number = crate::accuracy::count(game.len());
        let mean_value = game.iter().map(TimedMove::log_seconds).sum::<f64>() / number;
        let means: [f64; TIME_FEATURES] =
            std::array::from_fn(|i| game.iter().map(|timed| timed.features[i]).sum::<f64>() / number);
        observations.extend(game.iter().map(|timed| Observation {
            features: std::array::from_fn(|i| if i == 0 { 1.0 } else { timed.features[i] - means[i] }),
            value: timed.log_seconds() - mean_value,
        }));
    }
    TimeModel { weights: ridge(&observations, PENALTY) }
}
