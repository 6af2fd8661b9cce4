//! The logs of pairs and analyses, the queue, the reports.

pub mod analyses;
pub mod analysis_log;
pub mod cases;
pub mod evidence;
#[cfg(test)]
mod evidence_tests;
pub mod jobs;
pub mod match_pairs;
pub mod pair_days;
pub mod pair_log;
pub mod persons;
#[cfg(test)]
mod persons_tests;
pub mod player_log;
pub mod players;
pub mod positions;
pub mod report;
pub mod reviews;
pub mod signals;
pub mod staked_games;
#[cfg(test)]
mod tests;

use event_store::{RecordedEvent, Version};
use prost::Message;
use uuid::Uuid;

/// The shape of every event written today.
pub const SCHEMA: i16 = 1;

/// An event as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded {
    /// Its stable name.
    pub kind: &'static str,
    /// The protobuf message.
    pub data: Vec<u8>,
}

impl Encoded {
    fn of(kind: &'static str, message: &impl Message) -> Self {
        Self { kind, data: message.encode_to_vec() }
    }
}

/// Why a log could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Postgres did not answer.
    #[error("the log is unavailable")]
    Unavailable(#[from] sqlx::Error),
    /// An event that this version does not know or cannot decode.
    #[error("event {version} of stream {stream_id}, {kind}, is not readable: {cause}")]
    Unreadable {
        /// The stream.
        stream_id: Uuid,
        /// Which event.
        version: Version,
        /// Its name.
        kind: String,
        /// What is wrong.
        cause: String,
    },
    /// A row speaks of a stream that has no event.
    #[error("stream {stream_id} is empty")]
    Empty {
        /// The stream.
        stream_id: Uuid,
    },
}

fn unreadable(event: &RecordedEvent, cause: impl ToString) -> ReadError {
    let (stream_id, version) = (event.stream_id, event.version);
    ReadError::Unreadable { stream_id, version, kind: event.kind.clone(), cause: cause.to_string() }
}

/// The event's message, if it has the shape that is known.
fn decode<M: Message + Default>(event: &RecordedEvent) -> Result<M, ReadError> {
    if event.schema != SCHEMA {
        return Err(unreadable(event, format!("unknown schema {}", event.schema)));
    }
    M::decode(event.data.as_slice()).map_err(|error| unreadable(event, error))
}

fn uuid(event: &RecordedEvent, text: &str) -> Result<Uuid, ReadError> {
    Uuid::parse_str(text).map_err(|error| unreadable(event, error))
}
