//! Who keeps himself from playing.

use event_bus::{HandleError, Handler, Message};
use proto::wallet::v1::PlayerExcluded;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::id;
use crate::store::bars;

/// Consumes the wallet's streams of what players may do.
#[derive(Debug)]
pub struct ExclusionEvents;

impl Handler for ExclusionEvents {
    async fn handle(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        if message.kind == "PlayerExcluded" {
            let event: PlayerExcluded = message.decode()?;
            let until_at = match event.until_ms {
                0 => None,
                until_ms => Some(
                    OffsetDateTime::from_unix_timestamp_nanos(i128::from(until_ms) * 1_000_000)
                        .map_err(|_| HandleError::Permanent("until_ms is no time".to_owned()))?,
                ),
            };
            bars::exclude(conn, id("player_id", &event.player_id)?, until_at).await?;
        }
        Ok(())
    }
}
