//! Chess clocks as a pure function of what the server measured.
//!
//! After a move: remaining = remaining − max(0, elapsed − credit) × scale + increment. A flag falls at the instant when
//! that difference would reach zero. Nothing here is ever measured by a client.

use std::ops::{Index, IndexMut};

use shakmaty::Color;

use crate::{
    rule_set::LagCredit,
    time_control::{TimeControl, TimeScale},
};

/// What both clocks show, in milliseconds. Never negative (CHESS-4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Clocks {
    /// White's clock.
    pub white_ms: i64,
    /// Black's clock.
    pub black_ms: i64,
}

impl Clocks {
    /// Both clocks as they stand before the first move.
    pub fn at_start(control: TimeControl) -> Clocks {
        Clocks { white_ms: i64::from(control.base_ms), black_ms: i64::from(control.base_ms) }
    }

    pub(crate) fn with(mut self, color: Color, clock_ms: i64) -> Clocks {
        self[color] = clock_ms;
        self
    }
}

impl Index<Color> for Clocks {
    type Output = i64;

    fn index(&self, color: Color) -> &i64 {
        match color {
            Color::White => &self.white_ms,
            Color::Black => &self.black_ms,
        }
    }
}

impl IndexMut<Color> for Clocks {
    fn index_mut(&mut self, color: Color) -> &mut i64 {
        match color {
            Color::White => &mut self.white_ms,
            Color::Black => &mut self.black_ms,
        }
    }
}

/// The limits of one game's lag credit: the rule set's figures, shrunk for quick controls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LagLimits {
    per_move_ms_max: i64,
    start_ms: i64,
    gain_ms: i64,
    ms_max: i64,
}

impl LagLimits {
    /// The limits for a game with this control. The allowance shrinks in proportion to the estimated length of the game
    /// when that is less than the reference's; the most that one move is credited stays.
    pub fn new(credit: LagCredit, control: TimeControl) -> LagLimits {
        let reference_ms = credit.reference.estimated_ms().max(1);
        let estimated_ms = control.estimated_ms().min(reference_ms);
        let shrunk = |ms: u32| {
            i64::try_from(u64::from(ms) * estimated_ms / reference_ms)
                .expect("no more than the u32 that it came from")
        };
        LagLimits {
            per_move_ms_max: i64::from(credit.per_move_ms_max),
            start_ms: shrunk(credit.allowance_start_ms),
            gain_ms: shrunk(credit.allowance_gain_ms),
            ms_max: shrunk(credit.allowance_ms_max),
        }
    }

    pub(crate) fn at_start(self) -> i64 {
        self.start_ms.min(self.ms_max)
    }

    pub(crate) fn after_move(self, allowance_ms: i64, credited_ms: i64) -> i64 {
        (allowance_ms - credited_ms).max(0).saturating_add(self.gain_ms).min(self.ms_max)
    }

    fn credit_max(self, allowance_ms: i64) -> i64 {
        self.per_move_ms_max.min(allowance_ms).max(0)
    }
}

/// How much of a measured round trip a player is credited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lag {
    /// What was measured.
    Measured(u32),
    /// Nothing was measured with the command at hand, so the most that could be credited is assumed: a game must not be
    /// ended early by a command that knows nothing of the player's network.
    Unknown,
}

/// The clock of the side to move while it runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunningClock {
    pub(crate) remaining_ms: i64,
    pub(crate) started_at_ms: i64,
    pub(crate) scale: TimeScale,
    /// The game's limits and what is left of the player's allowance; `None` without lag credit.
    pub(crate) lag: Option<(LagLimits, i64)>,
}

/// What one move costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Charge {
    pub(crate) elapsed_ms: i64,
    pub(crate) lag_credit_ms: i64,
    pub(crate) charged_ms: i64,
}

impl RunningClock {
    /// The instant at which the flag falls: a move received at it or later is too late.
    pub(crate) fn flag_at_ms(self, lag: Lag) -> i64 {
        self.started_at_ms
            .saturating_add(self.scale.real_ms(self.remaining_ms))
            .saturating_add(self.allowed_credit_ms(lag))
    }

    /// What a move received at `now_ms` costs. The credit is never more than the time that passed, so that a quick move
    /// does not use up the allowance, let alone add to the clock.
    pub(crate) fn charge(self, now_ms: i64, lag: Lag) -> Charge {
        let elapsed_ms = now_ms.saturating_sub(self.started_at_ms).max(0);
        let lag_credit_ms = self.allowed_credit_ms(lag).min(elapsed_ms);
        Charge { elapsed_ms, lag_credit_ms, charged_ms: self.scale.clock_ms(elapsed_ms - lag_credit_ms) }
    }

    /// What the clock shows at `now_ms`, before any credit.
    pub(crate) fn shown_ms(self, now_ms: i64) -> i64 {
        let elapsed_ms = now_ms.saturating_sub(self.started_at_ms).max(0);
        self.remaining_ms.saturating_sub(self.scale.clock_ms(elapsed_ms)).clamp(0, self.remaining_ms)
    }

    fn allowed_credit_ms(self, lag: Lag) -> i64 {
        let Some((limits, allowance_ms)) = self.lag else { return 0 };
        match lag {
            Lag::Measured(measured_ms) => limits.credit_max(allowance_ms).min(i64::from(measured_ms)),
            Lag::Unknown => limits.credit_max(allowance_ms),
        }
    }
}
