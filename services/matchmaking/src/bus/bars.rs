//! Who may not join a staked queue.

use event_bus::{HandleError, Handler, Message};
use proto::fairplay::v1::{PlayerBarred, PlayerUnbarred};
use sqlx::PgConnection;

use super::id;
use crate::store::bars;

/// Consumes fair-play's player streams.
#[derive(Debug)]
pub struct BarEvents;

impl Handler for BarEvents {
    async fn handle(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        match message.kind.as_str() {
            "PlayerBarred" => {
                let event: PlayerBarred = message.decode()?;
                bars::put(conn, id("player_id", &event.player_id)?).await?;
            }
            "PlayerUnbarred" => {
                let event: PlayerUnbarred = message.decode()?;
                bars::lift(conn, id("player_id", &event.player_id)?).await?;
            }
            _ => {}
        }
        Ok(())
    }
}
