//! Players made of games: groups drawn from a pool of sides, and what they would measure.

use domain_fairplay::Level;
use domain_fairplay::assessment::Totals;
use domain_fairplay::calibration::Calibration;
use domain_fairplay::evidence::Evidence;
use domain_fairplay::levels::{Depth, Measured, reached};

/// A generator with a fixed seed (SplitMix64 [Steele, Lea & Flood 2014]), so that a trial can be repeated bit by bit.
#[derive(Debug, Clone)]
pub struct Seeded(u64);

impl Seeded {
    /// Begins with a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let wide = u128::from(mixed ^ (mixed >> 31)) * bound as u128;
        usize::try_from(wide >> 64).expect("it is below the bound")
    }

    /// A random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// How groups are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Draw {
    /// Every game of a group is another one.
    Distinct,
    /// A game may come twice: the pool is too small for groups of this size.
    WithReplacement,
}

/// The draw that a pool allows.
#[must_use]
pub fn draw_for(pool: usize, size: usize) -> Draw {
    if pool >= size { Draw::Distinct } else { Draw::WithReplacement }
}

/// `number` groups of `size` from a pool.
pub fn groups<T: Clone>(
    pool: &[T],
    size: usize,
    number: usize,
    draw: Draw,
    seeded: &mut Seeded,
) -> Vec<Vec<T>> {
    let mut order: Vec<usize> = (0..pool.len()).collect();
    let mut group = || match draw {
        Draw::WithReplacement => (0..size).map(|_| pool[seeded.below(pool.len())].clone()).collect(),
        Draw::Distinct => {
            for at in 0..size {
                let other = at + seeded.below(order.len() - at);
                order.swap(at, other);
            }
            order[..size].iter().map(|at| pool[*at].clone()).collect()
        }
    };
    (0..number).map(|_| group()).collect()
}

/// What a player with these games measures. The evaluations count as those of pass B: they were made with at least half of
/// its nodes, and there are no others.
#[must_use]
pub fn measure(calibration: &Calibration, games: &[&Evidence]) -> Measured {
    Totals::over(calibration, games.iter().copied()).measured(calibration, None, Depth::Second)
}

/// The single figure of detection: the strongest of the channels of moves, on the scale of a normal deviate.
#[must_use]
pub fn combined(measured: &Measured) -> f64 {
    let channels = (measured.loss_z / 1.25).max(measured.match_z / 1.25);
    channels.max((2.0 * measured.log_bayes.max(0.0)).sqrt())
}

/// The share of players at `level` or above.
#[must_use]
pub fn share_at(calibration: &Calibration, players: &[Measured], level: Level) -> f64 {
    share(players, |measured| reached(&calibration.limits, measured) >= level)
}

/// The share of items for which something holds.
pub fn share<T>(items: &[T], holds: impl Fn(&T) -> bool) -> f64 {
    count(items.iter().filter(|item| holds(item)).count()) / count(items.len().max(1))
}

/// The value below which this share of the values lies.
pub fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let index = (share * count(values.len())).floor();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index of the slice")]
    let index = (index as usize).min(values.len().saturating_sub(1));
    values.get(index).copied().unwrap_or(0.0)
}

/// A count as a number to calculate with; far below where anything is lost.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "counts of games and moves")]
pub fn count(number: usize) -> f64 {
    number as f64
}
