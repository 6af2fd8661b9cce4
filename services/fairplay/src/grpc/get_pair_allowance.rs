//! `GetPairAllowance`: how many staked games the caller and another player may still start today.

use domain_fairplay::pairs::{GAMES_PER_DAY_MAX, UtcDay};
use proto::fairplay::v1::{GetPairAllowanceRequest, GetPairAllowanceResponse};
use service_kit::{auth, ids, status};
use time::OffsetDateTime;
use tonic::{Request, Response, Status};

use super::Service;
use crate::app::pairs::pair_day;
use crate::store::{pair_days, pair_log};

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

pub async fn handle(
    service: &Service,
    request: Request<GetPairAllowanceRequest>,
) -> Result<Response<GetPairAllowanceResponse>, Status> {
    let principal = auth::principal(&request)?;
    let opponent_id = ids::uuid("opponent_id", &request.get_ref().opponent_id)?;
    let today = UtcDay::of_unix_ms(OffsetDateTime::now_utc().unix_timestamp() * 1_000);
    let key = pair_day(principal.player_id, opponent_id, today)
        .map_err(|_| status::invalid_argument([("opponent_id", "must be another player than the caller")]))?;
    let used = pair_days::slots_taken(&service.pool, pair_log::stream_id(&key))
        .await
        .map_err(|error| status::from_sqlx(&error))?;
    Ok(Response::new(GetPairAllowanceResponse {
        used,
        limit: GAMES_PER_DAY_MAX as u32,
        resets_at_ms: (today.0 + 1) * DAY_MS,
    }))
}
