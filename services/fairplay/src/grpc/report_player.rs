//! `ReportPlayer`: a player asks for a look at an opponent.

use std::time::Duration;

use proto::fairplay::v1::{ErrorReason, ReportPlayerRequest, ReportPlayerResponse};
use service_kit::fields::Violations;
use service_kit::{auth, ids, status};
use time::OffsetDateTime;
use tonic::{Request, Response, Status};

use super::{Service, read_reason, standing_status};
use crate::app::cases::{self, OpponentReport, Reported};
use crate::store::analyses;

const DAY_S: u64 = 24 * 60 * 60;

pub async fn handle(
    service: &Service,
    request: Request<ReportPlayerRequest>,
) -> Result<Response<ReportPlayerResponse>, Status> {
    let principal = auth::principal(&request)?;
    let request = request.into_inner();
    let mut bad = Violations::default();
    let game_id = bad.check("game_id", ids::parse(&request.game_id));
    let reason = read_reason(&request.reason, &mut bad);
    let (true, Some(game_id)) = (bad.is_empty(), game_id) else { return Err(bad.into_status()) };
    let standing = analyses::find(&service.pool, game_id).await.map_err(|error| status::from_sqlx(&error))?;
    let opponent = standing.and_then(|standing| match principal.player_id {
        id if id == standing.white_id => Some(standing.black_id),
        id if id == standing.black_id => Some(standing.white_id),
        _ => None,
    });
    let player_id = opponent.ok_or_else(|| {
        status::not_found(ErrorReason::ReportUnknown, "no ended staked game of the caller's has this id")
    })?;
    let report = OpponentReport { reported_by: principal.player_id, game_id, player_id, reason };
    match cases::report(&service.pool, report).await.map_err(standing_status)? {
        Reported::Noted => service.signal.committed(),
        Reported::TooMany => {
            let message = "as many players were reported as one may in a day";
            return Err(status::exhausted(ErrorReason::TooManyReports, message, until_tomorrow()));
        }
    }
    Ok(Response::new(ReportPlayerResponse { player_id: player_id.to_string() }))
}

fn until_tomorrow() -> Duration {
    let now = OffsetDateTime::now_utc().unix_timestamp().unsigned_abs();
    Duration::from_secs(DAY_S - now % DAY_S)
}
