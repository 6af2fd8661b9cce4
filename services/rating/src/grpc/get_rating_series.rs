//! A player's rating over time, for a graph.

use domain_glicko::Pool;
use proto::rating::v1::{GetRatingSeriesRequest, GetRatingSeriesResponse};
use service_kit::fields::Violations;
use service_kit::ids;
use service_kit::status::from_sqlx;
use sqlx::PgPool;
use tonic::{Response, Status};

use super::{convert, status};
use crate::store::history;

/// Points of a graph when the client does not say.
const POINTS: u32 = 200;
/// Points of a graph at most.
const POINTS_MAX: u32 = 1_000;

pub(super) async fn handle(
    pool: &PgPool,
    request: GetRatingSeriesRequest,
) -> Result<Response<GetRatingSeriesResponse>, Status> {
    let mut bad = Violations::default();
    let player_id = bad.check("player_id", ids::parse(&request.player_id));
    let range = convert::time_range(request.from_ms, request.to_ms, &mut bad);
    let points_max = convert::limit("points_max", request.points_max, POINTS, POINTS_MAX, &mut bad);
    let (Some(player_id), Some(range), Some(points_max)) = (player_id, range, points_max) else {
        return Err(bad.into_status());
    };
    let Some(rating_pool) = Pool::find(&request.pool) else {
        return Err(status::pool_unknown(&request.pool));
    };
    let points = history::series(pool, player_id, rating_pool.id, range, i64::from(points_max))
        .await
        .map_err(|error| from_sqlx(&error))?;
    Ok(Response::new(GetRatingSeriesResponse {
        at_ms: points.iter().map(|point| point.ended_at_ms).collect(),
        ratings: points.iter().map(|point| point.rating_after).collect(),
        deviations: points.iter().map(|point| point.deviation_after).collect(),
    }))
}
