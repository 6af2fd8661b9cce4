//! When a child that ended is started again.

use std::time::{Duration, Instant};

const FIRST_DELAY: Duration = Duration::from_millis(100);
const DELAY_MAX: Duration = Duration::from_secs(5);
/// A child that ran this long is healthy again: its next end is a new story.
const HEALTHY_AFTER: Duration = Duration::from_secs(10);

/// Doubles the delay from end to end, and forgets after a healthy run.
#[derive(Debug, Clone)]
pub struct Backoff {
    delay: Duration,
    started: Instant,
}

impl Backoff {
    /// For a child that was started at that moment.
    #[must_use]
    pub fn started(now: Instant) -> Self {
        Self { delay: FIRST_DELAY, started: now }
    }

    /// The child has ended; returns when to start it again.
    pub fn ended(&mut self, now: Instant) -> Instant {
        if now.duration_since(self.started) >= HEALTHY_AFTER {
            self.delay = FIRST_DELAY;
        }
        let again = now + self.delay;
        self.delay = (self.delay * 2).min(DELAY_MAX);
        self.started = again;
        again
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_a_bound_and_start_anew_after_a_healthy_run() {
        let mut now = Instant::now();
        let mut backoff = Backoff::started(now);
        let mut delays_ms = Vec::new();
        for _ in 0..8 {
            let again = backoff.ended(now);
            delays_ms.push(again.duration_since(now).as_millis());
            now = again;
        }
        assert_eq!(delays_ms, [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
        now += HEALTHY_AFTER;
        assert_eq!(backoff.ended(now).duration_since(now), FIRST_DELAY);
    }
}
