//! One try: inbox, handler and commit as one transaction.

use super::Shared;
use super::inbox::{self, Admission};
use crate::dead_letters::Reason;
use crate::{HandleError, Handler, Message, telemetry};
use event_store::{Version, trace};
use sqlx::{Acquire as _, PgConnection};
use time::OffsetDateTime;
use tokio::time::Instant;
use tracing::Instrument as _;
use uuid::Uuid;

/// What a try of a delivered message has come to.
#[derive(Debug)]
pub(super) enum Attempt {
    /// Its effects are committed, now or earlier.
    Handled,
    Duplicate,
    /// It is parked behind an earlier message.
    Parked,
    Gap {
        last: Version,
    },
    Failed(HandleError),
}

/// What a try of a parked message has come to.
pub(super) enum LetterAttempt {
    /// It is out of the way; the next one may be ready.
    Advanced,
    /// There is none, or the first one has to wait.
    Waits,
    Failed {
        message: Box<Message>,
        attempts: u32,
        error: HandleError,
    },
}

impl<H: Handler> Shared<H> {
    /// Tries a message that the broker has delivered.
    pub(super) async fn attempt(&self, message: &Message) -> Attempt {
        let span = self.span(message);
        match self.attempt_live(message).instrument(span).await {
            Ok(attempt) => attempt,
            Err(error) => Attempt::Failed(error),
        }
    }

    async fn attempt_live(&self, message: &Message) -> Result<Attempt, HandleError> {
        let consumer = self.config.name;
        let mut conn = self.pool.acquire().await?;
        let last = match inbox::admit(&mut conn, consumer, message).await? {
            Admission::Next { last } => last,
            Admission::Duplicate => return Ok(Attempt::Duplicate),
            Admission::Gap { last } => return Ok(Attempt::Gap { last }),
            Admission::Blocked => {
                let parking = inbox::Parking { reason: Reason::Behind, error: "", attempts: 0 };
                inbox::park(&mut *conn, consumer, message, &parking).await?;
                return Ok(Attempt::Parked);
            }
        };
        let mut tx = conn.begin().await?;
        let outcome = self.handle(&mut tx, message, last).await;
        match outcome {
            Ok(()) => tx.commit().await?,
            Err(Failure::Refused(error)) => {
                tx.rollback().await?;
                return Err(error);
            }
            Err(Failure::OutOfTime) => {
                // The statement may still be running: this connection is of no more use to anybody.
                drop(tx);
                drop(conn.detach());
                return Err(HandleError::Transient(format!(
                    "not done within {:?}",
                    self.config.handle_time_max
                )));
            }
        }
        self.after_commit(message);
        Ok(Attempt::Handled)
    }

    /// Tries the first parked message of a stream, if its turn has come.
    pub(super) async fn attempt_letter(&self, stream_id: Uuid) -> Result<LetterAttempt, sqlx::Error> {
        let consumer = self.config.name;
        let mut conn = self.pool.acquire().await?;
        let mut tx = conn.begin().await?;
        let Some(letter) = inbox::first_letter(&mut tx, consumer, stream_id).await? else {
            return Ok(LetterAttempt::Waits);
        };
        let message = letter.message;
        let last = match inbox::admit(&mut tx, consumer, &message).await? {
            Admission::Next { last } => last,
            Admission::Duplicate => {
                inbox::remove_letter(&mut tx, consumer, &message).await?;
                tx.commit().await?;
                return Ok(LetterAttempt::Advanced);
            }
            Admission::Gap { .. } | Admission::Blocked => return Ok(LetterAttempt::Waits),
        };
        if letter.reason == Reason::Fault && !letter.retry_requested {
            return Ok(LetterAttempt::Waits);
        }
        let span = self.span(&message);
        let outcome = async {
            self.handle(&mut tx, &message, last).await?;
            inbox::remove_letter(&mut tx, consumer, &message).await.map_err(Failure::from)
        }
        .instrument(span)
        .await;
        let error = match outcome {
            Ok(()) => {
                tx.commit().await?;
                self.after_commit(&message);
                return Ok(LetterAttempt::Advanced);
            }
            Err(Failure::Refused(error)) => {
                tx.rollback().await?;
                error
            }
            Err(Failure::OutOfTime) => {
                drop(tx);
                drop(conn.detach());
                HandleError::Transient(format!("not done within {:?}", self.config.handle_time_max))
            }
        };
        let attempts = letter.attempts.max(0) as u32 + 1;
        Ok(LetterAttempt::Failed { message: Box::new(message), attempts, error })
    }

    /// Runs the handler and moves the inbox on, inside the caller's transaction.
    async fn handle(&self, tx: &mut PgConnection, message: &Message, last: Version) -> Result<(), Failure> {
        let started = Instant::now();
        let handled =
            tokio::time::timeout(self.config.handle_time_max, self.handler.handle(tx, message)).await;
        metrics::histogram!(telemetry::HANDLE_SECONDS, "consumer" => self.config.name)
            .record(started.elapsed().as_secs_f64());
        handled.map_err(|_| Failure::OutOfTime)??;
        if inbox::advance(tx, self.config.name, message, last).await? {
            return Ok(());
        }
        Err(HandleError::Transient("another process has handled this stream meanwhile".to_owned()).into())
    }

    pub(super) fn after_commit(&self, message: &Message) {
        self.signal.committed();
        self.handler.committed(message);
        let lag_seconds = (OffsetDateTime::now_utc() - message.recorded_at).as_seconds_f64();
        metrics::histogram!(telemetry::LAG_SECONDS, "consumer" => self.config.name)
            .record(lag_seconds.max(0.0));
    }

    /// A span that continues the trace of the command that led to the event.
    fn span(&self, message: &Message) -> tracing::Span {
        let span = tracing::info_span!(
            "handle_event",
            otel.kind = "consumer",
            consumer = self.config.name,
            event = message.kind,
            stream_id = %message.stream_id,
            version = message.version,
            correlation_id = %message.metadata.correlation_id,
        );
        if let Some(parent) = &message.metadata.trace_parent {
            trace::set_parent(&span, parent);
        }
        span
    }
}

/// Why a transaction is not committed.
enum Failure {
    Refused(HandleError),
    OutOfTime,
}

impl From<HandleError> for Failure {
    fn from(error: HandleError) -> Self {
        Self::Refused(error)
    }
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        Self::Refused(error.into())
    }
}
