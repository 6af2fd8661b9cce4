//! Between the use cases' types and the wire's.

use proto::gateway::v1 as wire;
use time::OffsetDateTime;

use crate::app::Session;
use crate::app::account::Account;

pub(super) fn session(session: &Session) -> wire::Session {
    wire::Session {
        player_id: session.account.player_id.to_string(),
        name: session.account.name.clone(),
        access_token: session.access_token.clone(),
        access_token_expires_at_ms: unix_ms(session.access_expires_at),
        refresh_token: session.refresh_token.text(),
        refresh_token_expires_at_ms: unix_ms(session.refresh_expires_at),
    }
}

pub(super) fn account(account: Account) -> wire::GetAccountResponse {
    wire::GetAccountResponse {
        player_id: account.player_id.to_string(),
        name: account.name,
        roles: account.roles.names().into_iter().map(str::to_owned).collect(),
        registered_at_ms: unix_ms(account.registered_at),
    }
}

/// Milliseconds since the Unix epoch.
fn unix_ms(time: OffsetDateTime) -> i64 {
    i64::try_from(time.unix_timestamp_nanos() / 1_000_000).unwrap_or(i64::MAX)
}
