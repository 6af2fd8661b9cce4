//! `stakemate events`: what a service tells the others, and telling it again.

use async_nats::jetstream::consumer::DeliverPolicy;
use async_nats::jetstream::consumer::pull::OrderedConfig;
use event_bus::Message;
use futures::TryStreamExt;
use operator::decode;
use serde_json::{Value, json};
use sqlx::PgPool;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::arguments::{ServiceName, TailEnd};
use crate::dev::state::DevState;
use crate::failure::Failure;
use crate::output::print_line;

/// Prints the last `count` public events of the service as JSON lines, and goes on with new ones if told to follow.
pub async fn tail(state: &DevState, service: ServiceName, count: u64, end: TailEnd) -> Result<(), Failure> {
    let bus = event_bus::connect(&state.nats_url, "stakemate events tail").await?;
    let stream =
        bus.jetstream().get_stream(event_bus::stream_name(service.as_str())).await.map_err(broker)?;
    let last = stream.cached_info().state.last_sequence;
    let first = last.saturating_sub(count).saturating_add(1).max(stream.cached_info().state.first_sequence);
    if end == TailEnd::Last && (stream.cached_info().state.messages == 0 || count == 0) {
        return Ok(());
    }
    let config = OrderedConfig {
        deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: first.max(1) },
        ..OrderedConfig::default()
    };
    let consumer = stream.create_consumer(config).await.map_err(broker)?;
    let mut messages = consumer.messages().await.map_err(broker)?;
    while let Some(message) = messages.try_next().await.map_err(broker)? {
        let headers = message.headers.clone().unwrap_or_default();
        match Message::parse(&message.subject, &headers, &message.payload) {
            Ok(event) => print_line(&line(&event)),
            Err(error) => {
                print_line(&json!({ "subject": message.subject.as_str(), "error": error.to_string() }))
            }
        }
        let sequence = message.info().map_err(broker)?.stream_sequence;
        if end == TailEnd::Last && sequence >= last {
            break;
        }
    }
    Ok(())
}

fn line(event: &Message) -> Value {
    json!({
        "recorded_at": event.recorded_at.format(&Rfc3339).unwrap_or_default(),
        "stream": format!("{}/{}", event.stream_kind, event.stream_id),
        "version": event.version,
        "follows": event.follows,
        "event": event.kind,
        "schema": event.schema,
        "event_id": event.event_id,
        "actor": event.metadata.actor,
        "correlation_id": event.metadata.correlation_id,
        "causation_id": event.metadata.causation_id,
        "data": decode::event_data(&event.service, &event.kind, &event.data),
    })
}

/// Puts all that the service published since then back into its outbox; its running relay sends it.
pub async fn republish(state: &DevState, service: ServiceName, since: OffsetDateTime) -> Result<(), Failure> {
    let pool = PgPool::connect(&state.service(service).database_url).await?;
    let count = event_bus::republish(&pool, since).await?;
    pool.close().await;
    print_line(&json!({ "service": service.as_str(), "republished": count }));
    Ok(())
}

fn broker(error: impl std::fmt::Display) -> Failure {
    Failure::Broker(error.to_string())
}
