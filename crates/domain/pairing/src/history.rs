//! How long somebody who queues now is likely to wait.

/// Fewer waits than these say nothing.
pub const WAITS_MIN: usize = 4;

/// The median of what others have waited of late, in milliseconds; of an even number the lower middle. None when too few have
/// been paired to tell. A median and not a mean: one who waited an hour at the far end of the ratings must not frighten all others.
#[must_use]
pub fn estimated_wait_ms(recent_waits_ms: &[i64]) -> Option<i64> {
    if recent_waits_ms.len() < WAITS_MIN {
        return None;
    }
    let mut waits = recent_waits_ms.to_vec();
    let middle = (waits.len() - 1) / 2;
    let (_, median, _) = waits.select_nth_unstable(middle);
    Some((*median).max(0))
}
