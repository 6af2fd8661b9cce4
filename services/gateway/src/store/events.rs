//! The gateway's events as they are stored.

use event_store::{Append, Metadata, NewEvent, Publication, StreamId, Version};
use prost::Message;
use proto::gateway::v1::{PlayerRegistered, PlayerRolesChanged};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::app::account::Account;
use crate::app::{NewRoles, Registration};

/// The stream of an account.
const PLAYER: &str = "player";

/// The first event of a player's stream.
pub(super) fn player_registered(registration: &Registration) -> Append {
    let event_id = Uuid::now_v7();
    NewPlayer { event_id, registration }.append()
}

/// The next event of a player's stream when his roles change. It stays here: others go by what a token says.
pub(super) fn player_roles_changed(account: &Account, new: &NewRoles, expected: Version) -> Append {
    let event_id = Uuid::now_v7();
    Append {
        stream: StreamId::new(PLAYER, account.player_id),
        expected,
        events: vec![NewEvent {
            event_id: Some(event_id),
            kind: "PlayerRolesChanged",
            schema: 1,
            data: encode_roles(account, new),
            publication: Publication::Private,
        }],
        metadata: Metadata::for_request(crate::SERVICE, event_id),
    }
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
                event_id: Some(self.event_id),
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

fn encode_roles(account: &Account, new: &NewRoles) -> Vec<u8> {
    let event = PlayerRolesChanged {
        player_id: account.player_id.to_string(),
        roles: account.roles.names().into_iter().map(str::to_owned).collect(),
        changed_by: new.changed_by.clone(),
        reason: new.reason.clone(),
        changed_at_ms: unix_ms(new.changed_at),
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
    use crate::app::account::Name;
    use crate::app::{NewSession, RoleChange};

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

    #[test]
    fn the_bytes_of_player_roles_changed_stay_as_they_are() {
        let player_id = Uuid::from_u128(0x0198_c5a2_7f3e_7c11_8b5a_2f6d_1e0c_9a44);
        let at = OffsetDateTime::from_unix_timestamp(1_767_225_600).expect("a time");
        let roles = Roles::of(&[Role::Player, Role::Operator]);
        let account = Account { player_id, name: "Ann".to_owned(), roles, registered_at: at };
        let new = NewRoles {
            name_key: "ann".to_owned(),
            change: RoleChange::Grant(Role::Operator),
            changed_by: "root".to_owned(),
            reason: "on call".to_owned(),
            changed_at: at,
        };
        let mut golden =
            b"\x0a\x240198c5a2-7f3e-7c11-8b5a-2f6d1e0c9a44\x12\x06player\x12\x08operator".to_vec();
        golden.extend(b"\x1a\x04root\x22\x07on call\x28\x80\xd0\xea\xb6\xb7\x33");
        assert_eq!(encode_roles(&account, &new), golden);
    }
}
