//! Who caused an event, and in which trace.

use crate::{RecordedEvent, trace};
use prost::Message as _;
use uuid::Uuid;

/// Where an event comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metadata {
    /// The request that started the whole chain, across services.
    pub correlation_id: Uuid,
    /// The request or event that directly led to this one.
    pub causation_id: Uuid,
    /// The player's id, or the name of the service that acted by itself. In a stream whose first event says who takes part, private
    /// events may have a letter for the player: `w` or `b` in a game.
    pub actor: String,
    /// The W3C `traceparent` of the span in which the event was decided, if that trace is recorded.
    pub trace_parent: Option<String>,
}

/// Something that can lead to an event: a recorded event, or a message of the bus.
pub trait Cause {
    /// The id of the cause itself.
    fn cause_id(&self) -> Uuid;
    /// The request at the start of the chain.
    fn correlation_id(&self) -> Uuid;
}

impl Cause for RecordedEvent {
    fn cause_id(&self) -> Uuid {
        self.id()
    }

    fn correlation_id(&self) -> Uuid {
        self.metadata.correlation_id
    }
}

/// The stored bytes are not metadata: the log was written by something else, or is damaged.
#[derive(Debug, thiserror::Error)]
pub enum MetadataError {
    #[error("metadata is not the expected protobuf message")]
    Decode(#[from] prost::DecodeError),
    #[error("metadata has an id of {bytes} bytes rather than 16")]
    Id { bytes: usize },
}

/// The stored shape (`stakemate.type.v1.EventMetadata`). The causation id is left out where it equals the correlation
/// id, as with every first event of a request, and an actor that is a player is kept as the bytes of the id: 38 bytes an
/// event that the log need not hold.
#[derive(Clone, PartialEq, prost::Message)]
struct StoredMetadata {
    #[prost(bytes = "vec", tag = "1")]
    correlation_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    causation_id: Vec<u8>,
    #[prost(string, tag = "3")]
    actor: String,
    #[prost(string, tag = "4")]
    trace_parent: String,
    #[prost(bytes = "vec", tag = "5")]
    actor_id: Vec<u8>,
}

impl Metadata {
    /// For events that a request of a player leads to; in the trace of the current span.
    pub fn for_request(actor: impl Into<String>, request_id: Uuid) -> Self {
        Self {
            correlation_id: request_id,
            causation_id: request_id,
            actor: actor.into(),
            trace_parent: trace::current_trace_parent(),
        }
    }

    /// For events that another event leads to; in the trace of the current span.
    pub fn caused_by(cause: &impl Cause, actor: impl Into<String>) -> Self {
        Self {
            correlation_id: cause.correlation_id(),
            causation_id: cause.cause_id(),
            actor: actor.into(),
            trace_parent: trace::current_trace_parent(),
        }
    }

    /// The bytes that are stored, and sent along on the bus.
    pub fn to_bytes(&self) -> Vec<u8> {
        let causation_id = if self.causation_id == self.correlation_id {
            Vec::new()
        } else {
            self.causation_id.as_bytes().to_vec()
        };
        let actor_id = canonical_id(&self.actor);
        StoredMetadata {
            correlation_id: self.correlation_id.as_bytes().to_vec(),
            causation_id,
            actor: if actor_id.is_some() { String::new() } else { self.actor.clone() },
            trace_parent: self.trace_parent.clone().unwrap_or_default(),
            actor_id: actor_id.map(|id| id.as_bytes().to_vec()).unwrap_or_default(),
        }
        .encode_to_vec()
    }

    /// Reads what [`Metadata::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, MetadataError> {
        let stored = StoredMetadata::decode(bytes)?;
        let correlation_id = parse_id(&stored.correlation_id)?;
        let causation_id =
            if stored.causation_id.is_empty() { correlation_id } else { parse_id(&stored.causation_id)? };
        Ok(Self {
            correlation_id,
            causation_id,
            actor: if stored.actor_id.is_empty() {
                stored.actor
            } else {
                parse_id(&stored.actor_id)?.to_string()
            },
            trace_parent: Some(stored.trace_parent).filter(|parent| !parent.is_empty()),
        })
    }
}

/// The id that `actor` is the usual spelling of; another spelling would not be read back as it was.
fn canonical_id(actor: &str) -> Option<Uuid> {
    Uuid::try_parse(actor).ok().filter(|id| id.to_string() == actor)
}

fn parse_id(bytes: &[u8]) -> Result<Uuid, MetadataError> {
    Uuid::from_slice(bytes).map_err(|_| MetadataError::Id { bytes: bytes.len() })
}
