//! Offers another game.

use proto::game::v1 as pb;
use service_kit::auth;
use tonic::{Request, Status};

use super::TableDesk;
use crate::app::TableCommand;

pub(super) async fn handle(
    desk: &TableDesk,
    request: Request<pb::OfferRematchRequest>,
) -> Result<pb::OfferRematchResponse, Status> {
    let principal = auth::principal(&request)?;
    let request = request.into_inner();
    let offer = |sitter: crate::app::Sitter| TableCommand::OfferRematch(sitter.seat.player_id);
    let table = desk.act(&principal, &request.request_id, &request.table_id, offer).await?;
    Ok(pb::OfferRematchResponse { table: Some(table) })
}
