//! The JetStream stream of a service.

use crate::Bus;
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};
use async_nats::jetstream::{ErrorCode, context};
use std::time::Duration;

/// How long the broker recognises a message id. Longer outages lead to messages that are stored twice; the inbox sorts
/// them out.
pub const DUPLICATE_WINDOW: Duration = Duration::from_secs(2 * 60);
/// How long the broker keeps events. A consumer that was away for longer needs a republication.
pub const STREAM_RETENTION: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Why a service's stream is not there or not as it must be.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    #[error("the stream could not be made or updated")]
    Create(#[from] context::CreateStreamError),
    #[error("the stream could not be looked up")]
    Lookup(#[from] context::GetStreamError),
    #[error("the stream {stream} is unsafe: {reason}")]
    Unsafe { stream: String, reason: &'static str },
}

/// `EVENTS_<SERVICE>`.
pub fn stream_name(service: &str) -> String {
    format!("EVENTS_{}", service.to_ascii_uppercase())
}

/// Makes the service's stream, or brings an existing one into the right shape where the broker allows it, and checks the
/// result. Publishers and consumers both call it, so that services may start in any order.
pub async fn ensure_stream(bus: &Bus, service: &str) -> Result<(), StreamError> {
    let wanted = wanted_config(service, bus.stream_replicas());
    match bus.jetstream().get_stream(&wanted.name).await {
        Ok(stream) if is_as_wanted(&stream.cached_info().config, &wanted) => return Ok(()),
        Ok(_) => {}
        Err(error) if is_missing(&error) => {}
        Err(error) => return Err(error.into()),
    }
    let info = bus.jetstream().create_or_update_stream(wanted).await?;
    check_config(&info.config)
}

/// Refuses a stream that may drop a message before its consumers have acknowledged it, or that serves one consumer only.
pub fn check_config(config: &Config) -> Result<(), StreamError> {
    let unsafe_because = |reason| Err(StreamError::Unsafe { stream: config.name.clone(), reason });
    if config.max_messages_per_subject > 0 {
        return unsafe_because("max_msgs_per_subject trims events that nobody has seen");
    }
    if config.max_messages > 0 {
        return unsafe_because("max_msgs trims events that nobody has seen");
    }
    if config.max_bytes > 0 {
        return unsafe_because("max_bytes trims events that nobody has seen");
    }
    if config.retention != RetentionPolicy::Limits {
        return unsafe_because("only the limits retention serves several consumers");
    }
    if config.storage != StorageType::File {
        return unsafe_because("memory storage does not outlive the broker");
    }
    if config.no_ack {
        return unsafe_because("without acknowledgements nothing is known to have arrived");
    }
    if !config.max_age.is_zero() && config.max_age < STREAM_RETENTION {
        return unsafe_because("max_age is shorter than the retention that consumers may count on");
    }
    Ok(())
}

fn wanted_config(service: &str, num_replicas: usize) -> Config {
    Config {
        name: stream_name(service),
        subjects: vec![format!("evt.{service}.>")],
        description: Some(format!("public events of {service}")),
        storage: StorageType::File,
        retention: RetentionPolicy::Limits,
        discard: DiscardPolicy::Old,
        max_age: STREAM_RETENTION,
        max_messages: -1,
        max_bytes: -1,
        max_messages_per_subject: -1,
        duplicate_window: DUPLICATE_WINDOW,
        num_replicas,
        ..Config::default()
    }
}

fn is_as_wanted(found: &Config, wanted: &Config) -> bool {
    check_config(found).is_ok()
        && found.subjects == wanted.subjects
        && found.max_age == wanted.max_age
        && found.duplicate_window == wanted.duplicate_window
        && found.num_replicas == wanted.num_replicas
}

fn is_missing(error: &context::GetStreamError) -> bool {
    matches!(error.kind(), context::GetStreamErrorKind::JetStream(error)
        if error.error_code() == ErrorCode::STREAM_NOT_FOUND)
}
