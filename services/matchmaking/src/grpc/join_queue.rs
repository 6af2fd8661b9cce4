//! `JoinQueue`: a ticket, and the stream of its life.

use std::time::Duration;

use futures::{Stream, stream};
use proto::matchmaking::v1::join_queue_response::Frame as WireFrame;
use proto::matchmaking::v1::{Draining, ErrorReason, Heartbeat, JoinQueueRequest, JoinQueueResponse};
use service_kit::auth::{self, Principal, Role};
use service_kit::fields::Violations;
use service_kit::streams::{FrameStream, Live, Pulse};
use service_kit::{ids, status};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::status::{city_unknown, from_join};
use super::{Service, convert};
use crate::app::cities::TimeControl;
use crate::app::queue::{Join, JoinError, now_ms};
use crate::app::tickets::{Frame, QueueKey};
use crate::store::bars::{self, KeptOut};
use crate::store::matches;

/// Longer than the id of any city; what is longer is not worth an echo.
const CITY_ID_BYTES_MAX: usize = 64;

/// A game that has just ended is known here a moment later; whoever queues at once waits so long before he is refused.
const GAME_END_WAIT: Duration = Duration::from_secs(3);

/// How often it is looked whether the game has ended meanwhile.
const GAME_END_LOOK_EVERY: Duration = Duration::from_millis(250);

/// A request, parsed.
struct Asked {
    request_id: Uuid,
    ticket_id: Option<Uuid>,
    queue: QueueKey,
}

pub async fn handle(
    service: &Service,
    request: Request<JoinQueueRequest>,
) -> Result<Response<FrameStream<JoinQueueResponse>>, Status> {
    let principal = auth::principal(&request)?;
    let asked = parse(service, request.get_ref())?;
    if principal.roles.contains(Role::Computer) {
        let message = "computer players never sit at a staked game";
        return Err(status::permission_denied(ErrorReason::ComputerPlayer, message));
    }
    auth::require_role(&principal, Role::Player)?;
    refuse_if_kept_out(service, principal.player_id).await?;
    let frames = join(service, &principal, &asked).await?;
    let live = Live::new(numbered(frames), Numbering { sequence: 0 }, service.shutdown.clone());
    Ok(Response::new(live.until(principal.expires_at).boxed()))
}

/// Whoever is barred or has excluded himself gets no ticket; a match that is under way goes on.
async fn refuse_if_kept_out(service: &Service, player_id: Uuid) -> Result<(), Status> {
    let kept_out = bars::kept_out(&service.pool, &[player_id]).await;
    let kept_out = kept_out.map_err(|error| status::from_sqlx(&error))?;
    let (reason, message) = match kept_out.first() {
        None => return Ok(()),
        Some((_, KeptOut::Barred)) => {
            (ErrorReason::Barred, "fair play keeps the player from staked games until a person has decided")
        }
        Some((_, KeptOut::Excluded)) => (ErrorReason::Excluded, "the player has excluded himself from play"),
    };
    Err(status::failed_precondition(reason, message, []))
}

fn parse(service: &Service, request: &JoinQueueRequest) -> Result<Asked, Status> {
    let mut bad = Violations::default();
    let request_id = bad.check("request_id", ids::parse(&request.request_id));
    if request.city_id.is_empty() {
        bad.add("city_id", "is missing");
    } else if request.city_id.len() > CITY_ID_BYTES_MAX {
        bad.add("city_id", format!("must not be longer than {CITY_ID_BYTES_MAX} bytes"));
    }
    let time_control = match &request.time_control {
        Some(clock) if clock.base_ms >= 0 && clock.increment_ms >= 0 => {
            Some(TimeControl { base_ms: clock.base_ms, increment_ms: clock.increment_ms })
        }
        Some(_) => {
            bad.add("time_control", "must not be negative");
            None
        }
        None => {
            bad.add("time_control", "is missing");
            None
        }
    };
    let ticket_id = bad.check("ticket_id", ids::parse_if_given(&request.ticket_id));
    let (true, Some(request_id), Some(ticket_id), Some(time_control)) =
        (bad.is_empty(), request_id, ticket_id, time_control)
    else {
        return Err(bad.into_status());
    };
    if service.cities.find(&request.city_id).is_none() {
        return Err(city_unknown(&request.city_id));
    }
    Ok(Asked { request_id, ticket_id, queue: QueueKey { city_id: request.city_id.clone(), time_control } })
}

async fn join(
    service: &Service,
    principal: &Principal,
    asked: &Asked,
) -> Result<mpsc::Receiver<Frame>, Status> {
    let join = Join {
        player_id: principal.player_id,
        name: principal.name.clone(),
        request_id: asked.request_id,
        ticket_id: asked.ticket_id,
        queue: asked.queue.clone(),
    };
    let answer = match service.queue.join(join.clone()).await {
        Err(JoinError::InAGame { .. }) => {
            wait_for_the_end(service, principal.player_id).await?;
            service.queue.join(join).await
        }
        answer => answer,
    };
    answer.map_err(from_join)
}

/// Waits until the player sits in no match any more, or for [`GAME_END_WAIT`]. It looks at the projection and not at the queue:
/// whoever asks while he plays must not keep the queue from the others.
async fn wait_for_the_end(service: &Service, player_id: Uuid) -> Result<(), Status> {
    let free = async {
        while matches::of_player(&service.pool, player_id).await?.is_some() {
            tokio::time::sleep(GAME_END_LOOK_EVERY).await;
        }
        Ok::<(), sqlx::Error>(())
    };
    match timeout(GAME_END_WAIT, free).await {
        Ok(looked) => looked.map_err(|error| status::from_sqlx(&error)),
        Err(_) => Ok(()),
    }
}

/// The frames with their numbers. A source that ends before the ticket does was cut off: the client is to join again.
fn numbered(frames: mpsc::Receiver<Frame>) -> impl Stream<Item = Result<JoinQueueResponse, Status>> {
    stream::unfold(Some((frames, 0)), |state| async move {
        let (mut frames, sequence) = state?;
        let sequence = sequence + 1;
        match frames.recv().await {
            Some(frame) => {
                let next = (!convert::is_last(&frame)).then_some((frames, sequence));
                Some((Ok(response(sequence, convert::frame(frame))), next))
            }
            None => {
                let cut_off = status::unavailable("the stream was cut off; join again", status::RETRY_AFTER);
                Some((Err(cut_off), None))
            }
        }
    })
}

struct Numbering {
    sequence: u64,
}

impl Pulse<JoinQueueResponse> for Numbering {
    fn sent(&mut self, frame: &JoinQueueResponse) {
        self.sequence = frame.sequence;
    }

    fn heartbeat(&mut self) -> JoinQueueResponse {
        response(self.sequence, WireFrame::Heartbeat(Heartbeat {}))
    }

    fn draining(&mut self, reconnect_after_ms: u32) -> JoinQueueResponse {
        response(self.sequence, WireFrame::Draining(Draining { reconnect_after_ms }))
    }
}

fn response(sequence: u64, frame: WireFrame) -> JoinQueueResponse {
    JoinQueueResponse { sequence, server_time_ms: now_ms(), frame: Some(frame) }
}
