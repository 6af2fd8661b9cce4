//! Group commit: the appends that are pending at one moment share a statement and its fsync.
//!
//! Throughput then grows with load while latency stays near one commit. Each writer is a task of its own, so that a
//! caller that leaves cannot interrupt a commit; a stream always goes to the same writer, so that its order is kept.

mod pending;
mod writer;

use crate::fence::Grant;
use crate::{Append, AppendError, CommitSignal, Version, telemetry};
use pending::Job;
use sqlx::PgPool;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;
use writer::Writer;

/// How a [`GroupCommit`] gathers.
#[derive(Debug, Clone)]
pub struct GroupCommitConfig {
    /// Statements that may be under way at once, each on a connection of the pool.
    pub writers: usize,
    /// The most rows of one statement. A single append may be larger and then goes alone.
    pub rows_max: usize,
    /// How long a writer waits for more once it sees load, that is after a batch of several appends. A lone append
    /// never waits.
    pub linger: Duration,
    /// The most appends that wait, all writers together; beyond that callers get [`AppendError::Overloaded`].
    pub queue_max: usize,
    /// How long a batch is tried again while the database cannot be reached, before its callers hear of it.
    pub retry_max: Duration,
    /// Signalled after each commit that wrote outbox rows; give the relay a clone.
    pub signal: CommitSignal,
}

impl Default for GroupCommitConfig {
    fn default() -> Self {
        Self {
            writers: 4,
            rows_max: 500,
            linger: Duration::from_millis(2),
            queue_max: 10_000,
            retry_max: Duration::from_secs(5),
            signal: CommitSignal::new(),
        }
    }
}

/// A handle to the writers; clones share them.
#[derive(Debug, Clone)]
pub struct GroupCommit {
    queues: Vec<mpsc::Sender<Job>>,
    signal: CommitSignal,
    tasks: TaskTracker,
    service: &'static str,
}

impl GroupCommit {
    /// Starts the writers. They stop when `shutdown` is cancelled (after having written what is queued) or when the last
    /// handle is gone.
    pub fn start(
        pool: PgPool,
        config: GroupCommitConfig,
        service: &'static str,
        shutdown: CancellationToken,
    ) -> Self {
        telemetry::describe();
        let writers = config.writers.max(1);
        let queue_max = (config.queue_max / writers).max(1);
        let tasks = TaskTracker::new();
        let queues = (0..writers)
            .map(|_| {
                let (sender, jobs) = mpsc::channel(queue_max);
                let writer = Writer::new(pool.clone(), config.clone(), service, jobs);
                tasks.spawn(writer.run(shutdown.clone()));
                sender
            })
            .collect();
        tasks.close();
        Self { queues, signal: config.signal, tasks, service }
    }

    /// Writes an append and answers the stream's new version once it is committed. Dropping the future does not call it
    /// off. Repeating an append (same stream, same place, the same events and metadata byte for byte) gives the first answer.
    pub async fn append(&self, append: Append) -> Result<Version, AppendError> {
        self.append_with(append, None).await
    }

    /// The same under a grant: refused with [`AppendError::Fenced`] once the right to write has passed to somebody else.
    pub async fn append_under(&self, append: Append, grant: Grant) -> Result<Version, AppendError> {
        self.append_with(append, Some(grant)).await
    }

    async fn append_with(&self, append: Append, grant: Option<Grant>) -> Result<Version, AppendError> {
        let outcome = self.enqueue_and_wait(append, grant).await;
        let label = match &outcome {
            // The writer counts those it knows the kind of.
            Ok(_) => return outcome,
            Err(AppendError::Conflict { .. }) => "conflict",
            Err(AppendError::Fenced) => "fenced",
            Err(AppendError::Invalid(_)) => "invalid",
            Err(AppendError::Overloaded) => "overloaded",
            Err(AppendError::Stopped | AppendError::Unavailable(_)) => "unavailable",
        };
        metrics::counter!(telemetry::APPENDS, "service" => self.service, "outcome" => label).increment(1);
        outcome
    }

    /// The signal that commits set.
    pub fn signal(&self) -> CommitSignal {
        self.signal.clone()
    }

    /// Resolves once all writers have written what they had and stopped.
    pub async fn stopped(&self) {
        self.tasks.wait().await;
    }

    async fn enqueue_and_wait(&self, append: Append, grant: Option<Grant>) -> Result<Version, AppendError> {
        append.validate()?;
        let queue = &self.queues[self.writer_of(append.stream.id, grant)];
        let (answer, outcome) = oneshot::channel();
        queue.try_send(Job::new(append, grant, answer)).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => AppendError::Overloaded,
            mpsc::error::TrySendError::Closed(_) => AppendError::Stopped,
        })?;
        // A writer answers every job it takes; without an answer it was torn down with its runtime.
        outcome.await.unwrap_or_else(|_| Err(sqlx::Error::WorkerCrashed.into()))
    }

    /// A fence is held by one writer at a time, which costs the database less than several that share it; and a stream always lies
    /// behind the same fence.
    fn writer_of(&self, stream_id: Uuid, grant: Option<Grant>) -> usize {
        let mut hasher = DefaultHasher::new();
        match grant {
            Some(grant) => grant.fence.hash(&mut hasher),
            None => stream_id.hash(&mut hasher),
        }
        (hasher.finish() % self.queues.len() as u64) as usize
    }
}
