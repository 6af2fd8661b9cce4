//! The figures of a calibration: what is found, and how often a person is suspected.

use domain_fairplay::Level;
use domain_fairplay::calibration::{Calibration, FalseAlarms, Rate};
use domain_fairplay::evidence::Evidence;
use domain_fairplay::levels::Measured;
use serde::Serialize;

use crate::bars::{self, Bar, DETECTION, Goal};
use crate::pools::Pools;
use crate::trial::{Draw, Seeded, combined, count, draw_for, groups, measure, quantile, share, share_at};

/// Games of one player.
pub const SIZES: [usize; 4] = [3, 5, 10, 20];
/// Groups drawn for a share of people; for a kind of help.
const HUMAN_GROUPS: usize = 20_000;
const HELPED_GROUPS: usize = 4_000;
/// Pools drawn again for an interval, and groups from each.
const POOLS_REDRAWN: usize = 200;
const GROUPS_REDRAWN: usize = 400;
/// The share of people whom the threshold of detection suspects.
pub const FALSE_POSITIVES: f64 = 0.01;

/// A figure; one line of JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// What was measured.
    pub figure: &'static str,
    /// In whose games.
    pub kind: String,
    /// Games of one player.
    pub games: usize,
    /// The value; a share unless the figure says otherwise.
    pub value: f64,
    /// The same from groups drawn with replacement, whatever the size of the pool: they spread as independent games would.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with_replacement: Option<f64>,
    /// The 95 % interval when the pool of games is drawn again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// What it should be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bar: Option<f64>,
    /// Whether the bar is a must or an aim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<Goal>,
    /// Whether it is reached; absent without a bar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub met: Option<bool>,
    /// What the reader should know of it.
    pub note: String,
}

impl Figure {
    /// A figure, held against its bar if there is one.
    #[must_use]
    pub fn new(figure: &'static str, kind: &str, games: usize, value: f64) -> Self {
        let bar: Option<&Bar> = bars::find(figure, kind, games);
        Self {
            figure,
            kind: kind.to_owned(),
            games,
            value,
            with_replacement: None,
            interval: None,
            bar: bar.map(|bar| bar.value),
            goal: bar.map(|bar| bar.goal),
            met: bar.map(|bar| bar.is_met_by(value)),
            note: String::new(),
        }
    }

    fn noted(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }
}

/// Everything that is measured of groups.
#[must_use]
pub fn measure_all(calibration: &Calibration, pools: &Pools) -> Vec<Figure> {
    let mut figures = Vec::new();
    for size in SIZES {
        let mut seeded = Seeded::new(size as u64);
        let humans: Vec<Measured> =
            groups(&pools.human, size, HUMAN_GROUPS, Draw::WithReplacement, &mut seeded)
                .iter()
                .map(|games| measure(calibration, games))
                .collect();
        let mut scores: Vec<f64> = humans.iter().map(combined).collect();
        let threshold = quantile(&mut scores, 1.0 - FALSE_POSITIVES);
        figures.extend(human_figures(calibration, pools, size, &humans));
        for (kind, pool) in &pools.helped {
            let subject = Subject { kind, pool, size, threshold };
            figures.extend(subject.figures(calibration, &mut seeded));
        }
        figures.extend(clock_figure(pools, size));
    }
    figures
}

/// A kind of help, and players with so many games of it.
struct Subject<'a> {
    kind: &'a str,
    pool: &'a [&'a Evidence],
    size: usize,
    threshold: f64,
}

impl Subject<'_> {
    fn figures(&self, calibration: &Calibration, seeded: &mut Seeded) -> Vec<Figure> {
        let draw = draw_for(self.pool.len(), self.size);
        let mut players = |draw| -> Vec<Measured> {
            groups(self.pool, self.size, HELPED_GROUPS, draw, seeded)
                .iter()
                .map(|games| measure(calibration, games))
                .collect()
        };
        let (drawn, again) = (players(draw), players(Draw::WithReplacement));
        let found = |players: &[Measured]| share(players, |measured| combined(measured) > self.threshold);
        let figure = |name, value: &dyn Fn(&[Measured]) -> f64| {
            let mut figure = Figure::new(name, self.kind, self.size, value(&drawn));
            figure.with_replacement = Some(value(&again));
            figure.noted(pool_note(self.pool.len(), draw))
        };
        let mut figures = vec![figure(DETECTION, &found)];
        figures[0].note += &format!("; threshold {:.3}", self.threshold);
        figures.extend(LEVELS.iter().map(|(name, level)| {
            figure(name, &|players: &[Measured]| share_at(calibration, players, *level))
        }));
        figures
    }
}

