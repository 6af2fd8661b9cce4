//! When accounts were made: several young ones that feed one are a sign of collusion.

use event_bus::{HandleError, Handler, Message};
use proto::gateway::v1::PlayerRegistered;
use sqlx::PgConnection;

use super::own_id;
use crate::store::staked_games;

/// Consumes the gateway's player streams.
#[derive(Debug, Clone, Copy)]
pub struct AccountEvents;

impl Handler for AccountEvents {
    async fn handle(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        if message.kind != "PlayerRegistered" {
            return Ok(());
        }
        let event: PlayerRegistered = message.decode()?;
        let player_id = own_id("player_id", &event.player_id, message)?;
        staked_games::put_account(conn, player_id, event.registered_at_ms).await?;
        Ok(())
    }
}
