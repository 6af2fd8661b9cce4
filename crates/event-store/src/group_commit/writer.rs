//! One writer: gathers, writes, answers.

use super::GroupCommitConfig;
use super::pending::{Job, take_batch};
use crate::append::{Columns, Standing, insert, standing};
use crate::fault::{self, Fault};
use crate::fence::Grant;
use crate::{Append, AppendError, telemetry};
use sqlx::pool::PoolConnection;
use sqlx::{PgPool, Postgres};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

const RETRY_DELAY_MIN: Duration = Duration::from_millis(20);
const RETRY_DELAY_MAX: Duration = Duration::from_millis(500);

pub(super) struct Writer {
    pool: PgPool,
    config: GroupCommitConfig,
    service: &'static str,
    jobs: mpsc::Receiver<Job>,
    waiting: VecDeque<Job>,
    /// Whether the last batch had company, the sign of load that makes lingering worth while.
    is_loaded: bool,
    /// Kept from batch to batch: the pool asks a connection for a sign of life each time it hands it out, a round trip that
    /// every commit would wait for. Let go after any error.
    conn: Option<PoolConnection<Postgres>>,
}

/// What became of a batch, seen from the database: the written streams, and where the others stand.
struct Written {
    streams: HashSet<Uuid>,
    refused: HashMap<Uuid, Standing>,
}

impl Writer {
    pub(super) fn new(
        pool: PgPool,
        config: GroupCommitConfig,
        service: &'static str,
        jobs: mpsc::Receiver<Job>,
    ) -> Self {
        Self { pool, config, service, jobs, waiting: VecDeque::new(), is_loaded: false, conn: None }
    }

    pub(super) async fn run(mut self, shutdown: CancellationToken) {
        while self.gather(&shutdown).await {
            let batch = take_batch(&mut self.waiting, self.config.rows_max);
            self.is_loaded = batch.len() > 1;
            self.commit(batch).await;
        }
    }

    /// Fills `waiting` with what is pending; false when there is nothing and never will be.
    async fn gather(&mut self, shutdown: &CancellationToken) -> bool {
        if self.waiting.is_empty() {
            tokio::select! {
                biased;
                () = shutdown.cancelled(), if !self.jobs.is_closed() => self.jobs.close(),
                job = self.jobs.recv() => match job {
                    Some(job) => self.waiting.push_back(job),
                    None => return false,
                },
            }
        }
        self.take_ready();
        if self.is_loaded && !self.waiting.is_empty() && !self.config.linger.is_zero() {
            let deadline = Instant::now() + self.config.linger;
            while self.waiting.len() < self.config.rows_max {
                match tokio::time::timeout_at(deadline, self.jobs.recv()).await {
                    Ok(Some(job)) => self.waiting.push_back(job),
                    Ok(None) | Err(_) => break,
                }
            }
        }
        metrics::gauge!(telemetry::QUEUE_DEPTH, "service" => self.service)
            .set((self.waiting.len() + self.jobs.len()) as f64);
        true
    }

    fn take_ready(&mut self) {
        while self.waiting.len() < self.config.rows_max {
            match self.jobs.try_recv() {
                Ok(job) => self.waiting.push_back(job),
                Err(_) => break,
            }
        }
    }

    /// Writes a batch and answers each of its callers.
    async fn commit(&mut self, batch: Vec<Job>) {
        if batch.is_empty() {
            return;
        }
        let started = Instant::now();
        let rows: usize = batch.iter().map(|job| job.append.events.len()).sum();
        metrics::histogram!(telemetry::BATCH_ROWS, "service" => self.service).record(rows as f64);
        let outcome = self.write_with_retries(&batch).await;
        metrics::histogram!(telemetry::COMMIT_SECONDS, "service" => self.service)
            .record(started.elapsed().as_secs_f64());
        match outcome {
            Ok(written) => self.answer(batch, written),
            // One append that the database refuses (a value it cannot store) must not fail the others (STORE-3).
            Err(error) if batch.len() > 1 && fault::classify(&error) == Fault::Refused => {
                for job in batch {
                    Box::pin(self.commit(vec![job])).await;
                }
            }
            Err(error) => {
                tracing::error!(service = self.service, %error, appends = batch.len(), "group commit failed");
                let error = Arc::new(error);
                for job in batch {
                    job.answer(Err(AppendError::Unavailable(error.clone())));
                }
            }
        }
    }

