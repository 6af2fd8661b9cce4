//! The gateway's events as they are stored.

use event_store::{Append, Metadata, NewEvent, Publication, StreamId};
use prost::Message;
use proto::gateway::v1::PlayerRegistered;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::app::Registration;

/// The stream of an account.
const PLAYER: &str = "player";

/// The first event of a player's stream.
pub(super) fn player_registered(registration: &Registration) -> Append {
    let event_id = Uuid::now_v7();
    NewPlayer { event_id, registration }.append()
}

struct NewPlayer<'a> {
    event_id: Uuid,
    registration: &'a Registration,
}

impl NewPlayer<'_> {
    fn append(&self) -> Append {
        let player_id = self.registration.player_id;
        Append {
            stream: StreamId::new(PLAYER, player_id),
            expected: 0,
            events: vec![NewEvent {
                event_id: self.event_id,
                kind: "PlayerRegistered",
                schema: 1,
                data: encode(self.registration),
                publication: Publication::Public { follows: 0 },
            }],
            // Signing up has no request id of the client's: the event is the start of its own chain.
            metadata: Metadata::for_request(player_id.to_string(), self.event_id),
        }
    }
}

fn encode(registration: &Registration) -> Vec<u8> {
    let event = PlayerRegistered {
        player_id: registration.player_id.to_string(),
        name: registration.name.as_str().to_owned(),
        roles: registration.roles.names().into_iter().map(str::to_owned).collect(),
        registered_at_ms: unix_ms(registration.registered_at),
    };
    event.encode_to_vec()
}

/// Milliseconds since the Unix epoch.
fn unix_ms(time: OffsetDateTime) -> i64 {
    i64::try_from(time.unix_timestamp_nanos() / 1_000_000).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use service_kit::auth::{Role, Roles};

    use super::*;
    use crate::app::NewSession;
    use crate::app::account::Name;

    /// What version 1 of the event looks like on disk, for ever.
    #[test]
    fn the_bytes_of_player_registered_stay_as_they_are() {
        let player_id = Uuid::from_u128(0x0198_c5a2_7f3e_7c11_8b5a_2f6d_1e0c_9a44);
        let at = OffsetDateTime::from_unix_timestamp(1_767_225_600).expect("a time");
        let registration = Registration {
            player_id,
            name: Name::parse("Ann").expect("a name"),
            password_hash: String::new(),
            roles: Roles::of(&[Role::Player]),
            registered_at: at,
            session: NewSession {
                session_id: player_id,
                player_id,
                token_hash: [0; 32],
                began_at: at,
                expires_at: at,
            },
        };
        let mut golden = b"\x0a\x240198c5a2-7f3e-7c11-8b5a-2f6d1e0c9a44\x12\x03Ann\x1a\x06player".to_vec();
        golden.extend(b"\x20\x80\xd0\xea\xb6\xb7\x33");
        assert_eq!(encode(&registration), golden);
    }
}
