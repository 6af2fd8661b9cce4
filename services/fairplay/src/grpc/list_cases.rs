//! `ListCases`: what a person has to decide.

use proto::fairplay::v1::{ListCasesRequest, ListCasesResponse};
use service_kit::auth::{self, Role};
use service_kit::status;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{Service, page_size};
use crate::store::cases::{self, CaseRow, Page, Scope};

pub async fn handle(
    service: &Service,
    request: Request<ListCasesRequest>,
) -> Result<Response<ListCasesResponse>, Status> {
    let principal = auth::principal(&request)?;
    auth::require_role(&principal, Role::Moderator)?;
    let request = request.get_ref();
    let after = match request.page_token.as_str() {
        "" => (i64::MIN, Uuid::nil()),
        token => parse_token(token)
            .ok_or_else(|| status::invalid_argument([("page_token", "is not one of ours")]))?,
    };
    let size = page_size(request.page_size);
    let scope = if request.with_decided { Scope::All } else { Scope::Open };
    let page = Page { scope, after, size: i64::from(size) };
    let rows = cases::list(&service.pool, page).await.map_err(|error| status::from_sqlx(&error))?;
    let is_full = rows.len() == size as usize;
    let next_page_token = rows.last().filter(|_| is_full).map(token).unwrap_or_default();
    Ok(Response::new(ListCasesResponse {
        cases: rows.iter().map(CaseRow::to_wire).collect(),
        next_page_token,
    }))
}

fn token(last: &CaseRow) -> String {
    format!("{}.{}", last.opened_at_ms, last.case_id)
}

fn parse_token(token: &str) -> Option<(i64, Uuid)> {
    let (opened_at_ms, case_id) = token.split_once('.')?;
    Some((opened_at_ms.parse().ok()?, Uuid::parse_str(case_id).ok()?))
}
