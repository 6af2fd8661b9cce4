//! An event on the bus: subject, headers, payload.

use crate::HandleError;
use async_nats::{HeaderMap, HeaderValue};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use event_store::trace::TRACE_PARENT_HEADER;
use event_store::{Cause, Metadata, MetadataError, Version};
use std::str::FromStr;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use uuid::Uuid;

const MESSAGE_ID: &str = "Nats-Msg-Id";
const EVENT_ID: &str = "Stakemate-Event-Id";
const VERSION: &str = "Stakemate-Version";
const FOLLOWS: &str = "Stakemate-Follows";
const SCHEMA: &str = "Stakemate-Schema";
const METADATA: &str = "Stakemate-Metadata";
const RECORDED_AT: &str = "Stakemate-Recorded-At";

/// A public event of a service.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// The service whose log it stands in.
    pub service: String,
    pub stream_kind: String,
    pub stream_id: Uuid,
    pub version: Version,
    /// The version of the stream's previous public event, 0 if this is the first.
    pub follows: Version,
    pub event_id: Uuid,
    /// The event's stable name.
    pub kind: String,
    /// The version of the data's shape.
    pub schema: i16,
    pub data: Vec<u8>,
    pub metadata: Metadata,
    pub recorded_at: OffsetDateTime,
}

/// A message that no relay of ours has written.
#[derive(Debug, thiserror::Error)]
pub enum MessageError {
    #[error("{subject:?} is not the subject of an event")]
    Subject { subject: String },
    #[error("the header {name} is missing or malformed")]
    Header { name: &'static str },
    #[error(transparent)]
    Metadata(#[from] MetadataError),
}

/// `evt.<service>.<stream kind>.<stream id>.<Event>`.
pub fn subject(service: &str, stream_kind: &str, stream_id: Uuid, event: &str) -> String {
    format!("evt.{service}.{stream_kind}.{stream_id}.{event}")
}

impl Message {
    /// The data as the protobuf message it is. Data that cannot be read stays unreadable: the error is permanent.
    pub fn decode<M: prost::Message + Default>(&self) -> Result<M, HandleError> {
        M::decode(self.data.as_slice()).map_err(|error| {
            HandleError::Permanent(format!("{} schema {} cannot be decoded: {error}", self.kind, self.schema))
        })
    }

    pub fn subject(&self) -> String {
        subject(&self.service, &self.stream_kind, self.stream_id, &self.kind)
    }

    /// The headers. `generation` counts republications: the broker must not take a new copy for a duplicate of one that it
    /// no longer holds.
    pub(crate) fn headers(&self, generation: i16) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let message_id = match generation {
            0 => self.event_id.to_string(),
            _ => format!("{}/{generation}", self.event_id),
        };
        headers.insert(MESSAGE_ID, message_id);
        headers.insert(EVENT_ID, self.event_id.to_string());
        headers.insert(VERSION, self.version.to_string());
        headers.insert(FOLLOWS, self.follows.to_string());
        headers.insert(SCHEMA, self.schema.to_string());
        headers.insert(METADATA, STANDARD_NO_PAD.encode(self.metadata.to_bytes()));
        if let Ok(recorded_at) = self.recorded_at.format(&Rfc3339) {
            headers.insert(RECORDED_AT, recorded_at);
        }
        // Stored text must not be able to break the framing of the headers.
        let trace_parent = self.metadata.trace_parent.as_deref().map(HeaderValue::from_str);
        if let Some(Ok(trace_parent)) = trace_parent {
            headers.insert(TRACE_PARENT_HEADER, trace_parent);
        }
        headers
    }

    /// Reads what a relay published.
    pub fn parse(subject: &str, headers: &HeaderMap, data: &[u8]) -> Result<Self, MessageError> {
        let place =
            Place::parse(subject).ok_or_else(|| MessageError::Subject { subject: subject.to_owned() })?;
        let metadata = STANDARD_NO_PAD
            .decode(text(headers, METADATA)?)
            .map_err(|_| MessageError::Header { name: METADATA })?;
        let recorded_at = OffsetDateTime::parse(text(headers, RECORDED_AT)?, &Rfc3339)
            .map_err(|_| MessageError::Header { name: RECORDED_AT })?;
        Ok(Self {
            service: place.service.to_owned(),
            stream_kind: place.stream_kind.to_owned(),
            stream_id: place.stream_id,
            version: parsed(headers, VERSION)?,
            follows: parsed(headers, FOLLOWS)?,
            event_id: parsed(headers, EVENT_ID)?,
            kind: place.event.to_owned(),
            schema: parsed(headers, SCHEMA)?,
            data: data.to_vec(),
            metadata: Metadata::from_bytes(&metadata)?,
            recorded_at,
        })
    }
}

impl Cause for Message {
    fn cause_id(&self) -> Uuid {
        self.event_id
    }

