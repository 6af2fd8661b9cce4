//! The lanes: one message after the other, each stream always in the same lane.

use super::Shared;
use super::attempt::{Attempt, LetterAttempt};
use super::in_flight::Key;
use super::inbox::{self, Parking, Verdict};
use crate::dead_letters::Reason;
use crate::{HandleError, Handler, Message, Version, telemetry};
use async_nats::jetstream::{self, AckKind};
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use tokio::sync::mpsc;
use uuid::Uuid;

/// A message that the broker has delivered.
pub(super) struct Delivery {
    pub(super) message: Message,
    pub(super) raw: Arc<jetstream::Message>,
    pub(super) key: Key,
}

/// What a lane is given.
pub(super) enum Work {
    Delivered(Box<Delivery>),
    /// The stream's parked messages may be ready.
    Parked(Uuid),
}

/// The entrances of all lanes.
#[derive(Clone)]
pub(super) struct Lanes {
    senders: Vec<mpsc::Sender<Work>>,
}

impl Lanes {
    pub(super) fn new(lanes: usize, capacity: usize) -> (Self, Vec<mpsc::Receiver<Work>>) {
        let (senders, receivers) = (0..lanes.max(1)).map(|_| mpsc::channel(capacity.max(1))).unzip();
        (Self { senders }, receivers)
    }

    /// Waits while the lane is full, which holds the intake back.
    pub(super) async fn send(&self, delivery: Delivery) {
        let lane = self.of(delivery.message.stream_id);
        // A lane ends only after every entrance is gone.
        let _ = lane.send(Work::Delivered(Box::new(delivery))).await;
    }

    /// Leaves it for the next time when the lane is full.
    pub(super) fn offer_parked(&self, stream_id: Uuid) {
        let _ = self.of(stream_id).try_send(Work::Parked(stream_id));
    }

    fn of(&self, stream_id: Uuid) -> &mpsc::Sender<Work> {
        let mut hasher = DefaultHasher::new();
        stream_id.hash(&mut hasher);
        &self.senders[(hasher.finish() % self.senders.len() as u64) as usize]
    }
}

/// One lane.
pub(super) struct Lane<H> {
    shared: Arc<Shared<H>>,
    work: mpsc::Receiver<Work>,
    /// Failures of the messages that are being tried again. Only of those, and only of this process: after a restart a
    /// message gets its tries anew.
    failures: HashMap<(Uuid, Version), Failures>,
}

#[derive(Default, Clone, Copy)]
struct Failures {
    /// Tries that count against the message.
    counted: u32,
    /// Deliveries ahead of the predecessor.
    gaps: u32,
    /// Failures in a row of any kind, for the delay.
    in_row: u32,
}

/// The most messages whose failures a lane remembers; past that it forgets all, which only gives them more tries.
const FAILURES_MAX: usize = 10_000;

impl<H: Handler> Lane<H> {
    pub(super) fn new(shared: Arc<Shared<H>>, work: mpsc::Receiver<Work>) -> Self {
        Self { shared, work, failures: HashMap::new() }
    }

    pub(super) async fn run(mut self) {
        while let Some(work) = self.work.recv().await {
            match work {
                Work::Delivered(delivery) if self.shared.shutdown.is_cancelled() => {
                    // Another process can have it at once.
                    self.finish(*delivery, AckKind::Nak(None)).await;
                }
                Work::Delivered(delivery) if self.shared.handler.batch_max() > 1 => {
                    self.deliver_together(*delivery).await;
                }
                Work::Delivered(delivery) => self.deliver(*delivery).await,
                Work::Parked(_) if self.shared.shutdown.is_cancelled() => {}
                Work::Parked(stream_id) => self.take_up(stream_id).await,
            }
        }
    }

    /// Handles what has already been delivered together with `first`, as far as it is of different streams. Nothing is waited
    /// for: a lone message is as fast as ever, and batches grow with the load.
    async fn deliver_together(&mut self, first: Delivery) {
        let batch_max = self.shared.handler.batch_max();
        let mut streams = HashSet::from([first.message.stream_id]);
        let mut batch = vec![first];
        let mut left_over = None;
        while batch.len() < batch_max {
            match self.work.try_recv() {
                Ok(Work::Delivered(delivery)) if streams.insert(delivery.message.stream_id) => {
                    batch.push(*delivery);
                }
                Ok(other) => {
                    left_over = Some(other);
                    break;
                }
                Err(_) => break,
            }
        }
        if batch.len() == 1 {
            for delivery in batch {
                self.deliver(delivery).await;
            }
        } else {
            let messages: Vec<&Message> = batch.iter().map(|delivery| &delivery.message).collect();
            let attempts = self.shared.attempt_together(&messages).await;
            for (delivery, attempt) in batch.into_iter().zip(attempts) {
                match attempt {
                    Some(attempt) => self.conclude(delivery, attempt).await,
                    None => self.deliver(delivery).await,
                }
            }
        }
        match left_over {
            Some(Work::Delivered(delivery)) => self.deliver(*delivery).await,
            Some(Work::Parked(stream_id)) => self.take_up(stream_id).await,
            None => {}
        }
    }

    async fn deliver(&mut self, delivery: Delivery) {
        let attempt = self.shared.attempt(&delivery.message).await;
        self.conclude(delivery, attempt).await;
    }

    async fn conclude(&mut self, delivery: Delivery, attempt: Attempt) {
        let message = &delivery.message;
        let place = (message.stream_id, message.version);
        let outcome = match attempt {
            Attempt::Handled => "handled",
            Attempt::Duplicate => "duplicate",
            Attempt::Parked => "parked",
            Attempt::Gap { last } => return self.postpone_gap(delivery, last).await,
            Attempt::Failed(error) => return self.retry_or_park(delivery, error).await,
        };
        self.failures.remove(&place);
        self.count(outcome);
        self.acknowledge(delivery);
    }

