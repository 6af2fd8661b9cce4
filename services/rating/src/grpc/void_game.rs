//! Taking back what a game did to ratings.

use proto::rating::v1::{VoidGameRequest, VoidGameResponse};
use service_kit::fields::Violations;
use tonic::{Request, Response, Status};

use super::{Service, correct, role};
use crate::corrections::Wish;

pub(super) async fn handle(
    service: &Service,
    request: Request<VoidGameRequest>,
) -> Result<Response<VoidGameResponse>, Status> {
    let principal = role::moderator(&request)?;
    let request = request.into_inner();
    let mut bad = Violations::default();
    let asked = correct::asked(&request.request_id, &request.game_id, &request.reason, &mut bad);
    let Some(asked) = asked else {
        return Err(bad.into_status());
    };
    let correction = correct::correct(service, &principal, asked, Wish::Void).await?;
    Ok(Response::new(VoidGameResponse { correction: Some(correction) }))
}
