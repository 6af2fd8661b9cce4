//! Follows the best running game: which it is, and whenever it is another one.

use futures::stream;
use pb::watch_featured_response::Frame as Content;
use proto::game::v1 as pb;
use service_kit::streams::{FrameStream, Live, Pulse};
use tokio::sync::watch;
use tonic::Status;

use super::Service;
use crate::{app::Games, metrics::Watcher, store::Featured};

pub(super) fn handle(service: &Service) -> FrameStream<pb::WatchFeaturedResponse> {
    let mut featured = service.featured.clone();
    // What is there already is the first frame.
    featured.mark_changed();
    let follower = Follower { featured, sequence: 0, games: service.games.clone(), _counted: Watcher::new() };
    let frames = stream::unfold(follower, |mut follower| async move {
        let frame = follower.next().await;
        Some((Ok::<_, Status>(frame), follower))
    });
    let pulse = Heart { sequence: 0, games: service.games.clone() };
    Live::new(frames, pulse, service.shutdown.clone()).boxed()
}

struct Follower {
    featured: watch::Receiver<Featured>,
    sequence: u64,
    games: Games,
    _counted: Watcher,
}

impl Follower {
    async fn next(&mut self) -> pb::WatchFeaturedResponse {
        loop {
            // The feed ends with the process, and so does the stream: its owner says so.
            if self.featured.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
            let content = match &*self.featured.borrow_and_update() {
                Featured::Unknown => continue,
                Featured::Nothing => Content::Nothing(pb::NothingFeaturedFrame {}),
                Featured::Game(game) => Content::Game((**game).clone()),
            };
            self.sequence += 1;
            return frame(self.sequence, &self.games, content);
        }
    }
}

fn frame(sequence: u64, games: &Games, content: Content) -> pb::WatchFeaturedResponse {
    pb::WatchFeaturedResponse { sequence, server_time_ms: games.now_ms(), frame: Some(content) }
}

struct Heart {
    sequence: u64,
    games: Games,
}

impl Pulse<pb::WatchFeaturedResponse> for Heart {
    fn sent(&mut self, frame: &pb::WatchFeaturedResponse) {
        self.sequence = frame.sequence;
    }

    fn heartbeat(&mut self) -> pb::WatchFeaturedResponse {
        frame(self.sequence, &self.games, Content::Heartbeat(pb::FeaturedHeartbeatFrame {}))
    }

    fn draining(&mut self, reconnect_after_ms: u32) -> pb::WatchFeaturedResponse {
        let draining = pb::FeaturedDrainingFrame { reconnect_after_ms };
        frame(self.sequence, &self.games, Content::Draining(draining))
    }
}
