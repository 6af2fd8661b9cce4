//! Analyses that were given up, as operators see them. Each call asks for the role before it looks at anything else.

use event_store::Metadata;
use proto::fairplay::v1 as pb;
use proto::fairplay::v1::ErrorReason;
use proto::fairplay::v1::analysis_service_server::AnalysisService;
use service_kit::auth::{Role, principal, require_role};
use service_kit::fields::Violations;
use service_kit::status::{from_append, from_sqlx, internal, not_found};
use service_kit::{ids, paging};
use time::OffsetDateTime;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{Service, read_reason};
use crate::app::standing::unix_ms;
use crate::store::analyses::{self, FinishError, Retried};
use crate::store::jobs::{self, ParkedJob};

/// Names the list in its page tokens.
const LIST: &str = "parked-analyses";

#[tonic::async_trait]
impl AnalysisService for Service {
    async fn list_parked_analyses(
        &self,
        request: Request<pb::ListParkedAnalysesRequest>,
    ) -> Result<Response<pb::ListParkedAnalysesResponse>, Status> {
        require_role(&principal(&request)?, Role::Operator)?;
        let asked = request.get_ref();
        let mut bad = Violations::default();
        let page = paging::read::<(i64, Uuid)>(LIST, asked.page_size, &asked.page_token, &mut bad);
        let Some(page) = page else { return Err(bad.into_status()) };
        let (after_us, after_id) = page.after.unwrap_or_default();
        let after = OffsetDateTime::from_unix_timestamp_nanos(i128::from(after_us) * 1_000)
            .unwrap_or(OffsetDateTime::UNIX_EPOCH);
        let limit = i64::from(page.size) + 1;
        let mut rows =
            jobs::parked(&self.pool, (after, after_id), limit).await.map_err(|error| from_sqlx(&error))?;
        let next_page_token = paging::cut(LIST, page.size, &mut rows, place);
        let analyses = rows.into_iter().map(parked).collect();
        Ok(Response::new(pb::ListParkedAnalysesResponse { analyses, next_page_token }))
    }

    async fn retry_analysis(
        &self,
        request: Request<pb::RetryAnalysisRequest>,
    ) -> Result<Response<pb::RetryAnalysisResponse>, Status> {
        let operator = principal(&request)?;
        require_role(&operator, Role::Operator)?;
        let request = request.get_ref();
        let mut bad = Violations::default();
        let game_id = bad.check("game_id", ids::parse(&request.game_id));
        let reason = read_reason(&request.reason, &mut bad);
        let (true, Some(game_id)) = (bad.is_empty(), game_id) else { return Err(bad.into_status()) };
        let event = pb::AnalysisRetried {
            game_id: game_id.to_string(),
            retried_by: operator.player_id.to_string(),
            reason,
        };
        let metadata = Metadata::for_request(operator.player_id.to_string(), Uuid::now_v7());
        match analyses::retry(&self.pool, game_id, event, metadata).await.map_err(of_finish)? {
            Retried::Queued => self.signal.committed(),
            Retried::NotParked => {}
            Retried::Unknown => {
                return Err(not_found(ErrorReason::AnalysisUnknown, "no staked game of this id was queued"));
            }
        }
        Ok(Response::new(pb::RetryAnalysisResponse {}))
    }
}

fn of_finish(error: FinishError) -> Status {
    match error {
        FinishError::Read(error) => internal(error),
        FinishError::Append(error) => from_append(&error),
        FinishError::Unavailable(error) => from_sqlx(&error),
    }
}

/// Postgres keeps microseconds.
fn place(job: &ParkedJob) -> (i64, Uuid) {
    (i64::try_from(job.queued_at.unix_timestamp_nanos() / 1_000).unwrap_or(i64::MAX), job.game_id)
}

fn parked(job: ParkedJob) -> pb::ParkedAnalysis {
    pb::ParkedAnalysis {
        game_id: job.game_id.to_string(),
        white_player_id: job.white_player_id.to_string(),
        black_player_id: job.black_player_id.to_string(),
        is_second_pass: job.pass == 2,
        attempts: job.attempts.unsigned_abs(),
        workers_lost: job.claims_lost.unsigned_abs(),
        cause: job.cause.unwrap_or_default(),
        queued_at_ms: unix_ms(job.queued_at),
    }
}
