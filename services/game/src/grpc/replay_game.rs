//! A game move by move from the log.

use std::time::Duration;

use domain_chess::Event;
use futures::{StreamExt as _, stream};
use proto::{game::v1 as pb, types::v1::CommonErrorReason};
use service_kit::{fields::Violations, ids, status as kit, streams::FrameStream};
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::sync::CancellationToken;
use tonic::Status;

use super::{Service, convert, status};
use crate::app::{GameId, Record};

/// How many replays may run at the pace of their games at once. Each holds a stream for as long as a game took.
pub(super) const PACED_REPLAYS_MAX: usize = 1_000;
/// How long a replay waits for one move at most, however long the player thought.
const WAIT_MAX: Duration = Duration::from_secs(60);

pub(super) async fn handle(
    service: &Service,
    request: pb::ReplayGameRequest,
) -> Result<FrameStream<pb::ReplayGameResponse>, Status> {
    let mut bad = Violations::default();
    let game_id = bad.check("game_id", ids::parse(&request.game_id));
    let pace = bad.check("pace", pb::ReplayPace::try_from(request.pace).map_err(|_| "must be a pace"));
    let (Some(game_id), Some(pace)) = (game_id, pace) else { return Err(bad.into_status()) };
    let record = service.games.read(GameId(game_id)).await.map_err(status::of_read)?;
    let frames = frames(&record)?;
    match pace {
        pb::ReplayPace::Unspecified | pb::ReplayPace::AtOnce => {
            Ok(stream::iter(frames.into_iter().map(Ok)).boxed())
        }
        pb::ReplayPace::Original => {
            let place = service.replays.clone().try_acquire_owned().map_err(|_| {
                let message = "too many replays are running at the pace of their games";
                kit::exhausted(CommonErrorReason::Overloaded, message, kit::RETRY_AFTER)
            })?;
            Ok(paced(frames, place, service.shutdown.clone()))
        }
    }
}

/// The start position and one frame a move.
fn frames(record: &Record) -> Result<Vec<pb::ReplayGameResponse>, Status> {
    let mut frames = Vec::with_capacity(record.entries().len());
    let replayed = record.replay_each(|entry, game| {
        let played = match &entry.event {
            Event::Started(_) => None,
            Event::MovePlayed(played) => Some(convert::played(played)),
            _ => return,
        };
        frames.push(pb::ReplayGameResponse {
            ply: game.ply(),
            r#move: played,
            fen: game.fen(),
            result: pb::GameResult::Unspecified as i32,
            end_reason: pb::EndReason::Unspecified as i32,
        });
    });
    replayed.map_err(kit::internal)?;
    if let Some(last) = frames.last_mut() {
        last.result = convert::result(record.end()) as i32;
        last.end_reason = convert::end_reason(record.end()) as i32;
    }
    Ok(frames)
}

/// Each frame after the time that its move took. A stop of the service ends the stream with UNAVAILABLE.
fn paced(
    frames: Vec<pb::ReplayGameResponse>,
    place: OwnedSemaphorePermit,
    shutdown: CancellationToken,
) -> FrameStream<pb::ReplayGameResponse> {
    let start = Some((frames.into_iter(), place, shutdown));
    stream::unfold(start, |state| async move {
        let (mut frames, place, shutdown) = state?;
        let frame = frames.next()?;
        let wait = frame.r#move.as_ref().map_or(Duration::ZERO, thinking_time);
        tokio::select! {
            () = shutdown.cancelled() => {
                Some((Err(kit::unavailable("this instance is about to stop", kit::RETRY_AFTER)), None))
            }
            () = tokio::time::sleep(wait) => Some((Ok(frame), Some((frames, place, shutdown)))),
        }
    })
    .boxed()
}

fn thinking_time(played: &pb::Move) -> Duration {
    Duration::from_millis(u64::try_from(played.elapsed_ms).unwrap_or(0)).min(WAIT_MAX)
}
