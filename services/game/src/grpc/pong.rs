//! Takes a nonce back.

use proto::game::v1 as pb;
use service_kit::{auth, ids};
use tonic::{Request, Status};

use super::Service;
use crate::app::{GameId, News, PlayerId, Sign};

pub(super) fn handle(
    service: &Service,
    request: &Request<pb::PongRequest>,
) -> Result<pb::PongResponse, Status> {
    // Before anything else: what is measured is the network.
    let at_ms = service.games.now_ms();
    let principal = auth::principal(request)?;
    let pong = request.get_ref();
    let game_id = GameId(ids::uuid("game_id", &pong.game_id)?);
    let news = News::Ponged { nonce: pong.nonce };
    service.games.tell(Sign { game_id, player_id: PlayerId(principal.player_id), news, at_ms });
    Ok(pb::PongResponse {})
}
