//! `GetPairAllowance`: how many staked games the caller and another player may still start today.

use domain_fairplay::pairs::{GAMES_PER_DAY_MAX, UtcDay};
use proto::fairplay::v1::{GetPairAllowanceRequest, GetPairAllowanceResponse};
use service_kit::{auth, ids, status};
use time::OffsetDateTime;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::Service;
use crate::app::pairs::{pair_day, taken_elsewhere};
use crate::store::{pair_days, pair_log, persons};

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

pub async fn handle(
    service: &Service,
    request: Request<GetPairAllowanceRequest>,
) -> Result<Response<GetPairAllowanceResponse>, Status> {
    let principal = auth::principal(&request)?;
    let opponent_id = ids::uuid("opponent_id", &request.get_ref().opponent_id)?;
    let today = UtcDay::of_unix_ms(OffsetDateTime::now_utc().unix_timestamp() * 1_000);
    pair_day(principal.player_id, opponent_id, today)
        .map_err(|_| status::invalid_argument([("opponent_id", "must be another player than the caller")]))?;
    let used = used(service, [principal.player_id, opponent_id], today)
        .await
        .map_err(|error| status::from_sqlx(&error))?;
    Ok(Response::new(GetPairAllowanceResponse {
        used: used.unwrap_or(0),
        // One person cannot play against himself.
        limit: used.map_or(0, |_| GAMES_PER_DAY_MAX as u32),
        resets_at_ms: (today.0 + 1) * DAY_MS,
    }))
}

/// Places that two persons have used up; nothing when they are one.
async fn used(service: &Service, players: [Uuid; 2], today: UtcDay) -> Result<Option<u32>, sqlx::Error> {
    let mut conn = service.pool.acquire().await?;
    let [one, other] =
        [persons::find(&mut conn, players[0]).await?, persons::find(&mut conn, players[1]).await?];
    let Ok(key) = pair_day(one.person_id, other.person_id, today) else { return Ok(None) };
    let stream_id = pair_log::stream_id(&key);
    let used = pair_days::slots_taken(&mut *conn, stream_id).await?;
    let elsewhere = taken_elsewhere(&mut conn, stream_id, today, [&one, &other]).await?;
    Ok(Some(used + elsewhere))
}
