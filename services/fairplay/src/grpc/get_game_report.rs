//! `GetGameReport`: how far the analysis is, and the report once it is complete.

use proto::fairplay::v1::{AnalysisStatus, ErrorReason, GetGameReportRequest, GetGameReportResponse};
use service_kit::auth::{self, Principal, Role};
use service_kit::{ids, status};
use tonic::{Request, Response, Status};

use super::Service;
use crate::app::recompute::{self, RecomputeError};
use crate::store::analyses::{self, Progress, Standing};
use crate::store::{ReadError, signals};

pub async fn handle(
    service: &Service,
    request: Request<GetGameReportRequest>,
) -> Result<Response<GetGameReportResponse>, Status> {
    let principal = auth::principal(&request)?;
    let game_id = ids::uuid("game_id", &request.get_ref().game_id)?;
    let standing = analyses::find(&service.pool, game_id).await.map_err(|error| status::from_sqlx(&error))?;
    // For a stranger there is none: the same answer, so that it tells nothing.
    let standing = standing.filter(|standing| may_see(&principal, standing)).ok_or_else(|| {
        status::not_found(ErrorReason::ReportUnknown, "no ended staked game of the caller's has this id")
    })?;
    let (progress, report) = match standing.progress {
        Progress::Queued => (AnalysisStatus::Queued, None),
        Progress::Running => (AnalysisStatus::Running, None),
        Progress::Parked => (AnalysisStatus::Parked, None),
        Progress::Ready(report) => (AnalysisStatus::Ready, Some(*report)),
    };
    let signals =
        signals::of_game(&service.pool, game_id).await.map_err(|error| status::from_sqlx(&error))?;
    let pgn = match &report {
        Some(_) => recompute::record(&service.pool, game_id).await.map_err(record_status)?,
        None => String::new(),
    };
    Ok(Response::new(GetGameReportResponse { status: progress.into(), report, signals, pgn }))
}

fn record_status(error: RecomputeError) -> Status {
    match error {
        RecomputeError::Unavailable(error) | RecomputeError::Read(ReadError::Unavailable(error)) => {
            status::from_sqlx(&error)
        }
        other => status::internal(&other),
    }
}

fn may_see(principal: &Principal, standing: &Standing) -> bool {
    let is_player = [standing.white_id, standing.black_id].contains(&principal.player_id);
    is_player || [Role::Moderator, Role::Operator].into_iter().any(|role| principal.roles.contains(role))
}
