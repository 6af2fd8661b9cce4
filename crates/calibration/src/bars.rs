//! What the figures should be: the column "bar for us" of the method and the figures by levels under it.

use serde::Serialize;

/// Whether a bar must be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Goal {
    /// It must.
    Bar,
    /// It is aimed at, and reported.
    Aim,
}

/// Which side of the value is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    AtLeast,
    AtMost,
}

/// A bar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bar {
    figure: &'static str,
    kind: &'static str,
    /// `None`: whatever the number of games.
    games: Option<usize>,
    side: Side,
    /// What is to be reached.
    pub value: f64,
    /// How binding it is.
    pub goal: Goal,
}

impl Bar {
    /// Whether a value reaches it.
    #[must_use]
    pub fn is_met_by(&self, value: f64) -> bool {
        match self.side {
            Side::AtLeast => value >= self.value,
            Side::AtMost => value <= self.value,
        }
    }
}

/// The share found at the threshold that one person in a hundred exceeds.
pub const DETECTION: &str = "detection_at_1_percent";

const fn at_least(figure: &'static str, kind: &'static str, games: usize, value: f64) -> Bar {
    Bar { figure, kind, games: Some(games), side: Side::AtLeast, value, goal: Goal::Bar }
}

const fn at_most(figure: &'static str, kind: &'static str, value: f64) -> Bar {
    Bar { figure, kind, games: None, side: Side::AtMost, value, goal: Goal::Bar }
}

const fn aim(figure: &'static str, kind: &'static str, games: usize, value: f64) -> Bar {
    Bar { figure, kind, games: Some(games), side: Side::AtLeast, value, goal: Goal::Aim }
}

const BARS: &[Bar] = &[
    at_least(DETECTION, "full", 3, 0.95),
    at_least(DETECTION, "other_engine", 3, 0.90),
    at_least(DETECTION, "top_three", 5, 0.90),
    at_least(DETECTION, "blunder_guard", 5, 0.85),
    at_least(DETECTION, "critical_positions", 20, 0.50),
    aim(DETECTION, "critical_positions", 10, 0.55),
    aim(DETECTION, "engine_at_1800", 20, 0.70),
    at_most(DETECTION, "unhelped_control", 0.01),
    at_least(DETECTION, "clocks", 5, 0.85),
    at_least("review", "full", 3, 0.90),
    at_least("hold", "full", 5, 0.90),
    at_least("hold", "full", 10, 0.98),
    at_least("hold", "other_engine", 5, 0.50),
    at_least("hold", "other_engine", 10, 0.80),
    at_least("review", "blunder_guard", 10, 0.80),
    at_most("flag", "human", 0.0),
    at_most("hold", "human", 0.002),
    at_most("review", "human", 0.01),
    Bar {
        figure: "hold",
        kind: "stronger_by_600",
        games: Some(10),
        side: Side::AtMost,
        value: 0.0,
        goal: Goal::Bar,
    },
    at_most("even_times", "human", 0.0),
    Bar {
        figure: "statistics_of_1000_reports_s",
        kind: "human",
        games: None,
        side: Side::AtMost,
        value: 2.0,
        goal: Goal::Bar,
    },
];

/// The bar of a figure, if it has one.
#[must_use]
pub fn find(figure: &str, kind: &str, games: usize) -> Option<&'static Bar> {
    BARS.iter().find(|bar| {
        bar.figure == figure && bar.kind == kind && bar.games.is_none_or(|number| number == games)
    })
}
