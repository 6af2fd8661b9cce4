//! A calibration as a file: JSON whose numbers read back bit by bit, named by its content.

use domain_fairplay::calibration::{Basis, Calibration, FalseAlarms, Rate};
use domain_fairplay::expectation::{LossModel, MatchModel, Spread};
use domain_fairplay::human::HumanModel;
use domain_fairplay::levels::Limits;
use domain_fairplay::timing::TimeModel;
use serde::{Deserialize, Serialize};

/// The calibration that services use unless they are given another.
const BUNDLED: &str = include_str!("../bundled/calibration.json");

/// Why a file is no calibration.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It is not JSON of this shape.
    #[error("not a calibration: {0}")]
    Shape(#[from] serde_json::Error),
    /// It was changed after it was named.
    #[error("the calibration is named {named} but its content is {actual}")]
    Altered {
        /// The name it carries.
        named: String,
        /// The name of what it holds.
        actual: String,
    },
}

/// The bundled calibration.
///
/// # Panics
/// Never: a test reads it.
#[must_use]
pub fn bundled() -> Calibration {
    read(BUNDLED).expect("a test reads the bundled calibration")
}

/// Reads a calibration, and checks that it is what its name says.
///
/// # Errors
/// See [`FileError`].
pub fn read(text: &str) -> Result<Calibration, FileError> {
    let file: File = serde_json::from_str(text)?;
    let calibration = file.into_domain();
    let actual = name(&calibration);
    if calibration.id != actual {
        return Err(FileError::Altered { named: calibration.id, actual });
    }
    Ok(calibration)
}

/// Names a calibration by its content, and writes it.
#[must_use]
pub fn write(calibration: &mut Calibration) -> String {
    calibration.id = name(calibration);
    to_text(calibration)
}

fn to_text(calibration: &Calibration) -> String {
    serde_json::to_string_pretty(&File::of(calibration)).expect("numbers and strings can be written") + "\n"
}

