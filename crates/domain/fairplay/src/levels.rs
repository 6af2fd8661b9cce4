//! Levels of evidence and the limits between them.

use crate::report::Level;

/// The limits; configuration, not code, and part of a calibration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// `ln BF` from which a player is at review.
    pub review_log_bayes: f64,
    /// z of matches, losses or own history from which he is.
    pub review_z: f64,
    /// Unforced moves without which nothing is said.
    pub review_moves_min: usize,
    /// Unforced moves that a hold needs.
    pub hold_moves_min: usize,
    /// Games without which nothing is said.
    pub games_min: usize,
    /// Mean rank correlation of the times below which he is at review.
    pub review_correlation: f64,
    /// Games with times that the correlation needs.
    pub review_time_games: usize,
    /// Timed moves that the correlation needs.
    pub review_timed_moves: usize,
    /// Variation of the times of a game below which it is too even.
    pub even_variation: f64,
    /// Such games from which he is at review.
    pub even_games: usize,
    /// `ln BF` from which he is at hold.
    pub hold_log_bayes: f64,
    /// z from which he is at hold.
    pub hold_z: f64,
    /// z against a much stronger person that a hold by z needs besides: whoever only plays above his rating is not held.
    pub hold_z_stronger: f64,
    /// `ln BF` from which he is at flag.
    pub flag_log_bayes: f64,
    /// Unforced moves that a flag needs.
    pub flag_moves_min: usize,
    /// Games that a flag needs.
    pub flag_games_min: usize,
    /// The part of a limit to which the evidence must fall back before a level is left again.
    pub hysteresis: f64,
    /// The last games that count.
    pub games_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            review_log_bayes: 3.0,
            review_z: 3.0,
            review_moves_min: 24,
            hold_moves_min: 40,
            games_min: 2,
            review_correlation: 0.12,
            review_time_games: 5,
            review_timed_moves: 100,
            even_variation: 0.4,
            even_games: 3,
            hold_log_bayes: 6.9,
            hold_z: 4.0,
            hold_z_stronger: 2.0,
            flag_log_bayes: 11.5,
            flag_moves_min: 120,
            flag_games_min: 3,
            hysteresis: 0.8,
            games_max: 40,
        }
    }
}

/// What was measured, as far as the limits ask.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Games.
    pub games: usize,
    /// Unforced moves.
    pub moves: usize,
    /// `ln BF`.
    pub log_bayes: f64,
    /// z of matches.
    pub match_z: f64,
    /// z of losses spared.
    pub loss_z: f64,
    /// z of matches against a person stronger by [`crate::evidence::STRONGER_BY`].
    pub match_z_stronger: f64,
    /// z of losses spared against such a person.
    pub loss_z_stronger: f64,
    /// z against the player's other games; 0 when there are none.
    pub history_z: f64,
    /// Mean rank correlation of the times.
    pub correlation: f64,
    /// Games with times.
    pub time_games: usize,
    /// Timed moves.
    pub timed_moves: usize,
    /// Games with too even times.
    pub even_games: usize,
    /// Whether the moves were looked at with pass B's nodes.
    pub depth: Depth,
}

/// How closely the moves were looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Depth {
    /// Pass A.
    Standard,
    /// Pass B.
    Second,
}

/// The level that these measurements reach by themselves.
#[must_use]
pub fn reached(limits: &Limits, measured: &Measured) -> Level {
    level_at(limits, measured, 1.0)
}

/// The level after `before`: it rises at once, and falls only when the evidence has fallen clearly below the limit.
#[must_use]
pub fn next_level(limits: &Limits, before: Level, measured: &Measured) -> Level {
    let reached = reached(limits, measured);
    if reached >= before {
        return reached;
    }
    let kept = level_at(limits, measured, limits.hysteresis);
    kept.clamp(reached, before)
}

fn level_at(limits: &Limits, measured: &Measured, factor: f64) -> Level {
    let by_time = by_time(limits, measured, factor);
    if measured.moves < limits.review_moves_min || measured.games < limits.games_min {
        return if by_time { Level::Review } else { Level::NotEnoughData };
    }
    let z = measured.match_z.max(measured.loss_z);
    let by_history = measured.history_z >= limits.review_z * factor;
    let by_moves = measured.log_bayes >= limits.review_log_bayes * factor || z >= limits.review_z * factor;
    let exceeds = |z: f64, z_stronger: f64| {
        z >= limits.hold_z * factor && z_stronger >= limits.hold_z_stronger * factor
    };
    let is_strong = measured.log_bayes >= limits.hold_log_bayes * factor
        || exceeds(measured.match_z, measured.match_z_stronger)
        || exceeds(measured.loss_z, measured.loss_z_stronger);
    let is_hold = is_strong && measured.moves >= limits.hold_moves_min;
    let is_enough = measured.moves >= limits.flag_moves_min && measured.games >= limits.flag_games_min;
    let is_seen_twice = measured.depth == Depth::Second && is_enough;
    if is_seen_twice && (measured.log_bayes >= limits.flag_log_bayes * factor || is_hold && by_time) {
        return Level::Flag;
    }
    if is_hold || by_moves && by_time {
        return Level::Hold;
    }
    if by_moves || by_time || by_history { Level::Review } else { Level::Clean }
}

/// Whether the times by themselves ask for a second look.
fn by_time(limits: &Limits, measured: &Measured, factor: f64) -> bool {
    let is_enough =
        measured.time_games >= limits.review_time_games && measured.timed_moves >= limits.review_timed_moves;
    let is_unrelated = is_enough && measured.correlation < limits.review_correlation / factor;
    is_unrelated || measured.even_games >= limits.even_games
}
