//! Pulling from the broker, and starting over when that fails or falls silent.

use super::Shared;
use super::lane::{Delivery, Lanes};
use crate::backoff::Backoff;
use crate::{Handler, Message, StreamError, ensure_stream, stream_name, telemetry};
use async_nats::jetstream::consumer::{self, AckPolicy, DeliverPolicy, ReplayPolicy, pull};
use async_nats::jetstream::{self, AckKind, context, stream};
use futures::{FutureExt as _, StreamExt as _};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

const RESTART_DELAY: Backoff = Backoff { min: Duration::from_millis(100), max: Duration::from_secs(3) };
/// An intake that ran this long before it failed had been healthy.
const HEALTHY_AFTER: Duration = Duration::from_secs(10);
/// The broker shows a sign of life this often while it has nothing to deliver.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// How long one request for messages stands.
const PULL_EXPIRES: Duration = Duration::from_secs(30);
/// Stalls in a row after which a new subscription is not trusted to help and the consumer itself is made anew.
const STALLS_BEFORE_RECREATION: u32 = 2;

/// Why the intake starts over.
#[derive(Debug, thiserror::Error)]
enum IntakeError {
    #[error("the stream is not usable")]
    Stream(#[from] StreamError),
    #[error("the stream cannot be looked up")]
    Lookup(#[from] context::GetStreamError),
    #[error("the consumer cannot be made")]
    Consumer(#[from] stream::ConsumerError),
    #[error("the consumer cannot be looked up")]
    Info(#[from] context::ConsumerInfoError),
    #[error("the subscription failed")]
    Subscribe(#[from] consumer::StreamError),
    #[error("pulling failed")]
    Pull(#[from] pull::MessagesError),
    #[error("the broker ended the subscription")]
    Ended,
    #[error("nothing was delivered for {silent:?} although {pending} messages wait")]
    Stalled { silent: Duration, pending: u64 },
}

/// Runs until the shutdown.
pub(super) async fn run<H: Handler>(shared: &Shared<H>, lanes: &Lanes) {
    let name = shared.config.name;
    let (mut failures, mut stalls) = (0, 0);
    loop {
        let started = Instant::now();
        let error = match pull_until_failure(shared, lanes, stalls).await {
            Ok(()) => return,
            Err(error) => error,
        };
        failures = if started.elapsed() > HEALTHY_AFTER { 1 } else { failures + 1 };
        stalls = if matches!(error, IntakeError::Stalled { .. }) { stalls + 1 } else { 0 };
        let delay = RESTART_DELAY.delay(failures);
        tracing::warn!(
            consumer = name,
            error = &error as &dyn std::error::Error,
            ?delay,
            "consumer starts over"
        );
        metrics::counter!(telemetry::RESTARTS, "part" => "consumer", "name" => name).increment(1);
        tokio::select! {
            () = shared.shutdown.cancelled() => return,
            () = tokio::time::sleep(delay) => {}
        }
    }
}

async fn pull_until_failure<H: Handler>(
    shared: &Shared<H>,
    lanes: &Lanes,
    stalls: u32,
) -> Result<(), IntakeError> {
    let config = &shared.config;
    let (consumer, mut messages) = tokio::select! {
        () = shared.shutdown.cancelled() => return Ok(()),
        subscribed = subscribe(shared, stalls) => subscribed?,
    };
    let mut delivered_at = Instant::now();
    let mut watchdog = tokio::time::interval(config.stall_after / 3);
    loop {
        tokio::select! {
            () = shared.shutdown.cancelled() => {
                give_back(messages).await;
                return Ok(());
            }
            message = messages.next() => {
                let message = message.ok_or(IntakeError::Ended)??;
                delivered_at = Instant::now();
                dispatch(shared, lanes, message).await;
            }
            _ = watchdog.tick() => {
                let silent = delivered_at.elapsed();
                // While messages are held here, silence is our own slowness.
                if silent >= config.stall_after && shared.in_flight.is_empty() {
                    let pending = consumer.get_info().await?.num_pending;
                    if pending > 0 {
                        return Err(IntakeError::Stalled { silent, pending });
                    }
                }
            }
        }
    }
}

/// Makes stream and consumer as far as they are missing, and subscribes.
async fn subscribe<H: Handler>(
    shared: &Shared<H>,
    stalls: u32,
) -> Result<(consumer::Consumer<pull::Config>, pull::Stream), IntakeError> {
    let config = &shared.config;
    ensure_stream(&shared.bus, config.source_service).await?;
    let stream = shared.bus.jetstream().get_stream(stream_name(config.source_service)).await?;
    if stalls >= STALLS_BEFORE_RECREATION {
        // The inbox sorts out what the new consumer delivers once more.
        stream.delete_consumer(config.name).await?;
    }
    let wanted = pull::Config {
        durable_name: Some(config.name.to_owned()),
        filter_subject: config.filter_subject.clone(),
        deliver_policy: DeliverPolicy::All,
        ack_policy: AckPolicy::Explicit,
        ack_wait: config.ack_wait,
        max_deliver: -1,
        max_ack_pending: config.in_flight_max as i64,
        replay_policy: ReplayPolicy::Instant,
        ..pull::Config::default()
    };
    let consumer = stream.create_consumer(wanted).await?;
    let messages = consumer
        .stream()
        .max_messages_per_batch(config.in_flight_max)
        .heartbeat(HEARTBEAT)
        .expires(PULL_EXPIRES)
        .messages()
        .await?;
    tracing::info!(consumer = config.name, "consumer follows {}", config.filter_subject);
    Ok((consumer, messages))
}

async fn dispatch<H: Handler>(shared: &Shared<H>, lanes: &Lanes, raw: jetstream::Message) {
    let headers = raw.headers.clone().unwrap_or_default();
    match Message::parse(&raw.subject, &headers, &raw.payload) {
        Ok(message) => {
            let raw = Arc::new(raw);
            let key = shared.in_flight.insert(raw.clone());
            lanes.send(Delivery { message, raw, key }).await;
        }
        Err(error) => {
            // Not ours, and without a stream there is nothing to park it behind.
            tracing::error!(consumer = shared.config.name, subject = %raw.subject, %error, "foreign message dropped");
            metrics::counter!(telemetry::CONSUMED, "consumer" => shared.config.name, "outcome" => "foreign")
                .increment(1);
            let _ = raw.ack_with(AckKind::Term).await;
        }
    }
}

/// Gives back what was delivered but not looked at, so that another process need not wait for `ack_wait`.
async fn give_back(mut messages: pull::Stream) {
    while let Some(Some(Ok(message))) = messages.next().now_or_never() {
        let _ = message.ack_with(AckKind::Nak(None)).await;
    }
}
