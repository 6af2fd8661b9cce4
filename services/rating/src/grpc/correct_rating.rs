//! Giving one player points because of a game, or taking some.

use domain_glicko::Points;
use proto::rating::v1::{CorrectRatingRequest, CorrectRatingResponse};
use service_kit::fields::Violations;
use service_kit::ids;
use tonic::{Request, Response, Status};

use super::{Service, correct, role};
use crate::app::ended_game::PlayerId;
use crate::corrections::Wish;

pub(super) async fn handle(
    service: &Service,
    request: Request<CorrectRatingRequest>,
) -> Result<Response<CorrectRatingResponse>, Status> {
    let principal = role::moderator(&request)?;
    let request = request.into_inner();
    let mut bad = Violations::default();
    let asked = correct::asked(&request.request_id, &request.game_id, &request.reason, &mut bad);
    let player = bad.check("player_id", ids::parse(&request.player_id));
    let points = Points::new(request.points).ok_or("must not be 0 and be at most 700 either way");
    let points = bad.check("points", points);
    let (Some(asked), Some(player), Some(points)) = (asked, player, points) else {
        return Err(bad.into_status());
    };
    let wish = Wish::Adjust { player: PlayerId(player), points: points.get() };
    let correction = correct::correct(service, &principal, asked, wish).await?;
    Ok(Response::new(CorrectRatingResponse { correction: Some(correction) }))
}
