//! Plays a move.

use domain_chess::parse_uci;
use proto::game::v1 as pb;
use service_kit::{auth, fields::Violations};
use tonic::{Request, Status};

use super::{Service, act, convert};
use crate::{app::Action, wire};

pub(super) async fn handle(
    service: &Service,
    request: Request<pb::PlayMoveRequest>,
) -> Result<pb::PlayMoveResponse, Status> {
    // Before anything else: the player's clock stops when his move arrives.
    let received_at_ms = service.games.now_ms();
    let principal = auth::principal(&request)?;
    let request = request.into_inner();
    let mut bad = Violations::default();
    let ids = act::read_ids(&request.request_id, &request.game_id, &mut bad);
    let uci = bad.check("uci", parse_uci(&request.uci));
    let (Some(ids), Some(uci)) = (ids, uci) else { return Err(bad.into_status()) };
    let action = Action::PlayMove { uci, plies_seen: request.expected_ply };
    let receipt = act::act(service, &principal, ids, action, received_at_ms).await?;
    let ended = receipt.ended;
    Ok(pb::PlayMoveResponse {
        r#move: receipt.played.as_ref().map(convert::played),
        sequence: convert::sequence(receipt.version),
        status: ended.map_or(pb::GameStatus::Live, |ended| wire::status(ended.outcome)) as i32,
        result: convert::result(ended.as_ref()) as i32,
        end_reason: convert::end_reason(ended.as_ref()) as i32,
    })
}
