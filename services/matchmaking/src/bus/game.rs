//! That a game began and ended: the answer to `MatchConfirmed`, and what frees its players.

use event_bus::{HandleError, Handler, Message};
use proto::game::v1::{GameAborted, GameEnded, GameStarted};
use proto::types::v1::Player;
use sqlx::PgConnection;
use uuid::Uuid;

use super::{advance, id};
use crate::app::match_process::Input;
use crate::app::queue::Queue;
use crate::store::players::{self, FinishedGame};

/// Consumes the game service's game streams.
#[derive(Debug)]
pub struct GameEvents {
    /// Told of matches that took a step.
    pub queue: Queue,
}

impl Handler for GameEvents {
    async fn handle(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        let Some(match_id) = match_id(message)? else { return Ok(()) };
        match message.kind.as_str() {
            "GameStarted" => {
                advance(conn, message, match_id, Input::GameStarted).await?;
            }
            "GameEnded" => {
                let event: GameEnded = message.decode()?;
                put_game(conn, &event).await?;
                advance(conn, message, match_id, Input::GameOver).await?;
            }
            _ => {
                advance(conn, message, match_id, Input::GameOver).await?;
            }
        }
        Ok(())
    }

    fn committed(&self, message: &Message) {
        if let Ok(Some(match_id)) = match_id(message) {
            self.queue.match_changed_soon(match_id);
        }
    }
}

/// The match of a game's event; none for an event that means nothing here, or a game without a match.
fn match_id(message: &Message) -> Result<Option<Uuid>, HandleError> {
    let value = match message.kind.as_str() {
        "GameStarted" => message.decode::<GameStarted>()?.match_id,
        "GameEnded" => message.decode::<GameEnded>()?.match_id,
        "GameAborted" => message.decode::<GameAborted>()?.match_id,
        _ => String::new(),
    };
    if value.is_empty() {
        return Ok(None);
    }
    id("match_id", &value).map(Some)
}

async fn put_game(conn: &mut PgConnection, event: &GameEnded) -> Result<(), HandleError> {
    let white_id = player_id("white", event.white.as_ref())?;
    let black_id = player_id("black", event.black.as_ref())?;
    let mut seats = [(white_id, black_id, 1), (black_id, white_id, -1)];
    // Rows are taken in the order of their ids, so that two games of one pair cannot wait for each other in a circle.
    seats.sort_by_key(|(player_id, _, _)| *player_id);
    for (player_id, opponent_id, color_change) in seats {
        let game = FinishedGame { player_id, opponent_id, color_change, ended_at_ms: event.ended_at_ms };
        players::put_game(&mut *conn, game).await?;
    }
    Ok(())
}

fn player_id(field: &str, player: Option<&Player>) -> Result<Uuid, HandleError> {
    let player = player.ok_or_else(|| HandleError::Permanent(format!("{field} is missing")))?;
    id(field, &player.player_id)
}
