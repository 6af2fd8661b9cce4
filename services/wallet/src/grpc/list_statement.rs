//! The caller's statement, page by page.

use proto::wallet::v1::{ListStatementRequest, ListStatementResponse};
use service_kit::auth::principal;
use service_kit::fields::Violations;
use service_kit::paging;
use service_kit::status::from_sqlx;
use sqlx::PgPool;
use tonic::{Request, Response, Status};

use super::{convert, parse, status};
use crate::store::statement;

/// Names the list in its page tokens.
const LIST: &str = "statement";

pub(super) async fn handle(
    pool: &PgPool,
    request: &Request<ListStatementRequest>,
) -> Result<Response<ListStatementResponse>, Status> {
    let caller = principal(request)?.player_id;
    let asked = request.get_ref();
    let mut bad = Violations::default();
    let page = paging::read::<i64>(LIST, asked.page_size, &asked.page_token, &mut bad);
    let filter = parse::filter(asked.filter.as_ref(), &mut bad);
    let (Some(page), Some(filter)) = (page, filter) else {
        return Err(bad.into_status());
    };
    let before = page.after.unwrap_or(i64::MAX);
    let mut rows = statement::page(pool, caller, &filter, before, i64::from(page.size) + 1)
        .await
        .map_err(|error| from_sqlx(&error))?;
    if rows.is_empty() {
        status::check_account(pool, caller).await?;
    }
    let next_page_token = paging::cut(LIST, page.size, &mut rows, |row| row.line);
    Ok(Response::new(ListStatementResponse {
        lines: rows.into_iter().map(convert::line).collect(),
        next_page_token,
    }))
}
