//! Several messages in one transaction, for a handler that can: the commit is what costs, and it costs the same for many.

use super::Shared;
use super::attempt::Attempt;
use super::inbox::{self, Admission};
use crate::{HandleError, Handler, Message, telemetry};
use event_store::Version;
use sqlx::Acquire as _;
use tokio::time::Instant;

impl<H: Handler> Shared<H> {
    /// Tries messages of different streams together. Answers for each what it has come to, and nothing where it has to be
    /// tried alone: what is not simply next in its stream, and everything when the transaction did not go through.
    pub(super) async fn attempt_together(&self, messages: &[&Message]) -> Vec<Option<Attempt>> {
        match self.attempt_batch(messages).await {
            Ok(attempts) => attempts,
            Err(error) => {
                tracing::debug!(consumer = self.config.name, messages = messages.len(), %error, "batch undone");
                messages.iter().map(|_| None).collect()
            }
        }
    }

    async fn attempt_batch(&self, messages: &[&Message]) -> Result<Vec<Option<Attempt>>, HandleError> {
        let consumer = self.config.name;
        let mut conn = self.pool.acquire().await?;
        let admissions = inbox::admit_many(&mut conn, consumer, messages).await?;
        let next: Vec<(&Message, Version)> = messages
            .iter()
            .zip(&admissions)
            .filter_map(|(message, admission)| match admission {
                Admission::Next { last } => Some((*message, *last)),
                Admission::Duplicate | Admission::Gap { .. } | Admission::Blocked => None,
            })
            .collect();
        if next.is_empty() {
            return Ok(messages.iter().map(|_| None).collect());
        }
        let mut tx = conn.begin().await?;
        let started = Instant::now();
        let candidates: Vec<&Message> = next.iter().map(|(message, _)| *message).collect();
        let handling = self.handler.handle_batch(&mut tx, &candidates);
        let answers = match tokio::time::timeout(self.config.handle_time_max, handling).await {
            Ok(answers) => answers?,
            Err(_) => {
                // The statement may still be running: this connection is of no more use to anybody.
                drop(tx);
                drop(conn.detach());
                return Err(HandleError::Transient("the batch was not done in time".to_owned()));
            }
        };
        metrics::histogram!(telemetry::HANDLE_SECONDS, "consumer" => consumer)
            .record(started.elapsed().as_secs_f64());
        let handled: Vec<(&Message, Version)> =
            next.iter().zip(&answers).filter(|(_, answer)| answer.is_ok()).map(|(one, _)| *one).collect();
        if !handled.is_empty() && !inbox::advance_many(&mut tx, consumer, &handled).await? {
            tx.rollback().await?;
            return Err(HandleError::Transient("another process has handled a stream meanwhile".to_owned()));
        }
        tx.commit().await?;
        for (message, _) in &handled {
            self.after_commit(message);
        }
        let mut answers = answers.into_iter();
        Ok(admissions
            .iter()
            .map(|admission| match admission {
                Admission::Next { .. } => answers.next().map(|answer| match answer {
                    Ok(()) => Attempt::Handled,
                    Err(error) => Attempt::Failed(error),
                }),
                Admission::Duplicate | Admission::Gap { .. } | Admission::Blocked => None,
            })
            .collect())
    }
}
