//! A calibration from human games.

use domain_fairplay::calibration::{Basis, Calibration, FalseAlarms};
use domain_fairplay::decision::Decision;
use domain_fairplay::evidence::{Evidence, eligible};
use domain_fairplay::expectation::{Channel, Spread};
use domain_fairplay::fit::human::{Sample, human_model};
use domain_fairplay::fit::{expectation, timing};
use domain_fairplay::levels::Limits;

use crate::dataset::Game;
use crate::trial::{count, quantile};

/// What is known of the evaluations.
#[derive(Debug, Clone)]
pub struct Source {
    /// The engine as it names itself.
    pub engine: String,
    /// Nodes searched a position.
    pub nodes: u64,
    /// The day, as 2026-11-29.
    pub date: String,
}

/// Moves of a game depend on each other: the factor of the variance, as the method has it.
const INFLATION: f64 = 1.25;
/// The method's deviation of a player's own mean residual, until it is measured.
const BETWEEN_PLAYERS: f64 = 0.035;
/// It is never taken to be less: too few games say that people are all alike.
const BETWEEN_PLAYERS_MIN: f64 = 0.02;
/// Node budgets for which a fit at 50,000 is taken to hold: pass A's, the fit's own and pass B's.
const ACCEPTED_NODES: [u64; 3] = [25_000, 50_000, 100_000];

/// Fits everything to these games, except what needs games that were not fitted to: see [`measure_spreads`].
#[must_use]
pub fn fit(games: &[&Game], source: &Source) -> Calibration {
    let mut samples: Vec<Sample<'_>> = Vec::new();
    for game in games {
        for seat in &game.seats {
            let of_seat = eligible(&game.decisions, seat.color);
            samples.extend(of_seat.map(|decision| Sample {
                decision,
                rating: seat.rating,
                class: seat.class,
            }));
        }
    }
    let rated: Vec<(&Decision, f64)> = samples.iter().map(|s| (s.decision, s.rating)).collect();
    let timed: Vec<_> = games.iter().flat_map(|game| game.timed.iter().cloned()).collect();
    let spread = Spread { inflation: INFLATION, between_players: BETWEEN_PLAYERS };
    Calibration {
        id: String::new(),
        basis: Basis {
            engine: source.engine.clone(),
            nodes: source.nodes,
            accepted_nodes: ACCEPTED_NODES.to_vec(),
            multi_pv: 4,
            human_games: games.len(),
            human_moves: samples.len(),
            date: source.date.clone(),
        },
        human: human_model(&samples),
        matches: expectation::match_model(&rated),
        losses: expectation::loss_model(&rated),
        match_spread: spread,
        loss_spread: spread,
        times: timing::time_model(&timed),
        human_correlation: [-1.0, 1.0],
        limits: Limits::default(),
        false_alarms: FalseAlarms::default(),
    }
}

/// Measures how far people differ from each other and from their ratings, on evidence from models that did not see their
/// games: what the squares of the games' residuals have beyond the inflated variance, by the square of the moves.
pub fn measure_spreads(calibration: &mut Calibration, held_out: &[Evidence]) {
    let between = |channel: fn(&Evidence) -> &Channel| {
        let (mut beyond, mut squares) = (0.0, 0.0);
        for sums in held_out.iter().map(channel) {
            let residual = sums.observed - sums.expected;
            let moves = count(sums.moves);
            beyond += residual * residual - INFLATION * sums.variance;
            squares += moves * moves;
        }
        (beyond.max(0.0) / f64::max(squares, 1.0)).sqrt().max(BETWEEN_PLAYERS_MIN)
    };
    calibration.match_spread.between_players = between(|evidence| &evidence.matches);
    calibration.loss_spread.between_players = between(|evidence| &evidence.spared);
    let mut correlations: Vec<f64> =
        held_out.iter().filter_map(|evidence| evidence.time.as_ref()).map(|time| time.correlation).collect();
    calibration.human_correlation = [quantile(&mut correlations, 0.05), quantile(&mut correlations, 0.95)];
}
