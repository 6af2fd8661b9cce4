//! What the gateway keeps: accounts and sessions in Postgres, token buckets in Redis.

mod accounts;
mod buckets;
mod events;

use std::time::Duration;

use sqlx::PgPool;
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;

pub use accounts::PostgresAccounts;
pub use buckets::{Bucket, Buckets, Rate, Verdict};

/// How often ended refresh tokens are deleted.
const TIDY_EVERY: Duration = Duration::from_secs(3600);
/// Rows deleted at a time, so that no lock is held for long.
const TIDY_ROWS_MAX: i64 = 1000;
/// How long an ended token is kept, so that its second use is still recognised after a clock was off.
const KEPT_AFTER_END: Duration = Duration::from_secs(24 * 3600);

/// Deletes what has ended long ago, until `shutdown`.
pub async fn tidy(pool: PgPool, shutdown: CancellationToken) {
    let mut every = tokio::time::interval(TIDY_EVERY);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            _ = every.tick() => {}
        }
        if let Err(error) = tidy_once(&pool, OffsetDateTime::now_utc()).await {
            // The next hour does it.
            tracing::warn!(?error, "ended refresh tokens were not deleted");
        }
    }
}

/// Deletes what has ended long before `now`.
///
/// # Errors
/// When the database fails.
pub async fn tidy_once(pool: &PgPool, now: OffsetDateTime) -> Result<(), sqlx::Error> {
    for query in [
        include_str!("store/queries/delete_ended_tokens.sql"),
        include_str!("store/queries/delete_empty_sessions.sql"),
    ] {
        loop {
            let deleted = sqlx::query(query)
                .bind(now - KEPT_AFTER_END)
                .bind(TIDY_ROWS_MAX)
                .execute(pool)
                .await?
                .rows_affected();
            if deleted < TIDY_ROWS_MAX.unsigned_abs() {
                break;
            }
        }
    }
    Ok(())
}
