//! How a confirmed match becomes a game.

use std::sync::Arc;

use domain_chess::{Command, Event, Game, RuleSet, Start, TimeControl, TimeScale, decide};

use super::facts::Facts;

/// Whether games may run faster than real time. Only a development set-up may say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScaledGames {
    /// They may.
    Allowed,
    /// Every second is a second.
    Refused,
}

/// A match that both players' stakes are held for.
#[derive(Clone, Debug)]
pub struct Confirmed {
    /// What the game is besides chess.
    pub facts: Facts,
    /// Name of the rule set.
    pub rule_set: String,
    /// The clock, or none.
    pub time_control: Option<TimeControl>,
    /// How many times faster than real time the clocks run.
    pub time_scale: u32,
}

/// Why a confirmed match cannot become a game. None of these goes away by trying again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CreationError {
    /// No rule set has this name.
    #[error("there is no rule set {0:?}")]
    RuleSetUnknown(String),
    /// The rule set does not allow this clock.
    #[error("the rule set does not allow this time control")]
    TimeControlRefused,
    /// The clocks would run faster than allowed here.
    #[error("a time scale of {0} is not allowed here")]
    TimeScaleRefused(u32),
    /// A player cannot meet himself.
    #[error("both seats have the same player")]
    SamePlayer,
}

/// The events that a game of this match begins with.
pub fn begin(confirmed: &Confirmed, scaled: ScaledGames, now_ms: i64) -> Result<Vec<Event>, CreationError> {
    if confirmed.facts.white.player_id == confirmed.facts.black.player_id {
        return Err(CreationError::SamePlayer);
    }
    let time_scale = TimeScale::new(confirmed.time_scale)
        .filter(|scale| *scale == TimeScale::REAL || scaled == ScaledGames::Allowed)
        .ok_or(CreationError::TimeScaleRefused(confirmed.time_scale))?;
    let rule_set = rule_set(&confirmed.rule_set)
        .ok_or_else(|| CreationError::RuleSetUnknown(confirmed.rule_set.clone()))?;
    let mut start = Start::new(Arc::new(rule_set), confirmed.time_control, now_ms);
    start.time_scale = time_scale;
    decide(&Game::new(), &Command::Start(Box::new(start))).map_err(|_| CreationError::TimeControlRefused)
}

/// The rule set with this name.
pub fn rule_set(name: &str) -> Option<RuleSet> {
    RuleSet::presets().into_iter().find(|rules| rules.name == name)
}