    fn answer(&self, batch: Vec<Job>, written: Written) {
        let mut is_public = false;
        let (mut new, mut repeated) = (0, 0);
        for job in batch {
            let append = &job.append;
            let is_new = written.streams.contains(&append.stream.id);
            let outcome = if is_new {
                Ok(append.last_version())
            } else {
                refused_outcome(append, job.grant, &written.refused)
            };
            if outcome.is_ok() {
                is_public |= append.is_public();
                if is_new { new += 1 } else { repeated += 1 }
            }
            job.answer(outcome);
        }
        metrics::counter!(telemetry::APPENDS, "service" => self.service, "outcome" => "written")
            .increment(new);
        metrics::counter!(telemetry::APPENDS, "service" => self.service, "outcome" => "repeated")
            .increment(repeated);
        if is_public {
            self.config.signal.committed();
        }
    }

    /// Tries until the database gives an answer, or `retry_max` is over. Repeating is safe (STORE-6): if an earlier try
    /// landed after all, its rows stand in the way of the new one and are recognised byte for byte; if it is still
    /// running, the new one waits for its end.
    async fn write_with_retries(&mut self, batch: &[Job]) -> Result<Written, sqlx::Error> {
        let deadline = Instant::now() + self.config.retry_max;
        let mut delay = RETRY_DELAY_MIN;
        let mut unknown = None;
        loop {
            let error = match self.write(batch).await {
                Ok(written) => return Ok(written),
                Err(error) => error,
            };
            let fault = fault::classify(&error);
            let is_over = Instant::now() + delay >= deadline;
            tracing::warn!(service = self.service, %error, ?fault, appends = batch.len(), "group commit did not succeed");
            if fault == Fault::Refused || is_over {
                // "May have landed" of an earlier try outlives a later "could not connect".
                return Err(if fault == Fault::Unreachable { unknown.unwrap_or(error) } else { error });
            }
            if fault == Fault::Unknown {
                unknown = Some(error);
            }
            metrics::counter!(telemetry::RETRIES, "service" => self.service).increment(1);
            tokio::time::sleep(delay).await;
            delay = (delay * 2).min(RETRY_DELAY_MAX);
        }
    }

    /// A connection for this writer alone. Left to itself Postgres plans the statement anew each time, because it takes a batch for
    /// larger than it mostly is; planning costs three times what the insert does, and the plan is always the same.
    async fn connect(&self) -> Result<PoolConnection<Postgres>, sqlx::Error> {
        let mut conn = self.pool.acquire().await?;
        // Nobody else is to get it with this setting.
        conn.close_on_drop();
        sqlx::query("set plan_cache_mode = force_generic_plan").execute(&mut *conn).await?;
        Ok(conn)
    }

    async fn write(&mut self, batch: &[Job]) -> Result<Written, sqlx::Error> {
        let mut conn = match self.conn.take() {
            Some(conn) => conn,
            None => self.connect().await?,
        };
        let streams = match insert(&mut *conn, &Columns::of(batch.iter().map(row))).await {
            Ok(streams) => streams,
            // Rows above a free place: for a single append this is a conflict like any other, in a batch it is sorted
            // out append by append.
            Err(error) if batch.len() == 1 && fault::is_unique_violation(&error) => HashSet::new(),
            Err(error) => return Err(error),
        };
        let refused = if streams.len() == batch.len() {
            Vec::new()
        } else {
            let refused = batch.iter().filter(|job| !streams.contains(&job.append.stream.id));
            standing(&mut *conn, &Columns::of(refused.map(row))).await?
        };
        self.conn = Some(conn);
        Ok(Written {
            streams,
            refused: refused.into_iter().map(|standing| (standing.stream_id, standing)).collect(),
        })
    }
}

fn row(job: &Job) -> (&Append, &[u8], Option<Grant>) {
    (&job.append, &job.metadata, job.grant)
}

/// A repeat of what stands at its place already, byte for byte, is a success, whoever may write now; anything else is a conflict, or
/// comes too late (STORE-6).
fn refused_outcome(
    append: &Append,
    grant: Option<Grant>,
    refused: &HashMap<Uuid, Standing>,
) -> Result<i64, AppendError> {
    let standing = refused.get(&append.stream.id);
    if standing.is_some_and(|standing| standing.stands) {
        return Ok(append.last_version());
    }
    // An epoch only rises: a grant that is good now was good when the statement ran.
    let epoch = standing.and_then(|standing| standing.epoch);
    if grant.is_some_and(|grant| epoch != Some(grant.epoch)) {
        return Err(AppendError::Fenced);
    }
    let actual = standing.map_or(0, |standing| standing.actual);
    Err(AppendError::Conflict { expected: append.expected, actual })
}
