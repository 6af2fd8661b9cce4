//! The service's time, as a port: games are decided by it, so tests must be able to turn it.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use futures::future::BoxFuture;
use tokio::sync::watch;

/// What time it is, in milliseconds since the Unix epoch.
///
/// It never runs backwards while the process lives, whatever happens to the machine's wall clock.
pub trait Clock: fmt::Debug + Send + Sync + 'static {
    /// The time now.
    fn now_ms(&self) -> i64;
    /// Resolves when `now_ms` has reached `at_ms`, at once if it has.
    fn sleep_until(&self, at_ms: i64) -> BoxFuture<'_, ()>;
}

/// The machine's monotonic clock, laid onto the epoch once when the process starts.
#[derive(Debug)]
pub struct SystemClock {
    started: Instant,
    started_at_ms: i64,
}

impl SystemClock {
    /// Takes the machine's time.
    pub fn start() -> SystemClock {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        SystemClock { started: Instant::now(), started_at_ms: millis(since_epoch) }
    }
}

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        self.started_at_ms.saturating_add(millis(self.started.elapsed()))
    }

    fn sleep_until(&self, at_ms: i64) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            // The runtime's timers and `now_ms` may round differently: what counts is the latter.
            loop {
                let left_ms = at_ms.saturating_sub(self.now_ms());
                let Ok(left_ms @ 1..) = u64::try_from(left_ms) else { return };
                tokio::time::sleep(Duration::from_millis(left_ms)).await;
            }
        })
    }
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// A clock that stands until it is turned: minutes of play take no time in a test. It lives here rather than in the tests
/// so that every test of the service, inside and outside of the crate, turns the same one.
#[derive(Clone, Debug)]
pub struct ManualClock {
    now_ms: Arc<watch::Sender<i64>>,
}

impl ManualClock {
    /// A clock that shows `now_ms`.
    pub fn at(now_ms: i64) -> ManualClock {
        ManualClock { now_ms: Arc::new(watch::Sender::new(now_ms)) }
    }

    /// Turns the clock on.
    pub fn advance(&self, by_ms: i64) {
        self.now_ms.send_modify(|now_ms| *now_ms += by_ms);
    }
}

impl Clock for ManualClock {
    fn now_ms(&self) -> i64 {
        *self.now_ms.borrow()
    }

    fn sleep_until(&self, at_ms: i64) -> BoxFuture<'_, ()> {
        let mut turned = self.now_ms.subscribe();
        Box::pin(async move {
            // An error would mean that the clock is gone, but `self` holds it.
            let _ = turned.wait_for(|now_ms| *now_ms >= at_ms).await;
        })
    }
}
