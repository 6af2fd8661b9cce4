//! Declines a draw.

use proto::game::v1 as pb;
use service_kit::auth;
use tonic::{Request, Status};

use super::{Service, act};
use crate::app::Action;

pub(super) async fn handle(
    service: &Service,
    request: Request<pb::DeclineDrawRequest>,
) -> Result<pb::DeclineDrawResponse, Status> {
    let principal = auth::principal(&request)?;
    let request = request.into_inner();
    act::simple(service, &principal, &request.request_id, &request.game_id, Action::DeclineDraw).await?;
    Ok(pb::DeclineDrawResponse {})
}
