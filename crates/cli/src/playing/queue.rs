//! From the queue to a game.

use anyhow::{Context as _, bail};
use proto::matchmaking::v1::join_queue_response::Frame;
use proto::matchmaking::v1::{CancelReason, JoinQueueRequest, LeaveQueueRequest, Matched, TicketClosed};
use proto::types::v1::TimeControl;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::player::{PATIENCE, PAUSE, Player, is_passing, patiently, reason};

/// Why somebody who has just played may have to wait a moment.
const IN_A_GAME: &str = "IN_A_GAME";

/// The ticket to come back to is no more.
const TICKET_GONE: &str = "TICKET_GONE";

/// Queues the player and follows his ticket until he has a game. A lost connection is taken up with the same request.
pub async fn queue(player: &Player, city_id: &str, clock: TimeControl) -> anyhow::Result<Matched> {
    let never = CancellationToken::new();
    queue_until(player, city_id, clock, &never).await?.context("a ticket ended that nobody has left")
}

/// The same until `over`: then the player leaves, unless his game has begun. None when he is out without one.
pub async fn queue_until(
    player: &Player,
    city_id: &str,
    clock: TimeControl,
    over: &CancellationToken,
) -> anyhow::Result<Option<Matched>> {
    let mut request = JoinQueueRequest {
        request_id: Uuid::new_v4().to_string(),
        city_id: city_id.to_owned(),
        time_control: Some(clock),
        ..JoinQueueRequest::default()
    };
    let mut ticket_id = String::new();
    let mut is_leaving = false;
    let mut deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        let followed = tokio::select! {
            biased;
            () = over.cancelled(), if !is_leaving => None,
            followed = follow(player, request.clone(), &mut ticket_id) => Some(followed?),
        };
        match followed {
            Some(Followed::Matched(matched)) => return Ok(Some(matched)),
            Some(Followed::Gone) => return Ok(None),
            Some(Followed::Broke) => {}
            None => {
                // When nothing is left to leave he may have a game, which his ticket tells; without a ticket he never queued.
                if leave(player).await? || ticket_id.is_empty() {
                    return Ok(None);
                }
                is_leaving = true;
                // Leaving has a patience of its own, which a stack that is being restarted may have used up.
                deadline = Instant::now() + PATIENCE;
                request.ticket_id.clone_from(&ticket_id);
                continue;
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
    bail!("{} was not matched within {} s", player.name(), PATIENCE.as_secs())
}

async fn leave(player: &Player) -> anyhow::Result<bool> {
    let request = LeaveQueueRequest { request_id: Uuid::new_v4().to_string() };
    let answer = patiently("leave the queue", || {
        let (mut queues, request) = (player.queues(), player.request(request.clone()));
        async move { queues.leave_queue(request).await }
    })
    .await?;
    Ok(answer.into_inner().left)
}

/// What became of a stream.
enum Followed {
    /// A game.
    Matched(Matched),
    /// The connection was lost, or it is too early: to be tried again.
    Broke,
    /// There is no ticket any more.
    Gone,
}

/// Follows one stream, and notes the ticket it is of.
async fn follow(
    player: &Player,
    request: JoinQueueRequest,
    ticket_id: &mut String,
) -> anyhow::Result<Followed> {
    let mut frames = match player.queues().join_queue(player.request(request)).await {
        Ok(answer) => answer.into_inner(),
        Err(status) if is_passing(&status) || reason(&status) == IN_A_GAME => return Ok(Followed::Broke),
        Err(status) if reason(&status) == TICKET_GONE => return Ok(Followed::Gone),
        Err(status) => bail!("{} cannot queue: {:?}: {}", player.name(), status.code(), status.message()),
    };
    loop {
        let frame = match frames.message().await {
            Ok(Some(message)) => message.frame.context("a frame without content")?,
            Ok(None) => return Ok(Followed::Broke),
            Err(status) if is_passing(&status) => return Ok(Followed::Broke),
            Err(status) => bail!("{}'s queue broke: {}", player.name(), status.message()),
        };
        match frame {
            Frame::Matched(matched) => return Ok(Followed::Matched(matched)),
            Frame::TicketClosed(closed) => return closed_by(player, &closed),
            Frame::MatchFailed(failed) => {
                eprintln!("a match came to nothing: {}", failed.reason().as_str_name());
            }
            Frame::Searching(searching) => *ticket_id = searching.ticket_id,
            Frame::NoOpponent(_) | Frame::SecuringStakes(_) | Frame::Draining(_) | Frame::Heartbeat(_) => {}
        }
    }
}

/// A ticket whose readers were all lost for half a minute, as while servers are down, is worth another try.
fn closed_by(player: &Player, closed: &TicketClosed) -> anyhow::Result<Followed> {
    match closed.reason() {
        CancelReason::PlayerLeft => Ok(Followed::Gone),
        CancelReason::TimedOut => Ok(Followed::Broke),
        other => bail!("{}'s ticket was closed: {}", player.name(), other.as_str_name()),
    }
}
