//! `LinkAccounts`: two accounts are one person's.

use proto::fairplay::v1::{LinkAccountsRequest, LinkAccountsResponse};
use service_kit::auth::{self, Role};
use service_kit::fields::Violations;
use service_kit::ids;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{Service, read_reason, standing_status};
use crate::app::persons::{self, Word};

pub async fn handle(
    service: &Service,
    request: Request<LinkAccountsRequest>,
) -> Result<Response<LinkAccountsResponse>, Status> {
    let principal = auth::principal(&request)?;
    auth::require_role(&principal, Role::Moderator)?;
    let request = request.get_ref();
    let mut bad = Violations::default();
    let one = bad.check("player_id", ids::parse(&request.player_id));
    let other = bad.check("other_player_id", ids::parse(&request.other_player_id));
    if one.is_some() && one == other {
        bad.add("other_player_id", "must be another account");
    }
    let reason = read_reason(&request.reason, &mut bad);
    let (true, Some(one), Some(other)) = (bad.is_empty(), one, other) else { return Err(bad.into_status()) };
    let word = Word { said_by: principal.player_id, reason };
    let person = persons::link(&service.pool, [one, other], &word).await.map_err(standing_status)?;
    service.signal.committed();
    Ok(Response::new(LinkAccountsResponse {
        person_id: person.person_id.to_string(),
        player_ids: person.accounts.iter().map(Uuid::to_string).collect(),
    }))
}
