//! Claims a draw for the position on the board.

use proto::game::v1 as pb;
use service_kit::auth;
use tonic::{Request, Status};

use super::{Service, act, convert};
use crate::app::Action;

pub(super) async fn handle(
    service: &Service,
    request: Request<pb::ClaimDrawRequest>,
) -> Result<pb::ClaimDrawResponse, Status> {
    let principal = auth::principal(&request)?;
    let request = request.into_inner();
    let receipt =
        act::simple(service, &principal, &request.request_id, &request.game_id, Action::ClaimDraw).await?;
    Ok(pb::ClaimDrawResponse {
        result: convert::result(receipt.ended.as_ref()) as i32,
        end_reason: convert::end_reason(receipt.ended.as_ref()) as i32,
    })
}