/// Engine, nodes, date, and a digest (FNV-1a, 64 bits) of everything else: a name, not a signature.
fn name(calibration: &Calibration) -> String {
    let unnamed = Calibration { id: String::new(), ..calibration.clone() };
    let digest = to_text(&unnamed).bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let basis = &calibration.basis;
    let engine = basis.engine.to_lowercase().replace(' ', "-");
    format!("{engine}-{}-{}-{digest:016x}", basis.nodes, basis.date)
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    id: String,
    engine: String,
    nodes: u64,
    accepted_nodes: Vec<u64>,
    multi_pv: u32,
    human_games: usize,
    human_moves: usize,
    date: String,
    human: Human,
    match_weights: Vec<f64>,
    loss_weights: Vec<f64>,
    loss_variance_weights: Vec<f64>,
    match_spread: [f64; 2],
    loss_spread: [f64; 2],
    time_weights: Vec<f64>,
    human_correlation: [f64; 2],
    limits: FileLimits,
    false_alarms: [[f64; 2]; 3],
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Human {
    log_sensitivity: f64,
    log_sensitivity_per_400: f64,
    log_sensitivity_by_class: [f64; 4],
    exponent: f64,
    unlisted_points: f64,
    unlisted_bias: f64,
    unlisted_bias_per_400: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileLimits {
    review_log_bayes: f64,
    review_z: f64,
    review_moves_min: usize,
    hold_moves_min: usize,
    games_min: usize,
    review_correlation: f64,
    review_time_games: usize,
    review_timed_moves: usize,
    even_variation: f64,
    even_games: usize,
    hold_log_bayes: f64,
    hold_z: f64,
    hold_z_stronger: f64,
    flag_log_bayes: f64,
    flag_moves_min: usize,
    flag_games_min: usize,
    hysteresis: f64,
    games_max: usize,
}

impl File {
    fn of(calibration: &Calibration) -> Self {
        let basis = &calibration.basis;
        let rate = |rate: Rate| [rate.share, rate.upper];
        let alarms = calibration.false_alarms;
        let spread = |spread: Spread| [spread.inflation, spread.between_players];
        Self {
            id: calibration.id.clone(),
            engine: basis.engine.clone(),
            nodes: basis.nodes,
            accepted_nodes: basis.accepted_nodes.clone(),
            multi_pv: basis.multi_pv,
            human_games: basis.human_games,
            human_moves: basis.human_moves,
            date: basis.date.clone(),
            human: Human::of(&calibration.human),
            match_weights: calibration.matches.weights.to_vec(),
            loss_weights: calibration.losses.weights.to_vec(),
            loss_variance_weights: calibration.losses.variance_weights.to_vec(),
            match_spread: spread(calibration.match_spread),
            loss_spread: spread(calibration.loss_spread),
            time_weights: calibration.times.weights.to_vec(),
            human_correlation: calibration.human_correlation,
            limits: FileLimits::of(&calibration.limits),
            false_alarms: [rate(alarms.review), rate(alarms.hold), rate(alarms.flag)],
        }
    }

    fn into_domain(self) -> Calibration {
        let rate = |[share, upper]: [f64; 2]| Rate { share, upper };
        let [review, hold, flag] = self.false_alarms.map(rate);
        let spread = |[inflation, between_players]: [f64; 2]| Spread { inflation, between_players };
        Calibration {
            id: self.id,
            basis: Basis {
                engine: self.engine,
                nodes: self.nodes,
                accepted_nodes: self.accepted_nodes,
                multi_pv: self.multi_pv,
                human_games: self.human_games,
                human_moves: self.human_moves,
                date: self.date,
            },
            human: self.human.into_domain(),
            matches: MatchModel { weights: array(&self.match_weights) },
            losses: LossModel {
                weights: array(&self.loss_weights),
                variance_weights: array(&self.loss_variance_weights),
            },
            match_spread: spread(self.match_spread),
            loss_spread: spread(self.loss_spread),
            times: TimeModel { weights: array(&self.time_weights) },
            human_correlation: self.human_correlation,
            limits: self.limits.into_domain(),
            false_alarms: FalseAlarms { review, hold, flag },
        }
    }
}

/// A missing weight is zero; the digest then tells that the file is another one.
fn array<const N: usize>(weights: &[f64]) -> [f64; N] {
    std::array::from_fn(|index| weights.get(index).copied().unwrap_or(0.0))
}

impl Human {
    fn of(domain: &HumanModel) -> Self {
        Self {
            log_sensitivity: domain.log_sensitivity,
            log_sensitivity_per_400: domain.log_sensitivity_per_400,
            log_sensitivity_by_class: domain.log_sensitivity_by_class,
            exponent: domain.exponent,
            unlisted_points: domain.unlisted_points,
            unlisted_bias: domain.unlisted_bias,
            unlisted_bias_per_400: domain.unlisted_bias_per_400,
        }
    }

    fn into_domain(self) -> HumanModel {
        HumanModel {
            log_sensitivity: self.log_sensitivity,
            log_sensitivity_per_400: self.log_sensitivity_per_400,
            log_sensitivity_by_class: self.log_sensitivity_by_class,
            exponent: self.exponent,
            unlisted_points: self.unlisted_points,
            unlisted_bias: self.unlisted_bias,
            unlisted_bias_per_400: self.unlisted_bias_per_400,
        }
    }
}

impl FileLimits {
    fn of(domain: &Limits) -> Self {
        Self {
            review_log_bayes: domain.review_log_bayes,
            review_z: domain.review_z,
            review_moves_min: domain.review_moves_min,
            hold_moves_min: domain.hold_moves_min,
            games_min: domain.games_min,
            review_correlation: domain.review_correlation,
            review_time_games: domain.review_time_games,
            review_timed_moves: domain.review_timed_moves,
            even_variation: domain.even_variation,
            even_games: domain.even_games,
            hold_log_bayes: domain.hold_log_bayes,
            hold_z: domain.hold_z,
            hold_z_stronger: domain.hold_z_stronger,
            flag_log_bayes: domain.flag_log_bayes,
            flag_moves_min: domain.flag_moves_min,
            flag_games_min: domain.flag_games_min,
            hysteresis: domain.hysteresis,
            games_max: domain.games_max,
        }
    }

    fn into_domain(self) -> Limits {
        Limits {
            review_log_bayes: self.review_log_bayes,
            review_z: self.review_z,
            review_moves_min: self.review_moves_min,
            hold_moves_min: self.hold_moves_min,
            games_min: self.games_min,
            review_correlation: self.review_correlation,
            review_time_games: self.review_time_games,
            review_timed_moves: self.review_timed_moves,
            even_variation: self.even_variation,
            even_games: self.even_games,
            hold_log_bayes: self.hold_log_bayes,
            hold_z: self.hold_z,
            hold_z_stronger: self.hold_z_stronger,
            flag_log_bayes: self.flag_log_bayes,
            flag_moves_min: self.flag_moves_min,
            flag_games_min: self.flag_games_min,
            hysteresis: self.hysteresis,
            games_max: self.games_max,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundled_calibration_is_what_its_name_says_and_reads_back_bit_by_bit() {
        let mut calibration = bundled();
        assert_eq!(write(&mut calibration), BUNDLED);
        assert_eq!(read(BUNDLED).expect("readable"), calibration);
        assert!(calibration.accepts("Stockfish 15.1", 25_000));
        assert!(!calibration.accepts("Stockfish 17", 25_000));
        assert!(!calibration.accepts("Stockfish 15.1", 10_000));
    }

    #[test]
    fn a_calibration_that_was_changed_by_hand_is_refused() {
        let altered = BUNDLED.replacen("\"hold_z\": 4.0", "\"hold_z\": 2.0", 1);
        assert!(matches!(read(&altered), Err(FileError::Altered { .. })));
        assert!(matches!(read("{}"), Err(FileError::Shape(_))));
    }
}
