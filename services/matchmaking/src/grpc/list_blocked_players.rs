//! `ListBlockedPlayers`: the caller's own list.

use proto::matchmaking::v1::{BlockedPlayer, ListBlockedPlayersResponse};
use service_kit::auth::Principal;
use service_kit::status;
use tonic::{Response, Status};

use super::Service;
use crate::store::blocks;

pub async fn handle(
    service: &Service,
    principal: &Principal,
) -> Result<Response<ListBlockedPlayersResponse>, Status> {
    let listed = blocks::list(&service.pool, principal.player_id).await;
    let listed = listed.map_err(|error| status::from_sqlx(&error))?.into_iter();
    let players = listed.map(|(blocked_id, blocked_at)| BlockedPlayer {
        player_id: blocked_id.to_string(),
        blocked_at_ms: i64::try_from(blocked_at.unix_timestamp_nanos() / 1_000_000).unwrap_or(i64::MAX),
    });
    Ok(Response::new(ListBlockedPlayersResponse { players: players.collect() }))
}
