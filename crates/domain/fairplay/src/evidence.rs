//! The evidence of one side in one game, as sums that add up over games.

use shakmaty::Color;

use crate::bayes::Likelihoods;
use crate::calibration::Calibration;
use crate::decision::Decision;
use crate::expectation::Channel;
use crate::time_class::TimeClass;
use crate::timing::{TimeEvidence, TimedMove};

/// A second account of a strong player: before anything is held, his moves are also compared with those of a person this
/// much above the rating.
pub const STRONGER_BY: f64 = 600.0;

/// How a game ended for a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Won.
    Won,
    /// Neither.
    Drawn,
    /// Lost.
    Lost,
}

/// Whose moves are looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seat {
    /// The side.
    pub color: Color,
    /// The player's rating before the game.
    pub rating: f64,
    /// The class of the clock.
    pub class: TimeClass,
    /// How the game ended for him.
    pub outcome: Outcome,
}

/// The sums of one side in one game.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// How the game ended.
    pub outcome: Outcome,
    /// Against a person of the rating.
    pub likelihoods: Likelihoods,
    /// Best-move matches; more than expected speaks for help.
    pub matches: Channel,
    /// Scaled losses spared: observed and expected are negative losses, so that here too more speaks for help.
    pub spared: Channel,
    /// The same matches against what a person [`STRONGER_BY`] above the rating would match.
    pub matches_stronger: Channel,
    /// The same losses against what such a person would lose.
    pub spared_stronger: Channel,
    /// Thinking times, if they say anything.
    pub time: Option<TimeEvidence>,
}

/// An eligible move and what speaks for help in it.
#[derive(Clone, Debug, PartialEq)]
pub struct TellingMove {
    /// Half-move number, from 1.
    pub ply: usize,
    /// The move.
    pub uci: String,
    /// The probability that a person of the rating plays it.
    pub human_probability: f64,
    /// What it gave away, in points of win chance.
    pub loss: f64,
    /// `ln(p_engine / p_human)`.
    pub weight: f64,
}

impl Evidence {
    /// The evidence of a side. `timed` are its moves with their times, in order, without the first.
    #[must_use]
    pub fn of(calibration: &Calibration, seat: Seat, decisions: &[Decision], timed: &[TimedMove]) -> Self {
        let mut evidence = Self {
            outcome: seat.outcome,
            likelihoods: Likelihoods::default(),
            matches: Channel::default(),
            spared: Channel::default(),
            matches_stronger: Channel::default(),
            spared_stronger: Channel::default(),
            time: calibration.times.evidence(timed),
        };
        for decision in eligible(decisions, seat.color) {
            evidence.likelihoods.add(&calibration.human, decision, seat.rating, seat.class);
            evidence.matches.add_move(decision, &calibration.matches, seat.rating);
            evidence.spared.add_move(decision, &calibration.losses, seat.rating);
            let stronger = seat.rating + STRONGER_BY;
            evidence.matches_stronger.add_move(decision, &calibration.matches, stronger);
            evidence.spared_stronger.add_move(decision, &calibration.losses, stronger);
        }
        evidence
    }

    /// Unforced moves that count.
    #[must_use]
    pub fn moves(&self) -> usize {
        self.matches.moves
    }
}

/// The decisions of a side that count.
pub fn eligible(decisions: &[Decision], color: Color) -> impl Iterator<Item = &Decision> {
    decisions.iter().filter(move |decision| decision.mover == color && decision.exclusion.is_none())
}

/// The moves that speak most for help, the strongest first, at most `number`.
#[must_use]
pub fn telling_moves(
    calibration: &Calibration,
    seat: Seat,
    decisions: &[Decision],
    number: usize,
) -> Vec<TellingMove> {
    let mut moves: Vec<TellingMove> = eligible(decisions, seat.color)
        .map(|decision| {
            let human = calibration.human.options(decision, seat.rating, seat.class).of(decision.played);
            let engine = crate::human::engine_options(decision).of(decision.played);
            TellingMove {
                ply: decision.ply,
                uci: decision.uci.clone(),
                human_probability: human,
                loss: decision.loss,
                weight: libm::log(engine / human),
            }
        })
        .collect();
    moves.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.ply.cmp(&b.ply)));
    moves.truncate(number);
    moves
}
