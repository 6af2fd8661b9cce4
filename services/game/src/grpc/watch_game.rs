//! Follows a game.

use futures::stream;
use pb::watch_game_response::Frame as Content;
use proto::game::v1 as pb;
use service_kit::{
    ids,
    streams::{FrameStream, Live, Pulse},
};
use tonic::Status;

use super::{Service, convert, status};
use crate::{
    app::{GameId, Games, Start, Watch, WatchError, WatchItem},
    metrics::Watcher,
};

pub(super) async fn handle(
    service: &Service,
    request: pb::WatchGameRequest,
) -> Result<FrameStream<pb::WatchGameResponse>, Status> {
    let game_id = GameId(ids::uuid("game_id", &request.game_id)?);
    let start = request.resume_after.map_or(Start::Snapshot, Start::After);
    let watch = service.games.watch(game_id, start).await.map_err(status::of_watch)?;
    let pulse = Heart { games: service.games.clone(), sequence: convert::sequence(watch.last()) };
    let follower = Follower { watch, games: service.games.clone(), _counted: Watcher::new() };
    let frames = stream::unfold(follower, |mut follower| async move {
        let item = follower.watch.next().await?;
        let frame = follower.frame(item);
        Some((frame, follower))
    });
    Ok(Live::new(frames, pulse, service.shutdown.clone()).boxed())
}

struct Follower {
    watch: Watch,
    games: Games,
    _counted: Watcher,
}

impl Follower {
    fn frame(&self, item: Result<WatchItem, WatchError>) -> Result<pb::WatchGameResponse, Status> {
        let server_time_ms = self.games.now_ms();
        let (version, content) = match item.map_err(status::of_watch)? {
            WatchItem::Snapshot(snapshot) => {
                let (record, game) = *snapshot;
                let shown = convert::game(&record, &game, server_time_ms);
                (record.version(), Content::Snapshot(shown))
            }
            WatchItem::Frame(frame) => (frame.version, convert::content(self.watch.facts(), &frame)?),
        };
        Ok(pb::WatchGameResponse {
            sequence: convert::sequence(version),
            server_time_ms,
            frame: Some(content),
        })
    }
}

/// What keeps a stream alive between events.
struct Heart {
    games: Games,
    sequence: u64,
}

impl Heart {
    fn frame(&self, content: Content) -> pb::WatchGameResponse {
        pb::WatchGameResponse {
            sequence: self.sequence,
            server_time_ms: self.games.now_ms(),
            frame: Some(content),
        }
    }
}

impl Pulse<pb::WatchGameResponse> for Heart {
    fn sent(&mut self, frame: &pb::WatchGameResponse) {
        self.sequence = frame.sequence;
    }

    fn heartbeat(&mut self) -> pb::WatchGameResponse {
        self.frame(Content::Heartbeat(pb::HeartbeatFrame {}))
    }

    fn draining(&mut self, reconnect_after_ms: u32) -> pb::WatchGameResponse {
        self.frame(Content::Draining(pb::DrainingFrame { reconnect_after_ms }))
    }
}
