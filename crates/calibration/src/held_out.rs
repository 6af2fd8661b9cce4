//! The figures once more, on games that nothing was fitted to and no threshold was drawn from: one half of the human games makes the
//! models, the spreads and the threshold; the other half, and half of the helped games, are measured. Then the halves change places.
//! What remains tuned on all of the data are the constants of the method itself: its limits and its inflation.

use std::collections::BTreeMap;

use domain_fairplay::Level;
use domain_fairplay::calibration::Calibration;
use domain_fairplay::evidence::Evidence;
use domain_fairplay::levels::Measured;

use crate::bars::{self, DETECTION, Goal};
use crate::dataset::Game;
use crate::figures::{FALSE_POSITIVES, Figure, SIZES};
use crate::fitting::{Source, fit, measure_spreads};
use crate::pools::{hold_out, kind, score};
use crate::trial::{Draw, Seeded, combined, count, groups, measure, quantile, share, share_at};

/// Groups drawn for a threshold, and for a share.
const THRESHOLD_GROUPS: usize = 20_000;
const GROUPS: usize = 4_000;

/// One half fitted to, the other measured.
struct Half {
    calibration: Calibration,
    /// Sides of the fitted half, scored by models that did not see their games.
    fitted: Vec<Evidence>,
    /// Sides of the other half.
    human: Vec<Evidence>,
    /// Helped sides, by kind.
    helped: BTreeMap<String, Vec<Evidence>>,
}

/// The figures, each the mean of both halves.
#[must_use]
pub fn measure_halves(humans: &[Game], helped: &[Game], source: &Source) -> Vec<Figure> {
    let halves = [0, 1].map(|half| Half::of(humans, helped, source, half));
    let mut sums: BTreeMap<(&'static str, String, usize), (f64, usize)> = BTreeMap::new();
    for half in &halves {
        for size in SIZES {
            for (name, kind, value) in half.shares(size) {
                let sum = sums.entry((name, kind, size)).or_default();
                sum.0 += value;
                sum.1 += 1;
            }
        }
    }
    sums.into_iter()
        .map(|((name, kind, size), (sum, number))| figure(name, &kind, size, sum / count(number)))
        .collect()
}

fn figure(name: &'static str, kind: &str, size: usize, value: f64) -> Figure {
    let mut figure = Figure::new(name, kind, size, value);
    let counterpart = match name {
        "held_out_detection" => DETECTION,
        "held_out_review" => "review",
        "held_out_hold" => "hold",
        _ => "flag",
    };
    // The bars are for all of the data; half of it is to come near them.
    if let Some(bar) = bars::find(counterpart, kind, size) {
        (figure.bar, figure.goal, figure.met) =
            (Some(bar.value), Some(Goal::Aim), Some(bar.is_met_by(value)));
    }
    figure.note = format!(
        "fitted to one half of the human games with its threshold, measured on the other half: mean of both ways, {GROUPS} groups \
         drawn with replacement each"
    );
    figure
}

impl Half {
    fn of(humans: &[Game], helped: &[Game], source: &Source, half: usize) -> Self {
        let (mut fitted_to, mut others) = (Vec::new(), Vec::new());
        for (index, game) in humans.iter().enumerate() {
            if index % 2 == half { fitted_to.push(game.clone()) } else { others.push(game) }
        }
        let mut calibration = fit(&fitted_to.iter().collect::<Vec<_>>(), source);
        let fitted = hold_out(&fitted_to, source).human;
        measure_spreads(&mut calibration, &fitted);
        let human =
            others.iter().flat_map(|game| [0, 1].map(|side| score(&calibration, game, side, 0.0))).collect();
        let mut pools: BTreeMap<String, Vec<Evidence>> = BTreeMap::new();
        for (index, game) in helped.iter().enumerate() {
            let Some(color) = game.helped else { continue };
            if index % 2 != half {
                let side = score(&calibration, game, usize::from(color.is_black()), 0.0);
                pools.entry(kind(&game.event).to_owned()).or_default().push(side);
            }
        }
        Self { calibration, fitted, human, helped: pools }
    }

    fn players(&self, pool: &[Evidence], size: usize, number: usize, seeded: &mut Seeded) -> Vec<Measured> {
        let pool: Vec<&Evidence> = pool.iter().collect();
        groups(&pool, size, number, Draw::WithReplacement, seeded)
            .iter()
            .map(|games| measure(&self.calibration, games))
            .collect()
    }

    fn shares(&self, size: usize) -> Vec<(&'static str, String, f64)> {
        let mut seeded = Seeded::new(3_000 + size as u64);
        let mut scores: Vec<f64> =
            self.players(&self.fitted, size, THRESHOLD_GROUPS, &mut seeded).iter().map(combined).collect();
        let threshold = quantile(&mut scores, 1.0 - FALSE_POSITIVES);
        let mut shares = Vec::new();
        let human = self.players(&self.human, size, GROUPS, &mut seeded);
        let above = |players: &[Measured]| share(players, |measured| combined(measured) > threshold);
        shares.push(("held_out_false_positives", "human".to_owned(), above(&human)));
        shares.extend(self.levels("human", &human));
        for (kind, pool) in &self.helped {
            let players = self.players(pool, size, GROUPS, &mut seeded);
            shares.push(("held_out_detection", kind.clone(), above(&players)));
            shares.extend(self.levels(kind, &players));
        }
        shares
    }

    fn levels(&self, kind: &str, players: &[Measured]) -> [(&'static str, String, f64); 3] {
        [("held_out_review", Level::Review), ("held_out_hold", Level::Hold), ("held_out_flag", Level::Flag)]
            .map(|(name, level)| (name, kind.to_owned(), share_at(&self.calibration, players, level)))
    }
}
