//! One trace through log, bus and handler. Alone in its binary, because a subscriber is global.

mod support;

use event_bus::{HandleError, Handler, Message, run_consumer};
use event_store::{Metadata, append_in};
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_sdk::trace::SdkTracerProvider;
use sqlx::PgConnection;
use support::{PATIENCE, Service, new_stream, public_append};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;
use tracing_subscriber::layer::SubscriberExt as _;
use uuid::Uuid;

/// Tells the message it was given and the metadata that an event it leads to would have.
struct Teller(mpsc::UnboundedSender<(Message, Metadata)>);

impl Handler for Teller {
    async fn handle(&self, _conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        let _ = self.0.send((message.clone(), Metadata::caused_by(message, "wallet")));
        Ok(())
    }
}

fn trace_id(metadata: &Metadata) -> String {
    let parent = metadata.trace_parent.as_deref().expect("a trace");
    parent.split('-').nth(1).expect("a trace id").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_trace_of_a_command_goes_on_in_the_handler_of_its_event() {
    let provider = SdkTracerProvider::builder().build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("test"));
    tracing::subscriber::set_global_default(tracing_subscriber::registry().with(layer))
        .expect("the first one");

    let service = Service::new("trace").await;
    service.start_relay();
    let (sender, mut told) = mpsc::unbounded_channel();
    let config = service.config();
    let shutdown = CancellationToken::new();
    let _stop = shutdown.clone().drop_guard();
    let consumer = run_consumer(
        service.pool().clone(),
        service.bus.clone(),
        config,
        Teller(sender),
        service.signal.clone(),
        shutdown,
    );
    tokio::spawn(consumer);

    let request_id = Uuid::now_v7();
    let committed = async {
        let mut append = public_append(new_stream(), 0, &["GameEnded"]);
        append.metadata = Metadata::for_request("player", request_id);
        let mut tx = service.pool().begin().await.expect("a transaction");
        append_in(&mut tx, &append).await.expect("written");
        tx.commit().await.expect("committed");
        append.metadata
    }
    .instrument(tracing::info_span!("play_move"))
    .await;
    let (message, effect) =
        tokio::time::timeout(PATIENCE, told.recv()).await.expect("in time").expect("told");
    assert_eq!(message.metadata, committed);
    assert_eq!(trace_id(&effect), trace_id(&committed), "the same trace");
    assert_ne!(effect.trace_parent, committed.trace_parent, "in a span of its own");
    assert_eq!(effect.correlation_id, request_id);
    assert_eq!(effect.causation_id, message.event_id);
}
