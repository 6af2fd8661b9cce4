//! Growing delays between tries.

use std::time::Duration;

/// Doubles from `min` to `max`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Backoff {
    pub(crate) min: Duration,
    pub(crate) max: Duration,
}

impl Backoff {
    /// The delay after the given number of failures in a row, 1 being the first.
    pub(crate) fn delay(&self, failures: u32) -> Duration {
        let doublings = failures.saturating_sub(1).min(30);
        self.min.saturating_mul(1 << doublings).min(self.max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_their_limit() {
        let backoff = Backoff { min: Duration::from_millis(100), max: Duration::from_millis(1_500) };
        let delays: Vec<u128> = (0..7).map(|failures| backoff.delay(failures).as_millis()).collect();
        assert_eq!(delays, [100, 100, 200, 400, 800, 1_500, 1_500]);
        assert_eq!(backoff.delay(u32::MAX), backoff.max);
    }
}
