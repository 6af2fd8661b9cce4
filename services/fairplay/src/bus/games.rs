//! Games: one that ended uses its place up and is queued for analysis; one that was aborted gives the place back.

use std::sync::Arc;

use event_bus::{HandleError, Handler, Message};
use proto::game::v1::{GameAborted, GameEnded};
use sqlx::PgConnection;
use tokio::sync::Notify;
use uuid::Uuid;

use super::{id, metadata, own_id, player_id};
use crate::app::analysis::FinishedGame;
use crate::app::pairs::{self, PairError};
use crate::metrics::CONTRADICTIONS;
use crate::store::analyses;

/// Consumes the game service's game streams.
#[derive(Debug, Clone)]
pub struct GameEvents {
    /// Wakes a worker when a game was queued.
    pub wake: Arc<Notify>,
}

impl Handler for GameEvents {
    async fn handle(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        match message.kind.as_str() {
            "GameEnded" => ended(conn, message).await,
            "GameAborted" => aborted(conn, message).await,
            _ => Ok(()),
        }
    }

    fn committed(&self, message: &Message) {
        if message.kind == "GameEnded" {
            self.wake.notify_one();
        }
    }
}

async fn ended(conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
    let event: GameEnded = message.decode()?;
    let game = FinishedGame {
        game_id: own_id("game_id", &event.game_id, message)?,
        white_id: player_id("white", event.white.as_ref())?,
        black_id: player_id("black", event.black.as_ref())?,
        moves: event.moves.into_iter().map(|played| played.uci).collect(),
        start_fen: event.start_fen,
    };
    if event.match_id.is_empty() {
        // Played for nothing.
        return Ok(());
    }
    count(conn, message, id("match_id", &event.match_id)?).await?;
    analyses::queue_in(conn, &game, metadata(message)).await?;
    Ok(())
}

/// A game without a reservation of its own was played all the same. That is a fault somewhere before, which must be seen,
/// but must not keep the game from its analysis.
async fn count(conn: &mut PgConnection, message: &Message, match_id: Uuid) -> Result<(), HandleError> {
    match pairs::count(conn, match_id, metadata(message)).await {
        Err(PairError::Contradiction(error)) => {
            metrics::counter!(CONTRADICTIONS).increment(1);
            tracing::error!(%match_id, game_id = %message.stream_id, %error, "a game without a place in its pair's day");
            Ok(())
        }
        counted => Ok(counted?),
    }
}

async fn aborted(conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
    let event: GameAborted = message.decode()?;
    if event.match_id.is_empty() {
        return Ok(());
    }
    pairs::release(conn, id("match_id", &event.match_id)?, metadata(message)).await?;
    Ok(())
}
