//! What is appended and what is read, with its limits.

use crate::{Metadata, trace};
use time::OffsetDateTime;
use uuid::Uuid;

/// The place of an event in its stream. 0 stands for "no event yet", the first event has version 1.
pub type Version = i64;

/// The most bytes of one event's data. Well below the broker's default payload limit of 1 MiB, headers included.
pub const EVENT_DATA_BYTES_MAX: usize = 256 * 1024;
/// The most events of one append.
pub const EVENTS_PER_APPEND_MAX: usize = 100;
/// The most data bytes of one append, all events together.
pub const APPEND_DATA_BYTES_MAX: usize = 4 * 1024 * 1024;
/// The most bytes of a stream kind or an event name; both become parts of a subject.
pub const NAME_BYTES_MAX: usize = 64;
/// The most bytes of the actor in the metadata.
pub const ACTOR_BYTES_MAX: usize = 128;

/// A stream and what it is a stream of: `game`, `match`, `account` …
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StreamId {
    /// A stable lower-case word; it is part of the subject on the bus.
    pub kind: &'static str,
    pub id: Uuid,
}

impl StreamId {
    pub fn new(kind: &'static str, id: Uuid) -> Self {
        Self { kind, id }
    }
}

/// Whether other services hear of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Publication {
    /// Stays in the service.
    Private,
    /// Goes out through the outbox. `follows` is the version of the stream's previous public event (0 if there is none),
    /// by which a consumer sees that it has missed nothing.
    Public { follows: Version },
}

/// An event to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    /// Unique for ever. Derive it (UUIDv5) from the step where a repeat must be recognised, otherwise take a UUIDv7. A private event that
    /// nobody asks for by an id may go without: 16 bytes of log less. A public one may not, because the bus knows it by its id.
    pub event_id: Option<Uuid>,
    /// The stable name, `GameStarted`; it is part of the subject on the bus.
    pub kind: &'static str,
    /// The version of the data's shape.
    pub schema: i16,
    /// The encoded protobuf message.
    pub data: Vec<u8>,
    pub publication: Publication,
}

/// Events that belong together: all of them are written, directly after version `expected`, or none.
#[derive(Debug, Clone, PartialEq)]
pub struct Append {
    pub stream: StreamId,
    pub expected: Version,
    pub events: Vec<NewEvent>,
    pub metadata: Metadata,
}

/// Why an append can never be written as it is. A bug of the caller or input that should have been refused earlier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidAppend {
    #[error("an append needs at least one event")]
    Empty,
    #[error("{count} events in one append, the limit is {EVENTS_PER_APPEND_MAX}")]
    TooManyEvents { count: usize },
    #[error("event {kind} has {bytes} bytes of data, the limit is {EVENT_DATA_BYTES_MAX}")]
    EventTooLarge { kind: &'static str, bytes: usize },
    #[error("{bytes} bytes of data in one append, the limit is {APPEND_DATA_BYTES_MAX}")]
    AppendTooLarge { bytes: usize },
    #[error("an actor of {bytes} bytes, the limit is {ACTOR_BYTES_MAX}")]
    ActorTooLong { bytes: usize },
    #[error("the name {name:?} is not 1 to {NAME_BYTES_MAX} ASCII letters, digits, '-' or '_'")]
    Name { name: &'static str },
    #[error("the expected version {expected} is negative or past the last possible one")]
    Expected { expected: Version },
    #[error("event {kind} follows version {follows}, which is not the stream's previous public event")]
    Follows { kind: &'static str, follows: Version },
    #[error("event {kind} is public and has no id")]
    NoId { kind: &'static str },
}

impl Append {
    /// The stream's version once this is written.
    pub fn last_version(&self) -> Version {
        self.expected + self.events.len() as Version
    }

    /// Whether any event goes out to other services.
    pub fn is_public(&self) -> bool {
        self.events.iter().any(|event| event.publication != Publication::Private)
    }

    /// Checks the limits and what can be known of the order without the database.
    pub fn validate(&self) -> Result<(), InvalidAppend> {
        if self.events.is_empty() {
            return Err(InvalidAppend::Empty);
        }
        if self.events.len() > EVENTS_PER_APPEND_MAX {
            return Err(InvalidAppend::TooManyEvents { count: self.events.len() });
        }
        if self.expected < 0 || self.expected > Version::MAX - EVENTS_PER_APPEND_MAX as Version {
            return Err(InvalidAppend::Expected { expected: self.expected });
        }
        if self.metadata.actor.len() > ACTOR_BYTES_MAX {
            return Err(InvalidAppend::ActorTooLong { bytes: self.metadata.actor.len() });
        }
        check_name(self.stream.kind)?;
        self.validate_events()
    }

    fn validate_events(&self) -> Result<(), InvalidAppend> {
        let mut bytes = 0;
        let mut last_public = None;
        for (version, event) in (self.expected + 1..).zip(&self.events) {
            check_name(event.kind)?;
            if event.data.len() > EVENT_DATA_BYTES_MAX {
                return Err(InvalidAppend::EventTooLarge { kind: event.kind, bytes: event.data.len() });
            }
            bytes += event.data.len();
            if let Publication::Public { follows } = event.publication {
                if event.event_id.is_none() {
                    return Err(InvalidAppend::NoId { kind: event.kind });
                }
                let is_possible = match last_public {
                    Some(previous) => follows == previous,
                    None => (0..=self.expected).contains(&follows),
                };
                if !is_possible {
                    return Err(InvalidAppend::Follows { kind: event.kind, follows });
                }
                last_public = Some(version);
            }
        }
        if bytes > APPEND_DATA_BYTES_MAX {
            return Err(InvalidAppend::AppendTooLarge { bytes });
        }
        Ok(())
    }
}

/// Names become tokens of a subject, where a dot, a star or a blank would change the meaning.
fn check_name(name: &'static str) -> Result<(), InvalidAppend> {
    let is_token = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    if name.is_empty() || name.len() > NAME_BYTES_MAX || !is_token {
        return Err(InvalidAppend::Name { name });
    }
    Ok(())
}

/// An event as it stands in the log. The stream's kind is not stored: the reader knows which stream it asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedEvent {
    pub stream_id: Uuid,
    pub version: Version,
    /// The id that it was written with, if with one. See [`RecordedEvent::id`].
    pub event_id: Option<Uuid>,
    pub kind: String,
    pub schema: i16,
    pub data: Vec<u8>,
    pub metadata: Metadata,
    pub recorded_at: OffsetDateTime,
}

impl RecordedEvent {
    /// What the event can be called by: its own id, or one that is derived from its place, which is as unique.
    pub fn id(&self) -> Uuid {
        self.event_id.unwrap_or_else(|| Uuid::new_v5(&self.stream_id, &self.version.to_be_bytes()))
    }

    /// Makes `span` a continuation of the trace in which the event was written.
    pub fn continue_trace(&self, span: &tracing::Span) {
        if let Some(parent) = &self.metadata.trace_parent {
            trace::set_parent(span, parent);
        }
    }
}
