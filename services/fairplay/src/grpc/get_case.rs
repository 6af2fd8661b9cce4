//! `GetCase`: what a person reads before he decides.

use proto::fairplay::v1::case_service_server::CaseService;
use proto::fairplay::v1::{ErrorReason, GetCaseRequest, GetCaseResponse};
use service_kit::auth::{self, Role};
use service_kit::{ids, status};
use tonic::{Request, Response, Status};

use super::Service;
use crate::store::{case_history, cases};

#[tonic::async_trait]
impl CaseService for Service {
    async fn get_case(&self, request: Request<GetCaseRequest>) -> Result<Response<GetCaseResponse>, Status> {
        let principal = auth::principal(&request)?;
        auth::require_role(&principal, Role::Moderator)?;
        let case_id = ids::uuid("case_id", &request.get_ref().case_id)?;
        let unavailable = |error: sqlx::Error| status::from_sqlx(&error);
        let mut conn = self.pool.acquire().await.map_err(unavailable)?;
        let found = cases::find(&mut conn, case_id).await.map_err(unavailable)?;
        let found =
            found.ok_or_else(|| status::not_found(ErrorReason::CaseUnknown, "there is no such case"))?;
        let history = case_history::read(&mut conn, &found).await.map_err(unavailable)?;
        Ok(Response::new(GetCaseResponse {
            found: Some(found.to_wire()),
            decisions: history.decisions,
            reports: history.reports,
        }))
    }
}
