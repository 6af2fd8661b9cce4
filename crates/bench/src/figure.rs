//! How a figure is printed.

use std::io::Write as _;

use serde_json::json;

/// Which way a figure is good.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// Not more than this.
    AtMost(f64),
    /// Not less than this.
    AtLeast(f64),
    /// Measured to compare others with.
    None,
}

/// A measured figure.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Its number in the list of figures, or `raw`.
    pub id: &'static str,
    /// What was measured.
    pub name: String,
    /// The value.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
    /// What it should be.
    pub goal: Goal,
    /// Of how many things it was made.
    pub n: usize,
}

impl Figure {
    /// Whether the goal is met; nothing without a goal.
    pub fn is_met(&self) -> Option<bool> {
        match self.goal {
            Goal::AtMost(most) => Some(self.value <= most),
            Goal::AtLeast(least) => Some(self.value >= least),
            Goal::None => None,
        }
    }

    /// Prints it as one JSON line.
    pub fn print(&self) {
        let goal = match self.goal {
            Goal::AtMost(most) => json!(format!("<= {}", rounded(most))),
            Goal::AtLeast(least) => json!(format!(">= {}", rounded(least))),
            Goal::None => json!(null),
        };
        let line = json!({
            "id": self.id, "name": self.name, "value": rounded(self.value), "unit": self.unit, "goal": goal,
            "met": self.is_met(), "n": self.n,
        });
        let mut out = std::io::stdout().lock();
        // Whoever reads it may have had enough.
        let _ = writeln!(out, "{line}");
        let _ = out.flush();
    }
}

/// To four significant places.
fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let unit = 10_f64.powf(3.0 - value.abs().log10().floor());
    (value * unit).round() / unit
}

/// The value below which a part of the values lie; sorts them. 0 without values.
pub fn quantile(values: &mut [f64], part: f64) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    values.sort_by(f64::total_cmp);
    let place = (part * (values.len() - 1) as f64).round() as usize;
    values[place.min(values.len() - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_one_of_the_values_and_a_goal_has_a_direction() {
        let mut values: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!(quantile(&mut values, 0.5), 51.0);
        assert_eq!(quantile(&mut values, 0.99), 99.0);
        assert_eq!(quantile(&mut [], 0.5), 0.0);
        let figure = |value, goal| Figure { id: "P0", name: String::new(), value, unit: "s", goal, n: 1 };
        assert_eq!(figure(3.0, Goal::AtMost(3.0)).is_met(), Some(true));
        assert_eq!(figure(2.9, Goal::AtLeast(3.0)).is_met(), Some(false));
        assert_eq!(figure(2.9, Goal::None).is_met(), None);
        assert_eq!(rounded(1234.567), 1235.0);
        assert_eq!(rounded(0.012_345_6), 0.012_35);
    }
}
