//! What every command of a player has in common.

use service_kit::{auth::Principal, fields::Violations, ids};
use tonic::Status;
use uuid::Uuid;

use super::{Service, status};
use crate::app::{Act, Action, GameId, PlayerId, Receipt};

/// The ids that every command names.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ids {
    pub(super) request_id: Uuid,
    pub(super) game_id: GameId,
}

/// Reads the ids; `None`, and violations, when they are malformed.
pub(super) fn read_ids(request_id: &str, game_id: &str, bad: &mut Violations) -> Option<Ids> {
    let request_id = bad.check("request_id", ids::parse(request_id));
    let game_id = bad.check("game_id", ids::parse(game_id));
    Some(Ids { request_id: request_id?, game_id: GameId(game_id?) })
}

/// Does what a command asks for that has no body but its ids.
pub(super) async fn simple(
    service: &Service,
    principal: &Principal,
    request_id: &str,
    game_id: &str,
    action: Action,
) -> Result<Receipt, Status> {
    let received_at_ms = service.games.now_ms();
    let mut bad = Violations::default();
    match read_ids(request_id, game_id, &mut bad) {
        Some(ids) => act(service, principal, ids, action, received_at_ms).await,
        None => Err(bad.into_status()),
    }
}

/// Does what a player asks for.
pub(super) async fn act(
    service: &Service,
    principal: &Principal,
    ids: Ids,
    action: Action,
    received_at_ms: i64,
) -> Result<Receipt, Status> {
    let act = Act {
        game_id: ids.game_id,
        player_id: PlayerId(principal.player_id),
        request_id: ids.request_id,
        action,
        received_at_ms,
    };
    service.games.act(act).await.map_err(status::of_act)
}
