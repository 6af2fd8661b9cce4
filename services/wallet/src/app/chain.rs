//! The hash chain over the log: each link covers the one before it and every column of its event, so that no byte of what was
//! sealed can change, and no event can go or come, without breaking a link.

use sha2::{Digest, Sha256};
use uuid::Uuid;

/// A link of the chain.
pub type Link = [u8; 32];

/// What the first event is chained to.
pub const START: Link = [0; 32];

/// An event byte by byte, as it stands in the table: what is read from it may be the same although a byte is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawEvent {
    /// Its stream.
    pub stream_id: Uuid,
    /// Its place there.
    pub version: i64,
    /// Its id.
    pub event_id: Uuid,
    /// Its name.
    pub kind: String,
    /// The version of its data.
    pub schema: i16,
    /// The data.
    pub data: Vec<u8>,
    /// Who caused it.
    pub metadata: Vec<u8>,
    /// When, in microseconds since the Unix epoch: all that Postgres keeps.
    pub recorded_at_us: i64,
}

/// The link of an event behind `before`. Lengths are hashed with what may be of any length, so that no byte can move from one
/// column to the next.
#[must_use]
pub fn link(before: &Link, event: &RawEvent) -> Link {
    let mut hash = Sha256::new();
    hash.update(before);
    hash.update(event.stream_id.as_bytes());
    hash.update(event.version.to_be_bytes());
    hash.update(event.event_id.as_bytes());
    hash.update(event.schema.to_be_bytes());
    hash.update(event.recorded_at_us.to_be_bytes());
    for bytes in [event.kind.as_bytes(), &event.data, &event.metadata] {
        hash.update((bytes.len() as u64).to_be_bytes());
        hash.update(bytes);
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event() -> RawEvent {
        RawEvent {
            stream_id: Uuid::from_u128(1),
            version: 2,
            event_id: Uuid::from_u128(3),
            kind: "PotPaid".to_owned(),
            schema: 1,
            data: vec![1, 2, 3],
            metadata: vec![4, 5],
            recorded_at_us: 6,
        }
    }

    #[test]
    fn every_column_of_an_event_and_the_link_before_it_are_in_its_link() {
        let whole = event();
        let changed = [
            RawEvent { stream_id: Uuid::from_u128(9), ..whole.clone() },
            RawEvent { version: 9, ..whole.clone() },
            RawEvent { event_id: Uuid::from_u128(9), ..whole.clone() },
            RawEvent { kind: "PotPaie".to_owned(), ..whole.clone() },
            RawEvent { schema: 9, ..whole.clone() },
            RawEvent { data: vec![1, 2, 2], ..whole.clone() },
            RawEvent { metadata: vec![4, 4], ..whole.clone() },
            RawEvent { recorded_at_us: 7, ..whole.clone() },
            // A byte that moved from one column to the next.
            RawEvent { data: vec![1, 2], metadata: vec![3, 4, 5], ..whole.clone() },
        ];
        let expected = link(&START, &whole);
        for other in changed {
            assert_ne!(link(&START, &other), expected, "{other:?}");
        }
        assert_ne!(link(&expected, &whole), expected);
        assert_eq!(link(&START, &event()), expected);
    }
}
