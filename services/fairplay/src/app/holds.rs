//! Ends prize holds whose time is over.

use std::time::Duration;

use event_store::{CommitSignal, Metadata};
use proto::fairplay::v1::PrizeHoldEnd;
use sqlx::PgPool;
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::standing::{StandingError, release_hold};
use crate::SERVICE;
use crate::store::{player_log, players};

/// How often the holds are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(10);
/// Holds ended in one look.
const BATCH_MAX: i64 = 100;

/// Runs until `shutdown`. Any number of instances may run it: each hold is ended once.
pub async fn run(pool: PgPool, signal: CommitSignal, shutdown: CancellationToken) {
    let mut ticks = tokio::time::interval(LOOK_EVERY);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            _ = ticks.tick() => {}
        }
        match end_overdue(&pool, OffsetDateTime::now_utc()).await {
            Ok(0) => {}
            Ok(ended) => {
                signal.committed();
                tracing::info!(ended, "prize holds ended by themselves");
            }
            Err(error) => tracing::warn!(%error, "prize holds could not be ended"),
        }
    }
}

/// Ends the holds that are over at `now`, and says how many.
///
/// # Errors
/// See [`StandingError`].
pub async fn end_overdue(pool: &PgPool, now: OffsetDateTime) -> Result<usize, StandingError> {
    let mut ended = 0;
    for player_id in players::overdue(pool, now, BATCH_MAX).await? {
        ended += usize::from(end_one(pool, player_id, now).await?);
    }
    Ok(ended)
}

/// False when somebody else was first.
async fn end_one(pool: &PgPool, player_id: Uuid, now: OffsetDateTime) -> Result<bool, StandingError> {
    let mut tx = pool.begin().await?;
    let mut row = players::lock(&mut tx, player_id).await?;
    if row.hold_until.is_none_or(|until| until > now) {
        return Ok(false);
    }
    let events: Vec<_> = release_hold(&mut row, player_id, PrizeHoldEnd::TimeOver, now).into_iter().collect();
    players::put(&mut tx, player_id, &row).await?;
    let metadata = Metadata::for_request(SERVICE, Uuid::now_v7());
    player_log::append(&mut tx, player_id, &events, metadata).await?;
    tx.commit().await?;
    Ok(true)
}
