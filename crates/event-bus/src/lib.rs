//! Events on their way between services: from a service's outbox through JetStream into another's inbox.
//!
//! # Map
//!
//! * [`connect`], [`Bus`]: the connection, with the checks a broker has to pass (`connect`).
//! * [`ensure_stream`]: the JetStream stream of a service, made and checked (`stream`).
//! * [`Relay`]: publishes outbox rows; one leader a service (`relay`).
//! * [`republish`]: sends again what was published since an instant, for an emptied broker (`republish`).
//! * [`run_consumer`], [`ConsumerConfig`], [`Handler`]: a durable consumer with lanes and an inbox (`consumer`, `handler`).
//! * [`Message`]: an event as a consumer sees it, and its headers (`message`).
//! * [`dead_letters`]: what could not be handled, for an operator to list, retry or skip.
//! * [`dead_letter_actions`]: the same with a name and a reason, kept for whoever asks later.
//! * [`standing`]: how far the relay and each consumer are, for an operator.
//! * [`schema`]: the tables `inbox` and `dead_letters`. The outbox belongs to the event store.
//!
//! # Invariants
//!
//! * BUS-1 Every public event that is committed is published, some time, at least once; the published mark is set after the
//!   broker's answer, never before. A duplicate answer is an answer.
//! * BUS-2 The public events of a stream are published in the order of their versions: the next goes out after the broker
//!   has the one before.
//! * BUS-3 A handler's effects and its inbox row are one transaction, so each event takes effect exactly once for each
//!   consumer, whatever the broker delivers twice, late or in another order.
//! * BUS-4 A consumer handles the public events of a stream in order and leaves none out: what comes too early waits.
//! * BUS-5 A message is acknowledged only after its effects (or its dead letter) are committed.
//! * BUS-6 A message that cannot be handled blocks its own stream only. Later messages of the stream are parked behind it
//!   and are handled in order once it was retried with success or skipped; nobody needs to publish them again.
//! * BUS-7 That the database or the broker is away never counts against a message.
//! * BUS-8 Relay and consumer outlive restarts of database and broker, a deleted stream and a deleted consumer.
//! * BUS-9 Nothing is unbounded: batches, messages in flight, tries, pages, delays, the time of a handler.
//! * BUS-10 What an operator does about a parked message and the note of who did it and why are one transaction.
//!
//! # Deliberately absent
//!
//! * `max_deliver`: the broker stops delivering without telling anybody. Tries are counted here.
//! * `max_msgs_per_subject` and `max_bytes` on streams: both drop messages that a consumer has not seen.
//! * Request and reply between services: they know each other's events, nothing else.
//! * Trust in the broker's disk: JetStream acknowledges before it syncs. Postgres is the truth, the stream is transport.

mod backoff;
mod connect;
mod consumer;
pub mod dead_letter_actions;
pub mod dead_letters;
mod handler;
mod message;
mod relay;
mod republish;
mod schema;
pub mod standing;
mod stream;
pub mod telemetry;

pub use connect::{Bus, CONNECT_WAIT_MAX, ConnectError, SERVER_VERSION_MIN, connect};
pub use consumer::{ConsumerConfig, run_consumer};
pub use event_store::{CommitSignal, Version};
pub use handler::{HandleError, Handler};
pub use message::{Message, MessageError, subject};
pub use relay::{OUTBOX_RETENTION_DAYS, PUBLISH_IN_FLIGHT_MAX, RELAY_BATCH_ROWS_MAX, Relay};
pub use republish::republish;
pub use schema::schema;
pub use stream::{DUPLICATE_WINDOW, STREAM_RETENTION, StreamError, check_config, ensure_stream, stream_name};
