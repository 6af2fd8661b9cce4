//! One table as it stands.

use proto::game::v1 as pb;
use service_kit::ids;
use tonic::Status;

use super::{TableDesk, status, view};
use crate::app::TableId;

pub(super) async fn handle(
    desk: &TableDesk,
    request: pb::GetTableRequest,
) -> Result<pb::GetTableResponse, Status> {
    let table_id = TableId(ids::uuid("table_id", &request.table_id)?);
    let shown = desk.tables.get(table_id).await.map_err(status::of_table)?;
    Ok(pb::GetTableResponse { table: Some(view(&shown)) })
}
