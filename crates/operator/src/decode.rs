//! Shows a stored event's data by the descriptors of the protos, so that a new event needs no change here.

use std::sync::OnceLock;

use prost_reflect::{DescriptorPool, DynamicMessage};
use serde_json::{Value, json};

/// The event's data as JSON. What is unknown or unreadable is shown as its size: people look into a log most when
/// something is wrong with it.
#[must_use]
pub fn event_data(service: &str, kind: &str, data: &[u8]) -> Value {
    static POOL: OnceLock<DescriptorPool> = OnceLock::new();
    let pool = POOL.get_or_init(|| {
        DescriptorPool::decode(proto::DESCRIPTORS).expect("the build wrote these descriptors")
    });
    let unreadable = || json!({ "unreadable_bytes": data.len() });
    let Some(descriptor) = pool.get_message_by_name(&format!("stakemate.{service}.v1.{kind}")) else {
        return unreadable();
    };
    DynamicMessage::decode(descriptor, data)
        .ok()
        .and_then(|message| serde_json::to_value(message).ok())
        .unwrap_or_else(unreadable)
}

#[cfg(test)]
mod tests {
    use prost::Message as _;

    use super::*;

    #[test]
    fn an_event_is_shown_field_by_field() {
        let event = proto::game::v1::MovePlayed { ply: 1, uci: "e2e4".to_owned(), ..Default::default() };
        let shown = event_data("game", "MovePlayed", &event.encode_to_vec());
        assert_eq!(shown["ply"], 1);
        assert_eq!(shown["uci"], "e2e4");
    }

    #[test]
    fn unknown_and_broken_events_are_shown_as_their_size() {
        assert_eq!(event_data("game", "NoSuchEvent", &[1, 2]), json!({ "unreadable_bytes": 2 }));
        assert_eq!(event_data("game", "MovePlayed", &[255]), json!({ "unreadable_bytes": 1 }));
    }
}
