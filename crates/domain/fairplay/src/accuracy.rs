//! Accuracy: how little of the win chance a move, a game or a player's games gave away.
//!
//! The formulas are those of lichess's open-source analysis (`AccuracyPercent`), described in
//! <https://lichess.org/page/accuracy>.

use shakmaty::{ByColor, Color};

use crate::evaluation::Evaluation;

/// Fewest and most positions in the window whose spread weighs a move.
const WINDOW_POSITIONS: (usize, usize) = (2, 8);

/// Bounds of a move's weight, in points of win chance: a quiet phase still counts, a wild one not without end.
const WEIGHT_POINTS: (f64, f64) = (0.5, 12.0);

/// The accuracy of a move from the mover's win chance before and after it, both in percent; 0 to 100.
///
/// 100 when the chance did not fall, else `103.1668100711649·e^(−0.04354415386753951·ΔW) − 3.166924740191411 + 1`,
/// cut at 0 and 100. The last `+ 1` allows for the engine's own uncertainty.
#[must_use]
pub fn move_accuracy(before: f64, after: f64) -> f64 {
    if after >= before {
        return 100.0;
    }
    let fitted = 103.166_810_071_164_9 * (-0.043_544_153_867_539_51 * (before - after)).exp();
    (fitted - 3.166_924_740_191_411 + 1.0).clamp(0.0, 100.0)
}

/// The accuracy of both sides in a game: the mean of the volatility-weighted mean and the harmonic mean of their
/// move accuracies.
///
/// `positions` are the positions in order, from the one before the first move to the one after the last; `None`
/// stands for a position that was not analysed. A move counts when the positions on both sides of it are known.
/// The weight of a move is the population standard deviation of the win chances in a window of
/// clamp(plies/10, 2, 8) positions, cut at 0.5 and 12; the first moves share the first window. Missing positions
/// are skipped in the windows. A side without a counted move has no accuracy.
#[must_use]
pub fn game_accuracy(first_mover: Color, positions: &[Option<Evaluation>]) -> ByColor<Option<f64>> {
    let known: Vec<(usize, Evaluation)> = positions
        .iter()
        .enumerate()
        .filter_map(|(index, evaluation)| evaluation.map(|known| (index, known)))
        .collect();
    let chances: Vec<f64> = known.iter().map(|(_, e)| e.win_chance_for(Color::White)).collect();
    let mut counted: ByColor<Vec<(f64, f64)>> = ByColor::default();
    for (pair, weight) in known.windows(2).zip(weights(&chances)) {
        let [(index, before), (next, after)] = pair else { continue };
        if index + 1 != *next {
            continue;
        }
        let mover = if index % 2 == 0 { first_mover } else { !first_mover };
        let accuracy = move_accuracy(before.win_chance_for(mover), after.win_chance_for(mover));
        counted.get_mut(mover).push((accuracy, weight));
    }
    counted.map(|moves| side_accuracy(&moves))
}

/// The accuracy over several games: the plain mean of the games' accuracies, each game counting once whatever
/// its length, so that the average can be checked against the single values. `None` without a game.
#[must_use]
pub fn mean_accuracy(games: &[f64]) -> Option<f64> {
    (!games.is_empty()).then(|| games.iter().sum::<f64>() / count(games.len()))
}

/// One weight for each step between neighbours of `chances`.
fn weights(chances: &[f64]) -> Vec<f64> {
    let plies = chances.len().saturating_sub(1);
    let (fewest, most) = WINDOW_POSITIONS;
    let size = (plies / 10).clamp(fewest, most).min(chances.len());
    if plies == 0 {
        return Vec::new();
    }
    let first = &chances[..size];
    let repeated = std::iter::repeat_n(first, size.saturating_sub(2));
    repeated.chain(chances.windows(size)).map(spread).collect()
}

fn spread(window: &[f64]) -> f64 {
    let mean = window.iter().sum::<f64>() / count(window.len());
    let variance = window.iter().map(|w| (w - mean).powi(2)).sum::<f64>() / count(window.len());
    variance.sqrt().clamp(WEIGHT_POINTS.0, WEIGHT_POINTS.1)
}

fn side_accuracy(moves: &[(f64, f64)]) -> Option<f64> {
    if moves.is_empty() {
        return None;
    }
    let weight_sum: f64 = moves.iter().map(|(_, weight)| weight).sum();
    let weighted = moves.iter().map(|(a, weight)| a * weight).sum::<f64>() / weight_sum;
    // An accuracy below one counts as one, or a single lost move would make the whole mean zero.
    let inverse_sum: f64 = moves.iter().map(|(a, _)| 1.0 / a.max(1.0)).sum();
    let harmonic = count(moves.len()) / inverse_sum;
    Some(f64::midpoint(weighted, harmonic).clamp(0.0, 100.0))
}

/// A count as a divisor; counts here are far below 2^52, so nothing is lost.
#[expect(clippy::cast_precision_loss, reason = "a game has far fewer than 2^52 plies")]
pub(crate) fn count(number: usize) -> f64 {
    number as f64
}
