//! Gets up.

use proto::game::v1 as pb;
use service_kit::auth;
use tonic::{Request, Status};

use super::{TableDesk, read_ids, status, view};

pub(super) async fn handle(
    desk: &TableDesk,
    request: Request<pb::LeaveTableRequest>,
) -> Result<pb::LeaveTableResponse, Status> {
    let principal = auth::principal(&request)?;
    let request = request.into_inner();
    let (table_id, asked) = read_ids(&principal, &request.request_id, &request.table_id)?;
    let shown = desk.tables.leave(table_id, asked).await.map_err(status::of_table)?;
    Ok(pb::LeaveTableResponse { table: Some(view(&shown)) })
}
