//! `LeaveQueue`: out of the queue, and out of a match that is not confirmed yet.

use std::time::Duration;

use event_store::Metadata;
use proto::matchmaking::v1::{LeaveQueueRequest, LeaveQueueResponse};
use service_kit::{auth, ids, status};
use tokio::time::timeout;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::Service;
use super::status::tickets_unavailable;
use crate::app::advance::{AdvanceError, Advanced, advance};
use crate::app::match_process::Input;
use crate::app::queue::Leaving;
use crate::store::matches;

/// How often one who leaves is looked for: in his match, among the searching, in the match that took him from there, and in
/// one that is just being written.
const LOOKS_MAX: usize = 5;

/// How long a match that was claimed may take to be written before he is looked for again.
const PROPOSAL_WAIT: Duration = Duration::from_millis(500);

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
    let mut changes = service.queue.changes();
    let mut is_being_written = false;
    for _ in 0..LOOKS_MAX {
        changes.mark_unchanged();
        let leaving = service.queue.leave(player_id).await;
        let match_id = match leaving {
            Leaving::Left => return Ok(true),
            Leaving::InMatch(match_id) => match_id,
            // His ticket may be lost or out of reach: the match is asked all the same.
            Leaving::NoTicket | Leaving::Unavailable => {
                let found = matches::of_player(&service.pool, player_id).await;
                match found.map_err(|error| status::from_sqlx(&error))? {
                    Some(row) => row.match_id,
                    None if leaving == Leaving::NoTicket => return Ok(false),
                    None => return Err(tickets_unavailable()),
                }
            }
        };
        match leave_match(service.clone(), match_id, player_id, request_id).await {
            Ok(true) => return Ok(true),
            Ok(false) => service.queue.match_changed(match_id).await,
            Err(AdvanceError::Early) => {
                is_being_written = true;
                let _ = timeout(PROPOSAL_WAIT, changes.changed()).await;
                continue;
            }
            Err(error) => return Err(from_advance(error)),
        }
        is_being_written = false;
    }
    if is_being_written { Err(from_advance(AdvanceError::Early)) } else { Ok(false) }
}

/// Asks the match; in a task of its own, so that a client who hangs up does not interrupt the transaction.
async fn leave_match(
    service: Service,
    match_id: Uuid,
    player_id: Uuid,
    request_id: Uuid,
) -> Result<bool, AdvanceError> {
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
    // A task that was not let finish belongs to a process that stops.
    leaving.await.unwrap_or(Err(AdvanceError::Unavailable(sqlx::Error::PoolClosed)))
}

fn from_advance(error: AdvanceError) -> Status {
    match error {
        AdvanceError::Early => status::unavailable("the match is being proposed", status::RETRY_AFTER),
        AdvanceError::Append(error) => status::from_append(&error),
        AdvanceError::Unavailable(error) => status::from_sqlx(&error),
        AdvanceError::Read(error) => status::internal(error),
    }
}
