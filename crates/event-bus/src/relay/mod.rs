//! The relay: from the outbox to the broker.
//!
//! One leader a service, by an advisory lock that lives and dies with the leader's own connection. All its statements run
//! on that connection, so a relay that lost the lock cannot mark rows either. Nothing is kept between rounds: a restart,
//! of the relay, the database or the broker, is just another round.

mod outbox;
mod publish;

use crate::backoff::Backoff;
use crate::{Bus, StreamError, ensure_stream, telemetry};
use event_store::{CommitSignal, make_partitions};
use sqlx::{PgConnection, PgPool};
use std::future::Future;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The most rows read, published and marked in one round.
pub const RELAY_BATCH_ROWS_MAX: i64 = 500;
/// The most messages that wait for the broker's answer at once, each of another stream.
pub const PUBLISH_IN_FLIGHT_MAX: usize = 256;
/// How long published rows are kept for a republication.
pub const OUTBOX_RETENTION_DAYS: i32 = 7;

const POLL_INTERVAL: Duration = Duration::from_millis(100);
const STANDBY_INTERVAL: Duration = Duration::from_millis(500);
const RESTART_DELAY: Backoff = Backoff { min: Duration::from_millis(100), max: Duration::from_secs(3) };
/// A leader that ran this long before it failed had been healthy: the next delay starts small again.
const HEALTHY_AFTER: Duration = Duration::from_secs(10);
const DATABASE_TIMEOUT: Duration = Duration::from_secs(10);
const GAUGE_INTERVAL: Duration = Duration::from_secs(5);
const HOUSEKEEPING_INTERVAL: Duration = Duration::from_secs(60 * 60);

/// Publishes a service's outbox.
pub struct Relay;

/// Why the leader has to start over.
#[derive(Debug, thiserror::Error)]
enum RelayError {
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
    #[error("the database did not answer within {DATABASE_TIMEOUT:?}")]
    DatabaseTimeout,
    #[error("the stream is not usable")]
    Stream(#[from] StreamError),
    #[error("the broker is not connected")]
    Disconnected,
    #[error("{failed} messages were not acknowledged, the first: {first}")]
    Publish { failed: usize, first: async_nats::jetstream::context::PublishError },
}

impl Relay {
    /// Publishes until `shutdown`. Several processes may run it for one service; one of them leads at a time.
    pub async fn run(
        pool: PgPool,
        bus: Bus,
        service: &'static str,
        signal: CommitSignal,
        shutdown: CancellationToken,
    ) {
        telemetry::describe();
        let relay = Running { pool, bus, service, signal };
        let mut failures = 0;
        loop {
            let started = Instant::now();
            // Dropping `lead` in the middle of a round is safe: its connection is closed and the round runs again.
            let error = tokio::select! {
                () = shutdown.cancelled() => return,
                Err(error) = relay.lead() => error,
            };
            failures = if started.elapsed() > HEALTHY_AFTER { 1 } else { failures + 1 };
            let delay = RESTART_DELAY.delay(failures);
            tracing::warn!(service, error = &error as &dyn std::error::Error, ?delay, "relay starts over");
            metrics::counter!(telemetry::RESTARTS, "part" => "relay", "name" => service).increment(1);
            tokio::select! {
                () = shutdown.cancelled() => return,
                () = tokio::time::sleep(delay) => {}
            }
        }
    }
}

struct Running {
    pool: PgPool,
    bus: Bus,
    service: &'static str,
    signal: CommitSignal,
}

impl Running {
    /// Waits for the lead and publishes; ends only with an error.
    async fn lead(&self) -> Result<std::convert::Infallible, RelayError> {
        // Detached: a lock must never go back to the pool with its connection.
        let mut conn = within(self.pool.acquire()).await?.detach();
        within(outbox::tune_session(&mut conn)).await?;
        while !within(outbox::try_lead(&mut conn, self.service)).await? {
            tokio::time::sleep(STANDBY_INTERVAL).await;
        }
        ensure_stream(&self.bus, self.service).await?;
        tracing::info!(service = self.service, "relay leads");
        let mut gauges_due = Instant::now();
        let mut housekeeping_due = Instant::now();
        loop {
            if Instant::now() >= gauges_due {
                within(outbox::measure(&mut conn, self.service)).await?;
                gauges_due = Instant::now() + GAUGE_INTERVAL;
            }
            if Instant::now() >= housekeeping_due {
                keep_house(&mut conn).await?;
                housekeeping_due = Instant::now() + HOUSEKEEPING_INTERVAL;
            }
            if self.round(&mut conn).await? < RELAY_BATCH_ROWS_MAX as usize {
                tokio::select! {
                    () = self.signal.wait() => {}
                    () = tokio::time::sleep(POLL_INTERVAL) => {}
                }
            }
        }
    }

    /// Publishes one batch and marks what arrived, also when something else did not.
    async fn round(&self, conn: &mut PgConnection) -> Result<usize, RelayError> {
        let entries = within(outbox::unpublished(conn, self.service, RELAY_BATCH_ROWS_MAX)).await?;
        if entries.is_empty() {
            return Ok(0);
        }
        // Otherwise the client would keep the messages and send them, stale, after it has reconnected.
        if !self.bus.is_connected() {
            return Err(RelayError::Disconnected);
        }
        let count = entries.len();
        let published = publish::publish_all(&self.bus, entries).await;
        metrics::counter!(telemetry::PUBLISHED, "service" => self.service, "outcome" => "stored")
            .increment(published.stored);
        metrics::counter!(telemetry::PUBLISHED, "service" => self.service, "outcome" => "duplicate")
            .increment(published.duplicates);
        within(outbox::mark(conn, &published.marks)).await?;
        match published.first_error {
            Some(first) => Err(RelayError::Publish { failed: count - published.marks.len(), first }),
            None => Ok(count),
        }
    }
}

/// Forgets old rows and prepares coming months. A failure of the second is logged, not fatal: events then go to the
/// default partition.
async fn keep_house(conn: &mut PgConnection) -> Result<(), RelayError> {
    within(outbox::forget_old(conn)).await?;
    if let Err(error) = within(make_partitions(conn)).await {
        tracing::error!(
            error = &error as &dyn std::error::Error,
            "partitions of coming months could not be made"
        );
    }
    Ok(())
}

/// A peer that is silently gone would otherwise hold the relay for ever.
async fn within<T>(query: impl Future<Output = Result<T, sqlx::Error>>) -> Result<T, RelayError> {
    tokio::time::timeout(DATABASE_TIMEOUT, query)
        .await
        .map_err(|_| RelayError::DatabaseTimeout)?
        .map_err(Into::into)
}
