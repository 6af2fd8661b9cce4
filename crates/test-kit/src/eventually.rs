//! Bounded polling.

use std::future::Future;
use std::panic::Location;
use std::time::{Duration, Instant};

/// How long to wait between two looks. Short, because a test waits for it; not zero, because two cores are shared.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Looks again and again until `look` finds something, and returns it. Panics at the caller's line once `patience`
/// has passed: a test that waits for what never comes fails, it does not hang.
#[track_caller]
pub fn eventually<T, Look, Looking>(
    patience: Duration,
    mut look: Look,
) -> impl Future<Output = T> + use<T, Look, Looking>
where
    Look: FnMut() -> Looking,
    Looking: Future<Output = Option<T>>,
{
    let caller = Location::caller();
    let started = Instant::now();
    async move {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            assert!(started.elapsed() < patience, "not found within {patience:?}, waited for at {caller}");
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }
}
