//! A player's ratings in all pools, as they are at this moment.

use domain_glicko::POOLS;
use proto::rating::v1::{GetRatingsRequest, GetRatingsResponse};
use service_kit::ids;
use service_kit::status::from_sqlx;
use sqlx::PgPool;
use tonic::{Response, Status};

use super::{convert, now_ms};
use crate::app::rate_game::Standing;
use crate::store::ratings;

pub(super) async fn handle(
    pool: &PgPool,
    request: GetRatingsRequest,
) -> Result<Response<GetRatingsResponse>, Status> {
    let player_id = ids::uuid("player_id", &request.player_id)?;
    let rows = ratings::of_player(pool, player_id).await.map_err(|error| from_sqlx(&error))?;
    let now_ms = now_ms();
    let ratings: Result<Vec<_>, sqlx::Error> = POOLS
        .into_iter()
        .map(|pool| {
            let row = rows.iter().find(|row| row.pool == pool.id);
            let standing = row.map_or(Ok(Standing::fresh(pool)), |row| row.standing(pool))?;
            Ok(convert::current_rating(pool, &standing, now_ms))
        })
        .collect();
    let ratings = ratings.map_err(|error| from_sqlx(&error))?;
    Ok(Response::new(GetRatingsResponse { ratings }))
}
