//! Public tables that are open, newest first.

use proto::game::v1 as pb;
use service_kit::{fields::Violations, paging, status as kit};
use tonic::Status;
use uuid::Uuid;

use super::TableDesk;
use crate::store::{ListTables, Reach, list_tables};

pub(super) async fn handle(
    desk: &TableDesk,
    request: pb::ListTablesRequest,
) -> Result<pb::ListTablesResponse, Status> {
    let mut bad = Violations::default();
    let status = bad.check(
        "status",
        pb::TableStatus::try_from(request.status).map_err(|_| "must be a status of a table"),
    );
    let name = format!("tables/{}", request.status);
    let page = paging::read::<(i64, Uuid)>(&name, request.page_size, &request.page_token, &mut bad);
    let (Some(status), Some(page)) = (status, page) else { return Err(bad.into_status()) };
    let list = ListTables {
        reach: Reach::Public,
        status: (status != pb::TableStatus::Unspecified).then_some(status),
        after: page.after.unwrap_or((i64::MAX, Uuid::max())),
        // One more, to know whether there is a next page.
        rows_max: page.size + 1,
    };
    let mut rows = list_tables(&desk.pool, list).await.map_err(|error| kit::from_sqlx(&error))?;
    let next_page_token = paging::cut(&name, page.size, &mut rows, |row| row.place);
    Ok(pb::ListTablesResponse { tables: rows.into_iter().map(|row| row.table).collect(), next_page_token })
}