    /// Puts a message back that came before its predecessor (redelivery reorders). If the predecessor does not come
    /// soon, the message waits in the database instead: it must not use up what may be in flight.
    async fn postpone_gap(&mut self, delivery: Delivery, last: Version) {
        self.count("gap");
        let failures = self.failures_of(&delivery.message);
        failures.gaps += 1;
        let gaps = failures.gaps;
        if gaps >= self.shared.config.gap_attempts_max {
            let error = format!("follows version {}, handled is {last}", delivery.message.follows);
            let parking = Parking { reason: Reason::Gap, error: &error, attempts: 0 };
            return self.park(delivery, &parking).await;
        }
        let delay = self.shared.config.backoff().delay(gaps);
        self.finish(delivery, AckKind::Nak(Some(delay))).await;
    }

    async fn retry_or_park(&mut self, delivery: Delivery, error: HandleError) {
        let attempts_max = self.shared.config.attempts_max;
        let failures = self.failures_of(&delivery.message);
        failures.in_row += 1;
        if matches!(error, HandleError::Transient(_) | HandleError::Permanent(_)) {
            failures.counted += 1;
        }
        let Failures { counted, in_row, .. } = *failures;
        let is_over = matches!(error, HandleError::Permanent(_)) || counted >= attempts_max;
        let message = &delivery.message;
        if is_over {
            tracing::error!(
                consumer = self.shared.config.name, event = message.kind, stream_id = %message.stream_id,
                version = message.version, attempts = counted, %error, "event is parked"
            );
            let parking = Parking { reason: Reason::Fault, error: &error.to_string(), attempts: counted };
            return self.park(delivery, &parking).await;
        }
        let delay = self.shared.config.backoff().delay(in_row);
        tracing::warn!(
            consumer = self.shared.config.name, event = message.kind, stream_id = %message.stream_id,
            version = message.version, attempts = counted, %error, ?delay, "event is tried again"
        );
        self.count("retried");
        self.finish(delivery, AckKind::Nak(Some(delay))).await;
    }

    /// Keeps the message in the database and lets the broker forget it; if the database is away, the broker keeps it.
    async fn park(&mut self, delivery: Delivery, parking: &Parking<'_>) {
        let message = &delivery.message;
        match inbox::park(&self.shared.pool, self.shared.config.name, message, parking).await {
            Ok(()) => {
                self.failures.remove(&(message.stream_id, message.version));
                self.count("parked");
                self.acknowledge(delivery);
            }
            Err(error) => {
                tracing::warn!(consumer = self.shared.config.name, %error, "event could not be parked");
                let delay = self.shared.config.backoff().delay(1);
                self.finish(delivery, AckKind::Nak(Some(delay))).await;
            }
        }
    }

    /// Handles a stream's parked messages in order, as far as they are ready.
    async fn take_up(&mut self, stream_id: Uuid) {
        loop {
            match self.shared.attempt_letter(stream_id).await {
                Ok(LetterAttempt::Advanced) => self.count("handled"),
                Ok(LetterAttempt::Waits) => return,
                Ok(LetterAttempt::Failed { message, attempts, error }) => {
                    return self.note_letter_failure(&message, attempts, &error).await;
                }
                Err(error) => {
                    tracing::warn!(consumer = self.shared.config.name, %error, "parked events cannot be read");
                    return;
                }
            }
        }
    }

    async fn note_letter_failure(&self, message: &Message, attempts: u32, error: &HandleError) {
        let verdict = match error {
            HandleError::Unavailable(_) => return,
            HandleError::Transient(_) if attempts < self.shared.config.attempts_max => Verdict::TryAgain,
            HandleError::Transient(_) | HandleError::Permanent(_) => Verdict::WaitForOperator,
        };
        tracing::warn!(
            consumer = self.shared.config.name, event = message.kind, stream_id = %message.stream_id,
            version = message.version, attempts, %error, "parked event failed again"
        );
        let consumer = self.shared.config.name;
        let noted =
            inbox::letter_failed(&self.shared.pool, consumer, message, &error.to_string(), verdict).await;
        if let Err(error) = noted {
            tracing::warn!(consumer, %error, "failure of a parked event could not be noted");
        }
    }

    fn failures_of(&mut self, message: &Message) -> &mut Failures {
        if self.failures.len() >= FAILURES_MAX {
            self.failures.clear();
        }
        self.failures.entry((message.stream_id, message.version)).or_default()
    }

    /// Waits for the broker's answer, off the lane. If it does not come the message does, and is a duplicate.
    fn acknowledge(&self, delivery: Delivery) {
        let shared = self.shared.clone();
        self.shared.acknowledgements.spawn(async move {
            if let Err(error) = delivery.raw.double_ack().await {
                tracing::debug!(consumer = shared.config.name, error, "acknowledgement was not answered");
            }
            shared.in_flight.remove(delivery.key);
        });
    }

    /// Gives a message back.
    async fn finish(&self, delivery: Delivery, kind: AckKind) {
        self.shared.in_flight.remove(delivery.key);
        if let Err(error) = delivery.raw.ack_with(kind).await {
            // The broker gives it out again after ack_wait.
            tracing::debug!(consumer = self.shared.config.name, error, "message could not be given back");
        }
    }

    fn count(&self, outcome: &'static str) {
        metrics::counter!(telemetry::CONSUMED, "consumer" => self.shared.config.name, "outcome" => outcome)
            .increment(1);
    }
}
