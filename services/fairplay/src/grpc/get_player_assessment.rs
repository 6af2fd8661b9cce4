//! `GetPlayerAssessment`: what a player's games amount to.

use proto::fairplay::v1::{ErrorReason, GetPlayerAssessmentRequest, GetPlayerAssessmentResponse};
use service_kit::auth::{self, Role};
use service_kit::{ids, status};
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::Service;
use crate::app::standing::unix_ms;
use crate::store::{persons, players, signals};

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
    let is_moderator = principal.roles.contains(Role::Moderator);
    let shown = shown(service, player_id).await.map_err(|error| status::from_sqlx(&error))?;
    // Who else a player may be is for moderators: a wrong guess would tell one about another's account.
    let linked_player_ids = if is_moderator { shown.linked_player_ids } else { Vec::new() };
    Ok(Response::new(GetPlayerAssessmentResponse { linked_player_ids, ..shown }))
}

async fn shown(service: &Service, player_id: Uuid) -> Result<GetPlayerAssessmentResponse, sqlx::Error> {
    let mut conn = service.pool.acquire().await?;
    let row = players::find(&mut *conn, player_id).await?;
    let person = persons::find(&mut conn, player_id).await?;
    let others = person.accounts.iter().filter(|account| **account != player_id);
    Ok(GetPlayerAssessmentResponse {
        assessments: players::assessments(&mut *conn, player_id).await?,
        is_barred: row.is_barred,
        prizes_held_until_ms: row.hold_until.map(unix_ms).unwrap_or_default(),
        signals: signals::of_players(&mut *conn, &person.accounts).await?,
        history: players::history(&mut *conn, player_id).await?,
        linked_player_ids: others.map(Uuid::to_string).collect(),
    })
}
