//! `LeaveQueue`: out of the queue, and out of a match that is not confirmed yet.

use event_store::Metadata;
use proto::matchmaking::v1::{LeaveQueueRequest, LeaveQueueResponse};
use service_kit::{auth, ids, status};
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::Service;
use crate::app::advance::{AdvanceError, Advanced, advance};
use crate::app::match_process::Input;
use crate::app::queue::Leaving;
use crate::store::matches;

/// How often one who leaves is looked for: in his match, among the searching, and in the match that took him from there.
const LOOKS_MAX: usize = 3;

pub async fn handle(
    service: &Service,
    request: Request<LeaveQueueRequest>,
) -> Result<Response<LeaveQueueResponse>, Status> {
    let principal = auth::principal(&request)?;
    let request_id = ids::uuid("request_id", &request.get_ref().request_id)?;
    let left = leave(service, principal.player_id, request_id).await?;
    Ok(Response::new(LeaveQueueResponse { left }))
}

/// Takes the player out of wherever he is (MATCH-8). A match that cannot be left may have been cancelled a moment ago, by the
/// other player or by a refusal: then his ticket is about to search again, and is asked once more.
async fn leave(service: &Service, player_id: Uuid, request_id: Uuid) -> Result<bool, Status> {
    for _ in 0..LOOKS_MAX {
        let match_id = match service.queue.leave(player_id).await {
            Leaving::Left => return Ok(true),
            Leaving::InMatch(match_id) => match_id,
            // The ticket may be another instance's, or this one was restarted: the match is asked all the same.
            Leaving::NoTicket => {
                let found = matches::of_player(&service.pool, player_id).await;
                match found.map_err(|error| status::from_sqlx(&error))? {
                    Some(row) => row.match_id,
                    None => return Ok(false),
                }
            }
        };
        if leave_match(service.clone(), match_id, player_id, request_id).await? {
            return Ok(true);
        }
        service.queue.match_changed(match_id).await;
    }
    Ok(false)
}

/// Asks the match; in a task of its own, so that a client who hangs up does not interrupt the transaction.
async fn leave_match(
    service: Service,
    match_id: Uuid,
    player_id: Uuid,
    request_id: Uuid,
) -> Result<bool, Status> {
    let leaving = tokio::spawn(async move {
        let metadata = Metadata {
            correlation_id: match_id,
            causation_id: request_id,
            actor: player_id.to_string(),
            trace_parent: event_store::trace::current_trace_parent(),
        };
        let input = Input::PlayerLeft { player: player_id };
        let advanced = advance(&service.pool, match_id, input, metadata).await?;
        let is_left = matches!(advanced, Advanced::Took(_));
        if is_left {
            service.signal.committed();
            service.queue.match_changed(match_id).await;
        }
        Ok::<bool, AdvanceError>(is_left)
    });
    leaving.await.map_err(status::internal)?.map_err(from_advance)
}

fn from_advance(error: AdvanceError) -> Status {
    match error {
        AdvanceError::Early => status::unavailable("the match is being proposed", status::RETRY_AFTER),
        AdvanceError::Append(error) => status::from_append(&error),
        AdvanceError::Unavailable(error) => status::from_sqlx(&error),
        AdvanceError::Read(error) => status::internal(error),
    }
}
