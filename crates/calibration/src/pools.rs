//! Sides of games by what helped them, each scored by models that did not see its game.

use std::collections::BTreeMap;

use domain_fairplay::calibration::Calibration;
use domain_fairplay::evidence::Evidence;

use crate::dataset::Game;
use crate::fitting::{Source, fit};
use crate::trial::Seeded;

/// Parts that the human games are split into; each is scored by models fitted to the others.
const FOLDS: usize = 6;
/// Random orders of each side's times.
const ORDERS: usize = 5;
/// Players from this rating on, labelled [`UNDERRATED_BY`] lower: a strong player on a second account.
const STRONG_RATING: f64 = 2100.0;
const UNDERRATED_BY: f64 = 600.0;
/// Every player, labelled this much lower: one who has improved.
const IMPROVED_BY: f64 = 300.0;

/// The scores of the human games.
#[derive(Debug, Default)]
pub struct Held {
    /// One a side.
    pub human: Vec<Evidence>,
    /// The strong ones, underrated.
    pub underrated: Vec<Evidence>,
    /// Everybody, underrated by less.
    pub improved: Vec<Evidence>,
    /// Rank correlations of times in a random order.
    pub shuffled_correlations: Vec<f64>,
}

/// Sides to draw from.
#[derive(Debug)]
pub struct Pools<'a> {
    /// People.
    pub human: Vec<&'a Evidence>,
    /// Others, by kind.
    pub helped: BTreeMap<String, Vec<&'a Evidence>>,
    /// Rank correlations of people's times.
    pub human_correlations: Vec<f64>,
    /// And of times that have nothing to do with the positions.
    pub shuffled_correlations: Vec<f64>,
}

/// Scores every human side by models that were fitted without its part of the games.
#[must_use]
pub fn hold_out(humans: &[Game], source: &Source) -> Held {
    let mut held = Held::default();
    let mut seeded = Seeded::new(7);
    for fold in 0..FOLDS {
        let is_out = |index: usize| index % FOLDS == fold;
        let in_fit: Vec<&Game> =
            humans.iter().enumerate().filter(|(index, _)| !is_out(*index)).map(|(_, game)| game).collect();
        let calibration = fit(&in_fit, source);
        for (_, game) in humans.iter().enumerate().filter(|(index, _)| is_out(*index)) {
            for side in 0..game.seats.len() {
                held.add(&calibration, game, side, &mut seeded);
            }
        }
    }
    held
}

impl Held {
    fn add(&mut self, calibration: &Calibration, game: &Game, side: usize, seeded: &mut Seeded) {
        self.human.push(score(calibration, game, side, 0.0));
        self.improved.push(score(calibration, game, side, IMPROVED_BY));
        if game.seats[side].rating >= STRONG_RATING {
            self.underrated.push(score(calibration, game, side, UNDERRATED_BY));
        }
        for _ in 0..ORDERS {
            let mut timed = game.timed[side].clone();
            let mut seconds: Vec<f64> = timed.iter().map(|timed| timed.seconds).collect();
            seeded.shuffle(&mut seconds);
            timed.iter_mut().zip(seconds).for_each(|(timed, seconds)| timed.seconds = seconds);
            let evidence = calibration.times.evidence(&timed);
            self.shuffled_correlations.extend(evidence.map(|time| time.correlation));
        }
    }

    /// The pools, with the helped sides of synthetic games.
    #[must_use]
    pub fn pools<'a>(&'a self, synthetic: &'a [(String, Evidence)]) -> Pools<'a> {
        let mut helped: BTreeMap<String, Vec<&Evidence>> = BTreeMap::new();
        for (kind, evidence) in synthetic {
            helped.entry(kind.clone()).or_default().push(evidence);
        }
        helped.insert("stronger_by_600".to_owned(), self.underrated.iter().collect());
        helped.insert("stronger_by_300".to_owned(), self.improved.iter().collect());
        Pools {
            human: self.human.iter().collect(),
            helped,
            human_correlations: self
                .human
                .iter()
                .filter_map(|evidence| evidence.time.as_ref())
                .map(|time| time.correlation)
                .collect(),
            shuffled_correlations: self.shuffled_correlations.clone(),
        }
    }
}

/// The evidence of a side whose label is `underrated_by` below its rating.
#[must_use]
pub fn score(calibration: &Calibration, game: &Game, side: usize, underrated_by: f64) -> Evidence {
    let mut seat = game.seats[side];
    seat.rating -= underrated_by;
    Evidence::of(calibration, seat, &game.decisions, &game.timed[side])
}

/// What the kind of help is called here; the data set's variants of one kind are taken together.
#[must_use]
pub fn kind(event: &str) -> &str {
    match event {
        "eth12" => "other_engine",
        "smart" => "top_three",
        "guard" | "guardc" => "blunder_guard",
        "hyb40" | "hybc" => "critical_positions",
        "weak" => "engine_at_1800",
        "maia" | "maiac" => "unhelped_control",
        other => other,
    }
}
