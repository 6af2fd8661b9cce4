//! A player's ratings in all pools, as they are at this moment.

use proto::rating::v1::{GetRatingsRequest, GetRatingsResponse};
use service_kit::ids;
use service_kit::status::from_sqlx;
use sqlx::PgPool;
use time::OffsetDateTime;
use tonic::{Response, Status};

use super::convert;
use crate::app::ended_game::pools;
use crate::app::rate_game::Standing;
use crate::store::ratings::{self, RatingRow};

pub(super) async fn handle(
    pool: &PgPool,
    request: GetRatingsRequest,
) -> Result<Response<GetRatingsResponse>, Status> {
    let player_id = ids::uuid("player_id", &request.player_id)?;
    let rows = ratings::of_player(pool, player_id).await.map_err(|error| from_sqlx(&error))?;
    let now_ms = now_ms();
    let ratings: Result<Vec<_>, sqlx::Error> = pools()
        .map(|pool| {
            let standing = rows
                .iter()
                .find(|row| row.pool == pool.id)
                .map_or(Ok(Standing::FRESH), RatingRow::standing)?;
            Ok(convert::current_rating(pool.id, &standing, now_ms))
        })
        .collect();
    let ratings = ratings.map_err(|error| from_sqlx(&error))?;
    Ok(Response::new(GetRatingsResponse { ratings }))
}

fn now_ms() -> i64 {
    let now = OffsetDateTime::now_utc();
    now.unix_timestamp() * 1_000 + i64::from(now.millisecond())
}
