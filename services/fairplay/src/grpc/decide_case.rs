//! `DecideCase`: a person decides.

use proto::fairplay::v1::{CaseDecision, DecideCaseRequest, DecideCaseResponse, ErrorReason};
use service_kit::auth::{self, Role};
use service_kit::fields::Violations;
use service_kit::{ids, status};
use tonic::{Request, Response, Status};

use super::{Service, read_reason, standing_status};
use crate::app::cases::{self, Decision};

pub async fn handle(
    service: &Service,
    request: Request<DecideCaseRequest>,
) -> Result<Response<DecideCaseResponse>, Status> {
    let principal = auth::principal(&request)?;
    auth::require_role(&principal, Role::Moderator)?;
    let request = request.into_inner();
    let mut bad = Violations::default();
    let case_id = bad.check("case_id", ids::parse(&request.case_id));
    if request.decision() == CaseDecision::Unspecified {
        bad.add("decision", "must be cleared or confirmed");
    }
    let reason = read_reason(&request.reason, &mut bad);
    let (true, Some(case_id)) = (bad.is_empty(), case_id) else { return Err(bad.into_status()) };
    let decision =
        Decision { case_id, decided_by: principal.player_id, decision: request.decision(), reason };
    let decided =
        cases::decide(&service.pool, &service.calibration, decision).await.map_err(standing_status)?;
    let decided =
        decided.ok_or_else(|| status::not_found(ErrorReason::CaseUnknown, "there is no such case"))?;
    service.signal.committed();
    Ok(Response::new(DecideCaseResponse { decided: Some(decided.to_wire()) }))
}
