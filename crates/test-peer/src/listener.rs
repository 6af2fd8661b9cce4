//! What a service has published.

use std::sync::{Arc, Mutex};

use async_nats::jetstream::consumer::pull::OrderedConfig;
use event_bus::Message;
use futures::StreamExt as _;
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

use crate::PATIENCE;

/// Hears everything that a service publishes, from its first event on, also what was published before the listener.
#[derive(Debug)]
pub struct Listener {
    heard: Arc<Mutex<Vec<Message>>>,
    count: watch::Receiver<usize>,
    _listening: DropGuard,
}

impl Listener {
    /// Listens to a service.
    pub async fn start(service: &str, nats_url: &str) -> Self {
        let bus = event_bus::connect(nats_url, "listener").await.expect("the broker answers");
        event_bus::ensure_stream(&bus, service).await.expect("the broker makes the stream");
        let stream = bus
            .jetstream()
            .get_stream(event_bus::stream_name(service))
            .await
            .expect("the stream was just made");
        let consumer =
            stream.create_consumer(OrderedConfig::default()).await.expect("the broker lets us listen");
        let mut messages = consumer.messages().await.expect("the broker lets us listen");
        let heard: Arc<Mutex<Vec<Message>>> = Arc::default();
        let (counted, count) = watch::channel(0);
        let stop = CancellationToken::new();
        let (stopped, shelf) = (stop.clone(), heard.clone());
        tokio::spawn(stopped.run_until_cancelled_owned(async move {
            while let Some(Ok(raw)) = messages.next().await {
                let headers = raw.headers.clone().unwrap_or_default();
                let message = Message::parse(&raw.subject, &headers, &raw.payload).expect("a relay wrote it");
                let mut shelf = shelf.lock().expect("no holder panics");
                // The relay sends a message again when it did not hear the answer.
                if !shelf.iter().any(|known| known.event_id == message.event_id) {
                    shelf.push(message);
                }
                let _ = counted.send(shelf.len());
            }
        }));
        Self { heard, count, _listening: stop.drop_guard() }
    }

    /// The first event of that name in a stream, decoded; waits for it.
    #[track_caller]
    pub fn event<M: prost::Message + Default>(
        &self,
        stream_id: Uuid,
        event: &'static str,
    ) -> impl Future<Output = M> + use<'_, M> {
        let waiting = self.message(stream_id, event);
        async move { waiting.await.decode().expect("the service encodes what it publishes") }
    }

    /// The same with its versions and metadata.
    #[track_caller]
    pub fn message(&self, stream_id: Uuid, event: &'static str) -> impl Future<Output = Message> + use<'_> {
        let what = format!("{event} in stream {stream_id}");
        self.find(what, move |message| message.stream_id == stream_id && message.kind == event)
    }

    /// The first message for which `is_wanted` holds, in any stream; waits for it.
    #[track_caller]
    pub fn find(
        &self,
        what: String,
        is_wanted: impl Fn(&Message) -> bool + Send,
    ) -> impl Future<Output = Message> {
        let caller = std::panic::Location::caller();
        async move {
            let heard = tokio::time::timeout(PATIENCE, self.hear(is_wanted)).await;
            heard.unwrap_or_else(|_| {
                panic!("not published within {PATIENCE:?}: {what}, waited for at {caller}")
            })
        }
    }

    /// The same for somebody who listens until the test is over, and of whom it is no fault when nothing is said for long.
    pub async fn hear(&self, is_wanted: impl Fn(&Message) -> bool + Send) -> Message {
        let mut count = self.count.clone();
        loop {
            count.mark_unchanged();
            if let Some(found) = self.all().into_iter().find(|message| is_wanted(message)) {
                return found;
            }
            count.changed().await.expect("the listener counts as long as it is there");
        }
    }

    /// The names of a stream's events so far, in the order of their versions.
    #[must_use]
    pub fn names(&self, stream_id: Uuid) -> Vec<String> {
        let mut messages = self.all();
        messages.retain(|message| message.stream_id == stream_id);
        messages.sort_by_key(|message| message.version);
        messages.into_iter().map(|message| message.kind).collect()
    }

    /// Everything heard so far, in the order in which it came.
    #[must_use]
    pub fn all(&self) -> Vec<Message> {
        self.heard.lock().expect("no holder panics").clone()
    }
}
