//! A player in a queue, with his stream.

use matchmaking::app::cities::TimeControl;
use proto::matchmaking::v1::join_queue_response::Frame;
use proto::matchmaking::v1::{CancelReason, JoinQueueRequest, JoinQueueResponse, Matched, Searching};
use test_peer::{PATIENCE, Visitor};
use tonic::{Status, Streaming};
use uuid::Uuid;

/// What a player asks for.
#[derive(Debug, Clone, Copy)]
pub struct Ask {
    pub request_id: Uuid,
    pub city_id: &'static str,
    pub time_control: TimeControl,
}

impl Ask {
    /// Paris at 3+2, as a request of its own.
    pub fn new() -> Self {
        let time_control = TimeControl::minutes_plus_seconds(3, 2);
        Self { request_id: Uuid::now_v7(), city_id: "paris", time_control }
    }

    /// The same somewhere else.
    pub fn in_city(city_id: &'static str) -> Self {
        Self { city_id, ..Self::new() }
    }

    pub fn request(&self) -> JoinQueueRequest {
        JoinQueueRequest {
            request_id: self.request_id.to_string(),
            city_id: self.city_id.to_owned(),
            time_control: Some(proto::types::v1::TimeControl {
                base_ms: self.time_control.base_ms,
                increment_ms: self.time_control.increment_ms,
            }),
        }
    }
}

/// A player who follows his ticket.
pub struct Seeker {
    pub player: Visitor,
    pub ask: Ask,
    frames: Streaming<JoinQueueResponse>,
    sequence: u64,
}

impl Seeker {
    pub fn new(player: Visitor, ask: Ask, frames: Streaming<JoinQueueResponse>) -> Self {
        Self { player, ask, frames, sequence: 0 }
    }

    /// The next frame, or how the stream ends: none is a clean end. Numbers are checked on the way.
    pub async fn next(&mut self) -> Result<Option<Frame>, Status> {
        loop {
            let next = tokio::time::timeout(PATIENCE, self.frames.message()).await;
            let next = next.unwrap_or_else(|_| panic!("{} hears nothing more", self.player.name));
            let Some(response) = next? else { return Ok(None) };
            let frame = response.frame.expect("every response has a frame");
            let is_numbered = !matches!(frame, Frame::Heartbeat(_) | Frame::Draining(_));
            self.sequence += u64::from(is_numbered);
            assert_eq!(response.sequence, self.sequence, "{frame:?}");
            if !matches!(frame, Frame::Heartbeat(_)) {
                return Ok(Some(frame));
            }
        }
    }

    async fn frame(&mut self) -> Frame {
        let next = self.next().await.unwrap_or_else(|status| panic!("{}: {status:?}", self.player.name));
        next.unwrap_or_else(|| panic!("the stream of {} has ended", self.player.name))
    }

    /// The next frame, which says that he searches.
    pub async fn searching(&mut self) -> Searching {
        match self.frame().await {
            Frame::Searching(searching) => searching,
            other => panic!("{} should search: {other:?}", self.player.name),
        }
    }

    /// The next frame that is something else.
    async fn news(&mut self) -> Frame {
        loop {
            match self.frame().await {
                Frame::Searching(_) => {}
                news => return news,
            }
        }
    }

    /// He hears of an opponent; answers the match.
    pub async fn securing(&mut self) -> Uuid {
        self.opponent().await.0
    }

    /// The same with the opponent's id.
    pub async fn opponent(&mut self) -> (Uuid, Uuid) {
        match self.news().await {
            Frame::SecuringStakes(securing) => {
                let opponent = securing.opponent.expect("a match has two sides");
                assert_ne!(opponent.player_id, self.player.player_id.to_string(), "nobody meets himself");
                (uuid(&securing.match_id), uuid(&opponent.player_id))
            }
            other => panic!("{} should have an opponent: {other:?}", self.player.name),
        }
    }

    /// He hears of the game, perhaps after his opponent, and the stream ends.
    pub async fn matched(&mut self) -> Matched {
        loop {
            match self.news().await {
                Frame::SecuringStakes(_) => {}
                Frame::Matched(matched) => {
                    assert_eq!(self.next().await.expect("a clean end"), None, "it is the last frame");
                    return matched;
                }
                other => panic!("{} should have a game: {other:?}", self.player.name),
            }
        }
    }

    /// He hears that his match came to nothing; answers the match and why.
    pub async fn failed(&mut self) -> (Uuid, CancelReason) {
        match self.news().await {
            Frame::MatchFailed(failed) => (uuid(&failed.match_id), failed.reason()),
            other => panic!("{}'s match should fail: {other:?}", self.player.name),
        }
    }

    /// He hears that his ticket is closed, and the stream ends; answers why.
    pub async fn closed(&mut self) -> CancelReason {
        match self.news().await {
            Frame::TicketClosed(closed) => {
                assert_eq!(self.next().await.expect("a clean end"), None, "it is the last frame");
                closed.reason()
            }
            other => panic!("{}'s ticket should close: {other:?}", self.player.name),
        }
    }
}

fn uuid(text: &str) -> Uuid {
    text.parse().expect("the service writes ids well")
}
