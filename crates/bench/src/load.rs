//! Games played through gRPC, as two clients each would play them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use domain_chess::UciMove;
use proto::game::v1::game_service_client::GameServiceClient;
use proto::game::v1::watch_game_response::Frame;
use proto::game::v1::{PlayMoveRequest, WatchGameRequest};
use tokio::sync::Barrier;
use tokio::task::JoinSet;
use tonic::transport::Channel;
use tonic::{Code, Request, Streaming};
use uuid::Uuid;

use crate::stand::Player;

/// How long a player waits for the opponent's move.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often a move is sent that the service was too busy for.
const TRIES_MAX: usize = 5;

/// What is played.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// So many games at once.
    pub games: usize,
    /// How long a player thinks about each move.
    pub think: Duration,
    /// So many half-moves each; at most as many as the games have.
    pub plies: usize,
}

impl Plan {
    /// How long the game of this number waits before it begins. Where players think, games begin one after the other within the time
    /// of a thought: people do not move all in one instant.
    fn begins_after(self, number: usize) -> Duration {
        self.think.mul_f64(number as f64 / self.games.max(1) as f64)
    }
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Played {
    /// Acknowledged moves that the opponent saw.
    pub moves: usize,
    /// From the first move to the last.
    pub took: Duration,
    /// From sending a move to its acknowledgement, in milliseconds.
    pub acknowledged_ms: Vec<f64>,
}

/// A game in which both have a place.
#[derive(Clone, Debug)]
pub struct Seated {
    /// The game.
    pub game_id: Uuid,
    /// White.
    pub white: Player,
    /// Black.
    pub black: Player,
    /// What they will play.
    pub line: Vec<UciMove>,
}

struct Side {
    player: Player,
    game_id: Uuid,
    first: usize,
    line: Arc<Vec<UciMove>>,
    plan: Plan,
    begins_after: Duration,
}

/// Plays games; `channels` are what all players share. `begun` is called when all are seated.
///
/// # Errors
/// When a move was not acknowledged, or not seen by the opponent.
pub async fn play(
    games: Vec<Seated>,
    channels: &[Channel],
    plan: Plan,
    begun: impl FnOnce() -> anyhow::Result<()>,
) -> anyhow::Result<Played> {
    let barrier = Arc::new(Barrier::new(games.len() * 2 + 1));
    let mut tasks = JoinSet::new();
    for (seated, number) in games.into_iter().zip(0..) {
        let line = Arc::new(seated.line);
        for (player, first) in [(seated.white, 0), (seated.black, 1)] {
            let (game_id, line) = (seated.game_id, line.clone());
            let side = Side { player, game_id, first, line, plan, begins_after: plan.begins_after(number) };
            let client = GameServiceClient::new(channels[number % channels.len()].clone());
            tasks.spawn(side.play(client, barrier.clone()));
        }
    }
    barrier.wait().await;
    begun()?;
    let start = Instant::now();
    let mut played = Played::default();
    while let Some(side) = tasks.join_next().await {
        let acknowledged_ms = side??;
        played.moves += acknowledged_ms.len();
        played.acknowledged_ms.extend(acknowledged_ms);
    }
    played.took = start.elapsed();
    Ok(played)
}

impl Side {
    async fn play(
        self,
        mut client: GameServiceClient<Channel>,
        barrier: Arc<Barrier>,
    ) -> anyhow::Result<Vec<f64>> {
        let watch = WatchGameRequest { game_id: self.game_id.to_string(), resume_after: None };
        let stream = client.watch_game(self.signed(watch)?).await;
        // The others wait for all, also for one that failed.
        barrier.wait().await;
        let mut stream = stream?.into_inner();
        tokio::time::sleep(self.begins_after).await;
        let mut seen = 0;
        let mut acknowledged_ms = Vec::with_capacity(self.plan.plies / 2);
        for ply in (self.first..self.plan.plies).step_by(2) {
            seen = self.until_seen(&mut stream, seen, ply).await?;
            tokio::time::sleep(self.plan.think).await;
            let request = PlayMoveRequest {
                request_id: Uuid::new_v4().to_string(),
                game_id: self.game_id.to_string(),
                uci: self.line[ply].to_string(),
                expected_ply: u32::try_from(ply)?,
            };
            let sent = Instant::now();
            self.send(&mut client, request).await.with_context(|| format!("half-move {ply}"))?;
            acknowledged_ms.push(sent.elapsed().as_secs_f64() * 1e3);
        }
        self.until_seen(&mut stream, seen, self.plan.plies).await?;
        Ok(acknowledged_ms)
    }

    /// Sends a move, again with the same request id while the service says that another try may help.
    async fn send(
        &self,
        client: &mut GameServiceClient<Channel>,
        request: PlayMoveRequest,
    ) -> anyhow::Result<()> {
        for _ in 1..TRIES_MAX {
            match client.play_move(self.signed(request.clone())?).await {
                Ok(_) => return Ok(()),
                Err(status) => match status.code() {
                    Code::Unavailable | Code::DeadlineExceeded | Code::ResourceExhausted => {}
                    _ => return Err(status.into()),
                },
            }
        }
        client.play_move(self.signed(request)?).await?;
        Ok(())
    }

    /// Reads the stream until so many half-moves were seen, each once and in order.
    async fn until_seen(
        &self,
        stream: &mut Streaming<proto::game::v1::WatchGameResponse>,
        mut seen: usize,
        wanted: usize,
    ) -> anyhow::Result<usize> {
        while seen < wanted {
            let next = tokio::time::timeout(PATIENCE, stream.message()).await;
            let frame = next.context("no frame came")??.context("the stream has ended")?.frame;
            match frame.context("an empty frame")? {
                Frame::Snapshot(game) => seen = game.moves.len(),
                Frame::Move(played) if played.ply as usize == seen + 1 => seen += 1,
                Frame::Move(played) => bail!("half-move {} after {seen}", played.ply),
                Frame::Ended(ended) => bail!("the game ended: {:?}", ended.end_reason()),
                _ => {}
            }
        }
        Ok(seen)
    }

    fn signed<T>(&self, message: T) -> anyhow::Result<Request<T>> {
        let mut request = Request::new(message);
        request.metadata_mut().insert("authorization", self.player.bearer.parse()?);
        Ok(request)
    }
}
