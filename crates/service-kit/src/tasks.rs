//! Background tasks of which none may end unnoticed.
//!
//! A relay or a consumer that ended early would leave a service that answers calls and does nothing else. So the end of any
//! task before the stop, by error, panic or return, stops the whole service: the orchestrator starts it again.

#[cfg(test)]
mod tests;

use std::error::Error;
use std::future::Future;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// How long the tasks may take to end after they were asked to.
pub const TASKS_STOP_MAX: Duration = Duration::from_secs(8);

/// A task ended too early.
#[derive(Debug, thiserror::Error)]
#[error("task {name} ended before the stop: {cause}")]
pub struct TaskEnded {
    name: &'static str,
    cause: String,
}

/// How a task ended: with nothing to say, or with a result.
pub trait Outcome: Send + 'static {
    /// As a result.
    ///
    /// # Errors
    /// With the task's error.
    fn into_result(self) -> Result<(), Box<dyn Error + Send + Sync>>;
}

impl Outcome for () {
    fn into_result(self) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(())
    }
}

impl<E: Into<Box<dyn Error + Send + Sync>> + Send + 'static> Outcome for Result<(), E> {
    fn into_result(self) -> Result<(), Box<dyn Error + Send + Sync>> {
        self.map_err(Into::into)
    }
}

/// The background tasks of a service.
#[derive(Debug)]
pub struct Tasks {
    set: JoinSet<Result<(), TaskEnded>>,
    shutdown: CancellationToken,
}

impl Tasks {
    /// No task yet; `shutdown` is cancelled as soon as one of them ends too early.
    pub fn new(shutdown: CancellationToken) -> Self {
        Self { set: JoinSet::new(), shutdown }
    }

    /// Starts a task that returns, nothing or a result, only after the shutdown.
    pub fn spawn<F>(&mut self, name: &'static str, task: F)
    where
        F: Future<Output: Outcome> + Send + 'static,
    {
        let shutdown = self.shutdown.clone();
        self.set.spawn(async move {
            // A second task, so that a panic is a result here and not the end of the watch.
            let result = tokio::spawn(task).await;
            let cause = match result.map(Outcome::into_result) {
                Ok(Ok(())) if shutdown.is_cancelled() => return Ok(()),
                Ok(Ok(())) => "it returned".to_owned(),
                Ok(Err(error)) => error.to_string(),
                Err(error) => error.to_string(),
            };
            tracing::error!(task = name, cause, "task ended");
            shutdown.cancel();
            Err(TaskEnded { name, cause })
        });
    }

    /// Waits for the shutdown and then, at most [`TASKS_STOP_MAX`], for the tasks.
    ///
    /// # Errors
    /// With the first task that ended too early or with an error.
    pub async fn join(mut self) -> Result<(), TaskEnded> {
        self.shutdown.cancelled().await;
        let mut first = Ok(());
        let all = async {
            while let Some(joined) = self.set.join_next().await {
                if let Ok(Err(ended)) = joined
                    && first.is_ok()
                {
                    first = Err(ended);
                }
            }
        };
        if tokio::time::timeout(TASKS_STOP_MAX, all).await.is_err() {
            tracing::warn!("tasks did not end in time and were dropped");
        }
        first
    }
}
