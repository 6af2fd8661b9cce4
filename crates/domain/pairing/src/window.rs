//! How far apart two ratings may lie.

/// The window of somebody who has just queued, in rating points to either side.
pub const WINDOW_START: i32 = 100;

/// The widest window: nobody is paired across more.
pub const WINDOW_MAX: i32 = 250;

/// The wait after which the window begins to widen.
pub const WIDENING_FROM_MS: i64 = 10_000;

/// The wait after which it is as wide as it gets.
pub const WIDENING_UNTIL_MS: i64 = 40_000;

/// The window after a wait: [`WINDOW_START`] for the first ten seconds, then wider in proportion, rounded down, until
/// [`WINDOW_MAX`] at forty seconds.
#[must_use]
pub fn window(waited_ms: i64) -> i32 {
    let widening_ms = waited_ms.clamp(WIDENING_FROM_MS, WIDENING_UNTIL_MS) - WIDENING_FROM_MS;
    let gain = i64::from(WINDOW_MAX - WINDOW_START) * widening_ms / (WIDENING_UNTIL_MS - WIDENING_FROM_MS);
    WINDOW_START + i32::try_from(gain).expect("the gain is at most the widest window")
}