    fn correlation_id(&self) -> Uuid {
        self.metadata.correlation_id
    }
}

/// What a subject says.
pub(crate) struct Place<'a> {
    pub(crate) service: &'a str,
    pub(crate) stream_kind: &'a str,
    pub(crate) stream_id: Uuid,
    pub(crate) event: &'a str,
}

impl<'a> Place<'a> {
    pub(crate) fn parse(subject: &'a str) -> Option<Self> {
        let mut tokens = subject.split('.');
        let prefix = tokens.next()?;
        let (service, stream_kind) = (tokens.next()?, tokens.next()?);
        let (stream_id, event) = (tokens.next()?.parse().ok()?, tokens.next()?);
        let is_whole = prefix == "evt" && tokens.next().is_none();
        is_whole.then_some(Self { service, stream_kind, stream_id, event })
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &'static str) -> Result<&'a str, MessageError> {
    headers.get(name).map(HeaderValue::as_str).ok_or(MessageError::Header { name })
}

fn parsed<T: FromStr>(headers: &HeaderMap, name: &'static str) -> Result<T, MessageError> {
    text(headers, name)?.parse().map_err(|_| MessageError::Header { name })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message() -> Message {
        Message {
            service: "game".into(),
            stream_kind: "game".into(),
            stream_id: Uuid::from_u128(7),
            version: 3,
            follows: 1,
            event_id: Uuid::from_u128(9),
            kind: "GameEnded".into(),
            schema: 2,
            data: vec![0, 1, 255],
            metadata: Metadata {
                correlation_id: Uuid::from_u128(1),
                causation_id: Uuid::from_u128(2),
                actor: "Ödön \r\n".into(),
                trace_parent: Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".into()),
            },
            recorded_at: OffsetDateTime::from_unix_timestamp_nanos(1_700_000_000_123_456_000)
                .expect("a valid time"),
        }
    }

    #[test]
    fn a_message_survives_its_headers() {
        let message = message();
        let headers = message.headers(0);
        assert_eq!(
            headers.get(MESSAGE_ID).map(HeaderValue::as_str),
            Some(message.event_id.to_string().as_str())
        );
        let read = Message::parse(&message.subject(), &headers, &message.data).expect("readable");
        assert_eq!(read, message);
    }

    #[test]
    fn a_republished_message_has_another_id_but_is_the_same_event() {
        let message = message();
        let headers = message.headers(2);
        assert_ne!(headers.get(MESSAGE_ID), message.headers(0).get(MESSAGE_ID));
        let read = Message::parse(&message.subject(), &headers, &message.data).expect("readable");
        assert_eq!(read.event_id, message.event_id);
    }

    #[test]
    fn a_trace_parent_that_would_break_the_headers_is_left_out() {
        let mut message = message();
        message.metadata.trace_parent = Some("00-a\r\nNats-Msg-Id: other".into());
        let headers = message.headers(0);
        assert!(headers.get(TRACE_PARENT_HEADER).is_none());
        assert!(Message::parse(&message.subject(), &headers, &[]).is_ok());
    }

    #[test]
    fn foreign_messages_are_refused() {
        let message = message();
        let headers = message.headers(0);
        for subject in
            ["evt.game.game.1.GameEnded", "evt.game.game", "other.game.game.x.y", "", "evt.a.b.c.d.e"]
        {
            assert!(Message::parse(subject, &headers, &[]).is_err(), "{subject} was taken");
        }
        assert!(Message::parse(&message.subject(), &HeaderMap::new(), &[]).is_err());
    }
}
