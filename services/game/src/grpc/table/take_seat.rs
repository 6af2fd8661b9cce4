//! Takes the free seat.

use proto::game::v1 as pb;
use service_kit::auth;
use tonic::{Request, Status};

use super::TableDesk;
use crate::app::TableCommand;

pub(super) async fn handle(
    desk: &TableDesk,
    request: Request<pb::TakeSeatRequest>,
) -> Result<pb::TakeSeatResponse, Status> {
    let principal = auth::principal(&request)?;
    let request = request.into_inner();
    let table = desk.act(&principal, &request.request_id, &request.table_id, TableCommand::TakeSeat).await?;
    Ok(pb::TakeSeatResponse { table: Some(table) })
}