/// Shares of people at each level, with intervals.
fn human_figures(calibration: &Calibration, pools: &Pools, size: usize, humans: &[Measured]) -> Vec<Figure> {
    let mut seeded = Seeded::new(1_000 + size as u64);
    let mut redrawn: Vec<[f64; 3]> = Vec::with_capacity(POOLS_REDRAWN);
    for _ in 0..POOLS_REDRAWN {
        let pool: Vec<_> =
            (0..pools.human.len()).map(|_| pools.human[seeded.below(pools.human.len())]).collect();
        let players: Vec<Measured> = groups(&pool, size, GROUPS_REDRAWN, Draw::WithReplacement, &mut seeded)
            .iter()
            .map(|games| measure(calibration, games))
            .collect();
        redrawn.push(LEVELS.map(|(_, level)| share_at(calibration, &players, level)));
    }
    let figure = |(index, (name, level)): (usize, &(&'static str, Level))| {
        let mut values: Vec<f64> = redrawn.iter().map(|shares| shares[index]).collect();
        let mut figure = Figure::new(name, "human", size, share_at(calibration, humans, *level));
        figure.interval = Some([quantile(&mut values, 0.025), quantile(&mut values, 0.975)]);
        let note = format!(
            "{HUMAN_GROUPS} groups from {} sides scored by models that did not see them; as disjoint players they prove no less than {:.3}",
            pools.human.len(),
            proved(pools.human.len(), size)
        );
        figure.noted(note)
    };
    LEVELS.iter().enumerate().map(figure).collect()
}

const LEVELS: [(&str, Level); 3] = [("review", Level::Review), ("hold", Level::Hold), ("flag", Level::Flag)];

/// The upper 95 % bound of a share that was never seen among the disjoint groups a pool has (the rule of three).
fn proved(pool: usize, size: usize) -> f64 {
    (3.0 / count((pool / size).max(1))).min(1.0)
}

fn pool_note(pool: usize, draw: Draw) -> String {
    match draw {
        Draw::Distinct => format!("{HELPED_GROUPS} groups of distinct games from {pool}"),
        Draw::WithReplacement => {
            format!(
                "{HELPED_GROUPS} groups drawn with replacement from {pool} games, too few for distinct ones"
            )
        }
    }
}

/// How often times that have nothing to do with the positions are found by their mean rank correlation.
fn clock_figure(pools: &Pools, size: usize) -> Option<Figure> {
    let mut seeded = Seeded::new(2_000 + size as u64);
    let mut means = |pool: &[f64], number| -> Vec<f64> {
        groups(pool, size, number, Draw::WithReplacement, &mut seeded)
            .iter()
            .map(|values| values.iter().sum::<f64>() / count(size))
            .collect()
    };
    let threshold = quantile(&mut means(&pools.human_correlations, HUMAN_GROUPS), FALSE_POSITIVES);
    let found = share(&means(&pools.shuffled_correlations, HELPED_GROUPS), |mean| *mean < threshold);
    let note = format!("the human games with each side's times in random order; threshold {threshold:.3}");
    Some(Figure::new(DETECTION, "clocks", size, found).noted(note))
}

/// The false-alarm rates that every report carries: those of ten games, with what the data can prove at most.
#[must_use]
pub fn false_alarms(figures: &[Figure], sides: usize) -> FalseAlarms {
    let size = 10;
    let rate = |name: &str| {
        let found = figures.iter().find(|f| f.figure == name && f.kind == "human" && f.games == size);
        let share = found.map_or(0.0, |figure| figure.value);
        let drawn = found.and_then(|figure| figure.interval).map_or(0.0, |interval| interval[1]);
        Rate { share, upper: drawn.max(proved(sides, size)) }
    };
    FalseAlarms { review: rate("review"), hold: rate("hold"), flag: rate("flag") }
}
