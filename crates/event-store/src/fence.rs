//! Fences: who may write to a set of streams, decided by the database in the transaction that writes.
//!
//! A fence is a row of the table `fences` with an epoch that rises each time the right to write changes hands. Whoever was given the
//! right keeps the epoch as his [`Grant`] and shows it with every append. The row is read `FOR SHARE`, so a grant that is good when
//! an append looks at it is good until that append is committed: whoever raises the epoch waits for it, and finds it in the log.

use sqlx::PgExecutor;
use std::time::Duration;

/// How long a transaction that holds a grant may stand idle before the database ends it: a process that is stopped in its middle must not
/// keep the right for longer than it is missed.
pub const HOLD_IDLE_MAX: Duration = Duration::from_secs(2);

const HOLD: &str = "select set_config('idle_in_transaction_session_timeout', $3, true) is not null
    from fences where fence = $1 and epoch = $2 for share";

/// The right to write to the streams behind one fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Grant {
    /// The fence. Which streams lie behind it is the caller's affair; a stream always lies behind the same one.
    pub fence: i32,
    /// The epoch under which the right was given.
    pub epoch: i64,
}

/// Whether a grant is good; if so, it stays good until the transaction ends. For transactions that use [`crate::append_in`].
pub async fn hold(executor: impl PgExecutor<'_>, grant: Grant) -> Result<bool, sqlx::Error> {
    let idle_max = HOLD_IDLE_MAX.as_millis().to_string();
    let good: Option<bool> = sqlx::query_scalar(HOLD)
        .bind(grant.fence)
        .bind(grant.epoch)
        .bind(idle_max)
        .fetch_optional(executor)
        .await?;
    Ok(good.is_some())
}
