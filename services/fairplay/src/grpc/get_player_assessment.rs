//! `GetPlayerAssessment`: what a player's games amount to.

use proto::fairplay::v1::{ErrorReason, GetPlayerAssessmentRequest, GetPlayerAssessmentResponse};
use service_kit::auth::{self, Role};
use service_kit::{ids, status};
use tonic::{Request, Response, Status};

use super::Service;
use crate::app::standing::unix_ms;
use crate::store::players;

pub async fn handle(
    service: &Service,
    request: Request<GetPlayerAssessmentRequest>,
) -> Result<Response<GetPlayerAssessmentResponse>, Status> {
    let principal = auth::principal(&request)?;
    let player_id = match request.get_ref().player_id.as_str() {
        "" => principal.player_id,
        text => ids::uuid("player_id", text)?,
    };
    if player_id != principal.player_id && !principal.roles.contains(Role::Moderator) {
        // The same for everybody who may not see it, whether there is one or not.
        let message = "there is no assessment that the caller may see";
        return Err(status::not_found(ErrorReason::AssessmentUnknown, message));
    }
    let unavailable = |error: sqlx::Error| status::from_sqlx(&error);
    let assessments = players::assessments(&service.pool, player_id).await.map_err(unavailable)?;
    let row = players::find(&service.pool, player_id).await.map_err(unavailable)?;
    Ok(Response::new(GetPlayerAssessmentResponse {
        assessments,
        is_barred: row.is_barred,
        prizes_held_until_ms: row.hold_until.map(unix_ms).unwrap_or_default(),
    }))
}
