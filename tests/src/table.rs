//! Two players from the queue to a game, and moves between them.

use std::time::Duration;

use anyhow::{Context as _, bail};
use proto::game::v1::{
    AcceptDrawRequest, Game, GetGameRequest, OfferDrawRequest, PlayMoveRequest, PlayMoveResponse,
    ResignRequest,
};
use proto::matchmaking::v1::join_queue_response::Frame;
use proto::matchmaking::v1::{JoinQueueRequest, JoinQueueResponse, Matched};
use proto::types::v1::{Color, TimeControl};
use tonic::{Status, Streaming};
use uuid::Uuid;

use crate::player::Player;
use crate::stack::Stack;

/// How long a test waits for what must come, on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Five minutes, no increment.
pub const FIVE_MINUTES: TimeControl = TimeControl { base_ms: 300_000, increment_ms: 0 };

/// A city with the usual stake.
pub const PARIS: &str = "paris";

/// A fresh request id.
pub fn request_id() -> String {
    Uuid::new_v4().to_string()
}

/// Queues a player and gives the stream of his ticket.
pub async fn join(
    player: &Player,
    city_id: &str,
    clock: TimeControl,
) -> Result<Streaming<JoinQueueResponse>, Status> {
    let request = JoinQueueRequest {
        request_id: request_id(),
        city_id: city_id.to_owned(),
        time_control: Some(clock),
        ..JoinQueueRequest::default()
    };
    Ok(player.queues().join_queue(player.request(request)).await?.into_inner())
}

/// The next frame of a ticket that `pick` takes.
pub async fn frame<T>(
    frames: &mut Streaming<JoinQueueResponse>,
    pick: impl Fn(Frame) -> Option<T>,
) -> anyhow::Result<T> {
    let found = async {
        while let Some(response) = frames.message().await? {
            if let Some(found) = response.frame.and_then(&pick) {
                return Ok(found);
            }
        }
        bail!("the ticket's stream ended before the frame came")
    };
    tokio::time::timeout(PATIENCE, found).await.context("the frame did not come")?
}

/// Picks the frame with the game.
pub fn matched(frame: Frame) -> Option<Matched> {
    match frame {
        Frame::Matched(matched) => Some(matched),
        _ => None,
    }
}

/// Two players at a staked game.
#[derive(Debug, Clone)]
pub struct Table {
    /// White.
    pub white: Player,
    /// Black.
    pub black: Player,
    /// UUID of the game.
    pub game_id: String,
    /// UUID of the match.
    pub match_id: String,
}

impl Table {
    /// Signs two new players up and brings them to a game.
    pub async fn new(stack: &Stack) -> anyhow::Result<Self> {
        let (a, b) = tokio::try_join!(Player::sign_up(stack), Player::sign_up(stack))?;
        // Tests share a stack and this queue: one pair at a time is matched with each other.
        let _one_pair_at_a_time = QUEUE.lock().await;
        Self::of(&a, &b, PARIS, FIVE_MINUTES).await
    }

    /// Brings two players to a game. The queue must be theirs alone: being matched with somebody else is an error.
    pub async fn of(a: &Player, b: &Player, city_id: &str, clock: TimeControl) -> anyhow::Result<Self> {
        let (mut of_a, mut of_b) = (join(a, city_id, clock).await?, join(b, city_id, clock).await?);
        let (at_a, at_b) = tokio::try_join!(frame(&mut of_a, matched), frame(&mut of_b, matched))?;
        if at_a.game_id != at_b.game_id {
            bail!("the players were sent to two games");
        }
        let (white, black) = if at_a.color() == Color::White { (a, b) } else { (b, a) };
        Ok(Self {
            white: white.clone(),
            black: black.clone(),
            game_id: at_a.game_id,
            match_id: at_a.match_id,
        })
    }

    /// The same table at a stack that was started again, at another address.
    pub fn at(&self, stack: &Stack) -> anyhow::Result<Self> {
        let (white, black) = (self.white.at(stack)?, self.black.at(stack)?);
        Ok(Self { white, black, ..self.clone() })
    }

    /// Who makes the move with this number, from 1.
    pub fn mover(&self, ply: u32) -> &Player {
        if ply % 2 == 1 { &self.white } else { &self.black }
    }

    /// The request for a move.
    pub fn move_request(&self, ply: u32, uci: &str) -> PlayMoveRequest {
        PlayMoveRequest {
            request_id: request_id(),
            game_id: self.game_id.clone(),
            uci: uci.to_owned(),
            expected_ply: ply - 1,
        }
    }

    /// Plays the move with this number.
    pub async fn play(&self, ply: u32, uci: &str) -> Result<PlayMoveResponse, Status> {
        let mover = self.mover(ply);
        let request = mover.request(self.move_request(ply, uci));
        Ok(mover.games().play_move(request).await?.into_inner())
    }

    /// Plays moves from the start position on.
    pub async fn play_all(&self, moves: &[&str]) -> anyhow::Result<()> {
        for (ply, uci) in (1..).zip(moves) {
            self.play(ply, uci).await.with_context(|| format!("ply {ply}: {uci}"))?;
        }
        Ok(())
    }

    /// Agrees to a draw: White offers, Black accepts.
    pub async fn agree_to_a_draw(&self) -> Result<(), Status> {
        let game_id = || self.game_id.clone();
        let offer = OfferDrawRequest { request_id: request_id(), game_id: game_id() };
        self.white.games().offer_draw(self.white.request(offer)).await?;
        let accept = AcceptDrawRequest { request_id: request_id(), game_id: game_id() };
        self.black.games().accept_draw(self.black.request(accept)).await?;
        Ok(())
    }

    /// White resigns.
    pub async fn white_resigns(&self) -> Result<(), Status> {
        let request = ResignRequest { request_id: request_id(), game_id: self.game_id.clone() };
        self.white.games().resign(self.white.request(request)).await?;
        Ok(())
    }

    /// The game as anybody sees it.
    pub async fn game(&self) -> anyhow::Result<Game> {
        let request = GetGameRequest { game_id: self.game_id.clone() };
        self.white.games().get_game(request).await?.into_inner().game.context("an answer without the game")
    }

    /// Waits until nothing is held of either player any more.
    pub async fn wait_for_settlement(&self) {
        for player in [&self.white, &self.black] {
            test_kit::eventually(PATIENCE, || async {
                player.purse().await.ok().filter(|purse| purse.held == 0)
            })
            .await;
        }
    }
}

/// Held by the pair that queues in [`Table::new`].
static QUEUE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
