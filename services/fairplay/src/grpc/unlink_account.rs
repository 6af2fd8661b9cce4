//! `UnlinkAccount`: an account is not that person's.

use proto::fairplay::v1::{UnlinkAccountRequest, UnlinkAccountResponse};
use service_kit::auth::{self, Role};
use service_kit::fields::Violations;
use service_kit::ids;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{Service, read_reason, standing_status};
use crate::app::persons::{self, Word};

pub async fn handle(
    service: &Service,
    request: Request<UnlinkAccountRequest>,
) -> Result<Response<UnlinkAccountResponse>, Status> {
    let principal = auth::principal(&request)?;
    auth::require_role(&principal, Role::Moderator)?;
    let request = request.get_ref();
    let mut bad = Violations::default();
    let player_id = bad.check("player_id", ids::parse(&request.player_id));
    let reason = read_reason(&request.reason, &mut bad);
    let (true, Some(player_id)) = (bad.is_empty(), player_id) else { return Err(bad.into_status()) };
    let word = Word { said_by: principal.player_id, reason };
    let rest = persons::unlink(&service.pool, player_id, &word).await.map_err(standing_status)?;
    service.signal.committed();
    Ok(Response::new(UnlinkAccountResponse {
        remaining_player_ids: rest.iter().map(Uuid::to_string).collect(),
    }))
}
