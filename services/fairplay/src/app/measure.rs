//! Keeps the gauge of the queue, and forgets positions that were searched long ago.

use std::time::Duration;

use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

use crate::metrics::QUEUE_DEPTH;
use crate::store::{jobs, positions};

const MEASURE_EVERY: Duration = Duration::from_secs(5);

/// Runs until `shutdown`.
pub async fn run(pool: PgPool, shutdown: CancellationToken) {
    let mut ticks = tokio::time::interval(MEASURE_EVERY);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            _ = ticks.tick() => {}
        }
        match jobs::open_count(&pool).await {
            // A gauge is a float; the queue is far shorter than where that loses anything.
            Ok(count) => metrics::gauge!(QUEUE_DEPTH).set(count as f64),
            Err(error) => tracing::warn!(%error, "the analysis queue could not be counted"),
        }
        if let Err(error) = positions::forget_old(&pool).await {
            tracing::warn!(%error, "old positions could not be forgotten");
        }
    }
}
