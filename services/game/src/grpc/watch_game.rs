//! Follows a game.

use std::time::Duration;

use futures::stream;
use pb::watch_game_response::Frame as Content;
use proto::game::v1 as pb;
use service_kit::{
    auth, ids,
    streams::{FrameStream, Live, Pulse},
};
use tokio::time::Instant;
use tonic::{Request, Status};

use super::{Service, after_game::AfterGame, convert, status};
use crate::{
    app::{GameId, Games, PlayerId, Presence, Start, Watch, WatchError, WatchItem},
    metrics::Watcher,
    store::OpenTables,
};

/// How many nonces a player's stream sends in quick succession when it opens, to have a measure before the first clocked move.
const FIRST_PINGS: u32 = 4;
/// The pause between these, …
const FIRST_PINGS_EVERY: Duration = Duration::from_secs(1);
/// … and between the later ones.
const PINGS_EVERY: Duration = Duration::from_secs(4);

pub(super) async fn handle(
    service: &Service,
    request: Request<pb::WatchGameRequest>,
) -> Result<FrameStream<pb::WatchGameResponse>, Status> {
    let principal = auth::principal_if_any(&request);
    let request = request.into_inner();
    let game_id = GameId(ids::uuid("game_id", &request.game_id)?);
    let start = request.resume_after.map_or(Start::Snapshot, Start::After);
    let watch = service.games.watch(game_id, start).await.map_err(status::of_watch)?;
    let player_id = principal.map(|principal| PlayerId(principal.player_id));
    let player_id = player_id.filter(|player_id| watch.facts().color_of(*player_id).is_some());
    let pings = player_id.map(|player_id| {
        let presence = service.games.attend(game_id, player_id, service.shutdown.clone());
        Pings { presence, sent: 0, next: Instant::now() }
    });
    let sequence = convert::sequence(watch.last());
    let pulse = Heart { games: service.games.clone(), sequence, abandonment_at_ms: 0 };
    let follower = Follower {
        watch,
        games: service.games.clone(),
        pings,
        abandonment_at_ms: 0,
        ended_at_ms: 0,
        open_tables: service.open_tables.clone(),
        after_game: None,
        _counted: Watcher::new(),
    };
    let frames = stream::unfold(follower, |mut follower| async move {
        let frame = follower.next().await?;
        Some((frame, follower))
    });
    Ok(Live::new(frames, pulse, service.shutdown.clone()).boxed())
}

struct Follower {
    watch: Watch,
    games: Games,
    /// Of the stream of a player of this game.
    pings: Option<Pings>,
    abandonment_at_ms: i64,
    ended_at_ms: i64,
    open_tables: tokio::sync::watch::Receiver<OpenTables>,
    /// Once a game at a table has ended.
    after_game: Option<AfterGame>,
    _counted: Watcher,
}

/// The nonces of one stream.
struct Pings {
    presence: Presence,
    sent: u32,
    next: Instant,
}

impl Pings {
    fn ping(&mut self) -> u64 {
        self.sent = self.sent.saturating_add(1);
        self.next = Instant::now() + if self.sent < FIRST_PINGS { FIRST_PINGS_EVERY } else { PINGS_EVERY };
        self.presence.ping()
    }
}

impl Follower {
    async fn next(&mut self) -> Option<Result<pb::WatchGameResponse, Status>> {
        if self.after_game.is_none() {
            if let Some(frame) = self.next_of_game().await {
                return Some(frame);
            }
            self.pings = None;
            let facts = self.watch.facts();
            let ended_for_ms = self.games.now_ms() - self.ended_at_ms;
            let open = self.open_tables.clone();
            self.after_game = Some(AfterGame::new(open, facts.table_id?, facts.game_id, ended_for_ms));
        }
        let content = self.after_game.as_mut()?.next().await?;
        Some(Ok(self.repeating(content)))
    }

    /// A frame that stands in no log.
    fn repeating(&self, content: Content) -> pb::WatchGameResponse {
        pb::WatchGameResponse {
            sequence: convert::sequence(self.watch.last()),
            server_time_ms: self.games.now_ms(),
            abandonment_at_ms: self.abandonment_at_ms,
            frame: Some(content),
        }
    }

    async fn next_of_game(&mut self) -> Option<Result<pb::WatchGameResponse, Status>> {
        let due = self.pings.as_ref().map(|pings| pings.next);
        let ping = async {
            match due {
                Some(due) => tokio::time::sleep_until(due).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            // What has happened goes first, so that a snapshot comes before the first nonce.
            biased;
            item = self.watch.next() => Some(self.frame(item?)),
            () = ping => {
                let nonce = self.pings.as_mut().map_or(0, Pings::ping);
                Some(Ok(self.repeating(Content::Heartbeat(pb::HeartbeatFrame { nonce }))))
            }
        }
    }

    fn frame(&mut self, item: Result<WatchItem, WatchError>) -> Result<pb::WatchGameResponse, Status> {
        let server_time_ms = self.games.now_ms();
        let (version, content) = match item.map_err(status::of_watch)? {
            WatchItem::Snapshot(snapshot) => {
                let (record, game) = *snapshot;
                let shown = convert::game(&record, &game, server_time_ms);
                self.abandonment_at_ms = shown.abandonment_at_ms;
                self.ended_at_ms = shown.ended_at_ms;
                (record.version(), Content::Snapshot(shown))
            }
            WatchItem::Frame(frame) => {
                self.abandonment_at_ms = frame.gone_deadline_ms.unwrap_or(0);
                self.ended_at_ms = frame.event.at_ms();
                (frame.version, convert::content(self.watch.facts(), &frame)?)
            }
        };
        Ok(pb::WatchGameResponse {
            sequence: convert::sequence(version),
            server_time_ms,
            abandonment_at_ms: self.abandonment_at_ms,
            frame: Some(content),
        })
    }
}

/// What keeps a stream alive between events.
struct Heart {
    games: Games,
    sequence: u64,
    abandonment_at_ms: i64,
}

impl Heart {
    fn frame(&self, content: Content) -> pb::WatchGameResponse {
        pb::WatchGameResponse {
            sequence: self.sequence,
            server_time_ms: self.games.now_ms(),
            abandonment_at_ms: self.abandonment_at_ms,
            frame: Some(content),
        }
    }
}

impl Pulse<pb::WatchGameResponse> for Heart {
    fn sent(&mut self, frame: &pb::WatchGameResponse) {
        self.sequence = frame.sequence;
        self.abandonment_at_ms = frame.abandonment_at_ms;
    }

    fn heartbeat(&mut self) -> pb::WatchGameResponse {
        self.frame(Content::Heartbeat(pb::HeartbeatFrame { nonce: 0 }))
    }

    fn draining(&mut self, reconnect_after_ms: u32) -> pb::WatchGameResponse {
        self.frame(Content::Draining(pb::DrainingFrame { reconnect_after_ms }))
    }
}
