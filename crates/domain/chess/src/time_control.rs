//! Time controls, and the development-only scale of running clocks.

use std::{fmt, num::NonZeroU32};

/// The longest base time a game may have: three hours.
pub const BASE_MS_MAX: u32 = 3 * 60 * 60 * 1_000;
/// The longest increment a game may have: three minutes.
pub const INCREMENT_MS_MAX: u32 = 3 * 60 * 1_000;
/// The most that a development set-up may speed up running clocks.
pub const TIME_SCALE_MAX: u32 = 1_000;

/// How many moves a game is taken to last where controls are compared.
const ESTIMATED_MOVES: u64 = 40;

/// A base time with an increment for each move. A game without clocks has no time control at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TimeControl {
    /// What each clock shows at the start, in milliseconds.
    pub base_ms: u32,
    /// What is added after each own move, the first included, in milliseconds.
    pub increment_ms: u32,
}

impl TimeControl {
    /// A control from its two figures.
    pub const fn new(base_ms: u32, increment_ms: u32) -> TimeControl {
        TimeControl { base_ms, increment_ms }
    }

    /// Whether a game can sensibly be played with it: some base time, and both figures within the named limits.
    pub const fn is_playable(self) -> bool {
        self.base_ms > 0 && self.base_ms <= BASE_MS_MAX && self.increment_ms <= INCREMENT_MS_MAX
    }

    /// How long a player of forty moves has in all, by which controls are compared: base + 40 × increment.
    pub const fn estimated_ms(self) -> u64 {
        self.base_ms as u64 + ESTIMATED_MOVES * self.increment_ms as u64
    }
}

/// Seconds, as in the PGN tag `TimeControl`: `180+2`, `300+0`. Parts of a second are written as decimals.
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |f: &mut fmt::Formatter<'_>, ms: u32| match ms % 1_000 {
            0 => write!(f, "{}", ms / 1_000),
            rest => write!(f, "{}.{:03}", ms / 1_000, rest),
        };
        part(f, self.base_ms)?;
        f.write_str("+")?;
        part(f, self.increment_ms)
    }
}

/// How much quicker than real time a running clock runs. Anything but [`TimeScale::REAL`] is for development only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeScale(NonZeroU32);

impl TimeScale {
    /// A second is a second.
    pub const REAL: TimeScale = TimeScale(NonZeroU32::MIN);

    /// A scale from 1 to [`TIME_SCALE_MAX`]; `None` for anything else.
    pub fn new(scale: u32) -> Option<TimeScale> {
        NonZeroU32::new(scale).filter(|scale| scale.get() <= TIME_SCALE_MAX).map(TimeScale)
    }

    /// The factor.
    pub const fn get(self) -> u32 {
        self.0.get()
    }

    pub(crate) fn clock_ms(self, real_ms: i64) -> i64 {
        real_ms.saturating_mul(i64::from(self.get()))
    }

    /// The real time after which `clock_ms` of clock time have surely passed.
    pub(crate) fn real_ms(self, clock_ms: i64) -> i64 {
        let scale = i64::from(self.get());
        clock_ms.div_euclid(scale) + i64::from(clock_ms.rem_euclid(scale) != 0)
    }
}

impl Default for TimeScale {
    fn default() -> TimeScale {
        TimeScale::REAL
    }
}
