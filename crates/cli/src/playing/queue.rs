//! From the queue to a game.

use anyhow::{Context as _, bail};
use proto::matchmaking::v1::join_queue_response::Frame;
use proto::matchmaking::v1::{CancelReason, JoinQueueRequest, Matched};
use proto::types::v1::TimeControl;
use tokio::time::Instant;
use tonic::Status;
use tonic_types::StatusExt as _;
use uuid::Uuid;

use super::player::{PATIENCE, PAUSE, Player, is_passing};

/// Why somebody who has just played may have to wait a moment.
const IN_A_GAME: &str = "IN_A_GAME";

/// Queues the player and follows his ticket until he has a game. A lost connection is taken up with the same request.
pub async fn queue(player: &Player, city_id: &str, clock: TimeControl) -> anyhow::Result<Matched> {
    let request = JoinQueueRequest {
        request_id: Uuid::new_v4().to_string(),
        city_id: city_id.to_owned(),
        time_control: Some(clock),
        ..JoinQueueRequest::default()
    };
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        if let Some(matched) = follow(player, request.clone()).await? {
            return Ok(matched);
        }
        tokio::time::sleep(PAUSE).await;
    }
    bail!("{} was not matched within {} s", player.name(), PATIENCE.as_secs())
}

/// Follows one stream; none when it broke.
async fn follow(player: &Player, request: JoinQueueRequest) -> anyhow::Result<Option<Matched>> {
    let mut frames = match player.queues().join_queue(player.request(request)).await {
        Ok(answer) => answer.into_inner(),
        Err(status) if is_passing(&status) || is_still_in_a_game(&status) => return Ok(None),
        Err(status) => bail!("{} cannot queue: {:?}: {}", player.name(), status.code(), status.message()),
    };
    loop {
        let frame = match frames.message().await {
            Ok(Some(message)) => message.frame.context("a frame without content")?,
            Ok(None) => return Ok(None),
            Err(status) if is_passing(&status) => return Ok(None),
            Err(status) => bail!("{}'s queue broke: {}", player.name(), status.message()),
        };
        match frame {
            Frame::Matched(matched) => return Ok(Some(matched)),
            Frame::TicketClosed(closed) => {
                bail!("{}'s ticket was closed: {}", player.name(), name(closed.reason))
            }
            Frame::MatchFailed(failed) => eprintln!("a match came to nothing: {}", name(failed.reason)),
            Frame::Searching(_)
            | Frame::NoOpponent(_)
            | Frame::SecuringStakes(_)
            | Frame::Draining(_)
            | Frame::Heartbeat(_) => {}
        }
    }
}

/// The end of the last game has not come to matchmaking yet, as happens while a service is being restarted.
fn is_still_in_a_game(status: &Status) -> bool {
    let details = status.get_error_details();
    details.error_info().is_some_and(|info| info.reason == IN_A_GAME)
}

fn name(reason: i32) -> &'static str {
    CancelReason::try_from(reason).unwrap_or(CancelReason::Unspecified).as_str_name()
}
