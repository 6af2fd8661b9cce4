//! Letting go of prizes that were withheld: when fair play says so, and in any case when their time is over (`WALLET-14`).

use std::time::Duration;

use domain_ledger::{Account, MatchId, Prize};
use event_bus::CommitSignal;
use event_store::Metadata;
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::store::posting::{Batch, DueError, Place, PostError};
use crate::store::{balances, log, prizes};
use crate::{SERVICE, telemetry};

/// How often is looked for prizes whose time is over.
pub const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Releases the prizes of these matches in the caller's transaction, and answers how many that were: one that is not withheld any more
/// was released by somebody else a moment ago.
///
/// # Errors
/// See [`DueError`].
pub async fn release(
    conn: &mut PgConnection,
    matches: &[Uuid],
    metadata: &Metadata,
) -> Result<usize, DueError> {
    log::lock_streams(conn, matches).await?;
    let ids: Vec<MatchId> = matches.iter().map(|id| MatchId::new(id.as_u128())).collect();
    let mut drafts = Vec::new();
    let mut accounts = Vec::new();
    for (money, expected) in log::load_matches(conn, &ids).await?.into_values() {
        let (Some(draft), Some(prize)) = (money.release(), Prize::of(money.settlement())) else { continue };
        accounts.push((Account::Available(prize.winner), prize.currency));
        accounts.push((Account::Withheld(prize.winner), prize.currency));
        drafts.push((draft, expected));
    }
    let released = drafts.len();
    let mut batch = Batch::new(balances::lock_all(conn, &accounts).await?);
    for (draft, expected) in drafts {
        metrics::counter!(telemetry::POSTINGS, "event" => draft.event.name()).increment(1);
        let place = Place { expected, metadata: metadata.clone() };
        batch.add(vec![draft], place).map_err(PostError::from)?;
    }
    batch.write(conn).await?;
    Ok(released)
}

/// Releases everything that is withheld under a hold, in the caller's transaction.
///
/// # Errors
/// See [`DueError`].
pub async fn release_hold(
    conn: &mut PgConnection,
    hold_id: Uuid,
    metadata: &Metadata,
) -> Result<(), DueError> {
    let mut after = Uuid::nil();
    loop {
        let page = prizes::of_hold(&mut *conn, hold_id, after).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = *last;
        release(conn, &page, metadata).await?;
    }
}

/// Releases the prizes whose time is over, at most a page of them, and answers how many were due.
///
/// # Errors
/// See [`DueError`].
pub async fn release_due(pool: &PgPool, now: OffsetDateTime) -> Result<usize, DueError> {
    let due = prizes::due(pool, now).await?;
    if due.is_empty() {
        return Ok(0);
    }
    let mut tx = pool.begin().await?;
    let metadata = Metadata::for_request(SERVICE, Uuid::now_v7());
    let released = release(&mut tx, &due, &metadata).await?;
    tx.commit().await?;
    Ok(released)
}

/// Releases what is due until `shutdown`. Several instances may do so: each prize is released once.
pub async fn run(pool: PgPool, signal: CommitSignal, shutdown: CancellationToken) {
    let mut tick = tokio::time::interval(LOOK_EVERY);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            _ = tick.tick() => {}
        }
        match release_due(&pool, OffsetDateTime::now_utc()).await {
            Ok(0) => {}
            Ok(released) => {
                signal.committed();
                tracing::info!(released, "prizes released: their time was over");
            }
            Err(error) => tracing::warn!(%error, "prizes could not be released"),
        }
    }
}
