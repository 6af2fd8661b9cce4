//! Offers a draw.

use proto::game::v1 as pb;
use service_kit::auth;
use tonic::{Request, Status};

use super::{Service, act};
use crate::{app::Action, wire};

pub(super) async fn handle(
    service: &Service,
    request: Request<pb::OfferDrawRequest>,
) -> Result<pb::OfferDrawResponse, Status> {
    let principal = auth::principal(&request)?;
    let request = request.into_inner();
    let receipt =
        act::simple(service, &principal, &request.request_id, &request.game_id, Action::OfferDraw).await?;
    let status = receipt.ended.map_or(pb::GameStatus::Live, |ended| wire::status(ended.outcome));
    Ok(pb::OfferDrawResponse { status: status as i32, offers_left: receipt.offers_left })
}
