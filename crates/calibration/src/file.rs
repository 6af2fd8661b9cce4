//! A calibration as a file: JSON whose numbers are text and read back bit by bit, named by its content.

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

/// A number as text, because not every reader of JSON numbers gives back the same bits.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
struct Number(f64);

impl From<Number> for String {
    fn from(number: Number) -> Self {
        number.0.to_string()
    }
}

impl TryFrom<String> for Number {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Self(number)),
            _ => Err(format!("{text:?} is no number")),
        }
    }
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
    match_weights: Vec<Number>,
    loss_weights: Vec<Number>,
    loss_variance_weights: Vec<Number>,
    match_spread: [Number; 2],
    loss_spread: [Number; 2],
    time_weights: Vec<Number>,
    human_correlation: [Number; 2],
    limits: FileLimits,
    false_alarms: [[Number; 2]; 3],
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Human {
    log_sensitivity: Number,
    log_sensitivity_per_400: Number,
    log_sensitivity_by_class: [Number; 4],
    exponent: Number,
    unlisted_points: Number,
    unlisted_bias: Number,
    unlisted_bias_per_400: Number,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileLimits {
    review_log_bayes: Number,
    review_z: Number,
    review_moves_min: usize,
    hold_moves_min: usize,
    games_min: usize,
    review_correlation: Number,
    review_time_games: usize,
    review_timed_moves: usize,
    even_variation: Number,
    even_games: usize,
    hold_log_bayes: Number,
    hold_z: Number,
    hold_z_stronger: Number,
    flag_log_bayes: Number,
    flag_moves_min: usize,
    flag_games_min: usize,
    hysteresis: Number,
    games_max: usize,
}

impl File {
    fn of(calibration: &Calibration) -> Self {
        let basis = &calibration.basis;
        let rate = |rate: Rate| [rate.share, rate.upper].map(Number);
        let alarms = calibration.false_alarms;
        let spread = |spread: Spread| [spread.inflation, spread.between_players].map(Number);
        let numbers = |weights: &[f64]| weights.iter().copied().map(Number).collect();
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
            match_weights: numbers(&calibration.matches.weights),
            loss_weights: numbers(&calibration.losses.weights),
            loss_variance_weights: numbers(&calibration.losses.variance_weights),
            match_spread: spread(calibration.match_spread),
            loss_spread: spread(calibration.loss_spread),
            time_weights: numbers(&calibration.times.weights),
            human_correlation: calibration.human_correlation.map(Number),
            limits: FileLimits::of(&calibration.limits),
            false_alarms: [rate(alarms.review), rate(alarms.hold), rate(alarms.flag)],
        }
    }

    fn into_domain(self) -> Calibration {
        let rate = |[share, upper]: [Number; 2]| Rate { share: share.0, upper: upper.0 };
        let [review, hold, flag] = self.false_alarms.map(rate);
        let spread = |[inflation, between_players]: [Number; 2]| Spread {
            inflation: inflation.0,
            between_players: between_players.0,
        };
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
            human_correlation: self.human_correlation.map(|number| number.0),
            limits: self.limits.into_domain(),
            false_alarms: FalseAlarms { review, hold, flag },
        }
    }
}

/// A missing weight is zero; the digest then tells that the file is another one.
fn array<const N: usize>(weights: &[Number]) -> [f64; N] {
    std::array::from_fn(|index| weights.get(index).map_or(0.0, |number| number.0))
}

impl Human {
    fn of(domain: &HumanModel) -> Self {
        Self {
            log_sensitivity: Number(domain.log_sensitivity),
            log_sensitivity_per_400: Number(domain.log_sensitivity_per_400),
            log_sensitivity_by_class: domain.log_sensitivity_by_class.map(Number),
            exponent: Number(domain.exponent),
            unlisted_points: Number(domain.unlisted_points),
            unlisted_bias: Number(domain.unlisted_bias),
            unlisted_bias_per_400: Number(domain.unlisted_bias_per_400),
        }
    }

    fn into_domain(self) -> HumanModel {
        HumanModel {
            log_sensitivity: self.log_sensitivity.0,
            log_sensitivity_per_400: self.log_sensitivity_per_400.0,
            log_sensitivity_by_class: self.log_sensitivity_by_class.map(|number| number.0),
            exponent: self.exponent.0,
            unlisted_points: self.unlisted_points.0,
            unlisted_bias: self.unlisted_bias.0,
            unlisted_bias_per_400: self.unlisted_bias_per_400.0,
        }
    }
}

impl FileLimits {
    fn of(domain: &Limits) -> Self {
        Self {
            review_log_bayes: Number(domain.review_log_bayes),
            review_z: Number(domain.review_z),
            review_moves_min: domain.review_moves_min,
            hold_moves_min: domain.hold_moves_min,
            games_min: domain.games_min,
            review_correlation: Number(domain.review_correlation),
            review_time_games: domain.review_time_games,
            review_timed_moves: domain.review_timed_moves,
            even_variation: Number(domain.even_variation),
            even_games: domain.even_games,
            hold_log_bayes: Number(domain.hold_log_bayes),
            hold_z: Number(domain.hold_z),
            hold_z_stronger: Number(domain.hold_z_stronger),
            flag_log_bayes: Number(domain.flag_log_bayes),
            flag_moves_min: domain.flag_moves_min,
            flag_games_min: domain.flag_games_min,
            hysteresis: Number(domain.hysteresis),
            games_max: domain.games_max,
        }
    }

    fn into_domain(self) -> Limits {
        Limits {
            review_log_bayes: self.review_log_bayes.0,
            review_z: self.review_z.0,
            review_moves_min: self.review_moves_min,
            hold_moves_min: self.hold_moves_min,
            games_min: self.games_min,
            review_correlation: self.review_correlation.0,
            review_time_games: self.review_time_games,
            review_timed_moves: self.review_timed_moves,
            even_variation: self.even_variation.0,
            even_games: self.even_games,
            hold_log_bayes: self.hold_log_bayes.0,
            hold_z: self.hold_z.0,
            hold_z_stronger: self.hold_z_stronger.0,
            flag_log_bayes: self.flag_log_bayes.0,
            flag_moves_min: self.flag_moves_min,
            flag_games_min: self.flag_games_min,
            hysteresis: self.hysteresis.0,
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
        let altered = BUNDLED.replacen("\"hold_z\": \"4\"", "\"hold_z\": \"2\"", 1);
        assert!(matches!(read(&altered), Err(FileError::Altered { .. })));
        assert!(matches!(read("{}"), Err(FileError::Shape(_))));
    }
}
