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
use tonic::{Code, Request, Response, Status};
use uuid::Uuid;

use super::status::from_join;
use super::{Service, convert};
use crate::app::cities::{City, TimeControl};
use crate::app::queue::{Join, JoinError, now_ms};
use crate::app::tickets::{Frame, QueueKey};

/// Longer than the id of any city; what is longer is not worth an echo.
const CITY_ID_BYTES_MAX: usize = 64;

/// A game that has just ended is known here a moment later; whoever queues at once waits so long before he is refused.
const GAME_END_WAIT: Duration = Duration::from_secs(3);

/// A request, parsed.
struct Asked<'a> {
    request_id: Uuid,
    city: &'a City,
    time_control: TimeControl,
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
    let frames = join(service, &principal, &asked).await?;
    let live = Live::new(numbered(frames), Numbering { sequence: 0 }, service.shutdown.clone());
    Ok(Response::new(live.until(principal.expires_at).boxed()))
}

fn parse<'a>(service: &'a Service, request: &JoinQueueRequest) -> Result<Asked<'a>, Status> {
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
    let (true, Some(request_id), Some(time_control)) = (bad.is_empty(), request_id, time_control) else {
        return Err(bad.into_status());
    };
    let city = service.cities.find(&request.city_id).ok_or_else(|| {
        let message = format!("there is no city {:?}", request.city_id);
        let metadata = [("city_id", request.city_id.clone())];
        status::refused(Code::NotFound, ErrorReason::CityUnknown, message, metadata)
    })?;
    if !city.time_controls.contains(&time_control) {
        return Err(status::failed_precondition(
            ErrorReason::TimeControlNotPlayed,
            format!("{} does not play this clock", city.name),
            [("city_id", city.id.to_owned())],
        ));
    }
    Ok(Asked { request_id, city, time_control })
}

async fn join(
    service: &Service,
    principal: &Principal,
    asked: &Asked<'_>,
) -> Result<mpsc::Receiver<Frame>, Status> {
    let join = Join {
        player_id: principal.player_id,
        name: principal.name.clone(),
        request_id: asked.request_id,
        queue: QueueKey { city_id: asked.city.id.to_owned(), time_control: asked.time_control },
    };
    let mut changes = service.queue.changes();
    let attempts = async {
        loop {
            changes.mark_unchanged();
            match service.queue.join(join.clone()).await {
                Err(JoinError::InAGame { .. }) => {
                    let _ = changes.changed().await;
                }
                answer => return answer,
            }
        }
    };
    let answer = match timeout(GAME_END_WAIT, attempts).await {
        Ok(answer) => answer,
        Err(_) => service.queue.join(join.clone()).await,
    };
    answer.map_err(from_join)
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
