//! The ratings that moves are held against.

use event_bus::{HandleError, Handler, Message};
use proto::rating::v1::RatingsChanged;
use sqlx::PgConnection;

use super::id;
use crate::store::players;

/// Consumes the rating service's game streams.
#[derive(Debug, Clone, Copy)]
pub struct RatingEvents;

impl Handler for RatingEvents {
    async fn handle(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        if message.kind != "RatingsChanged" {
            return Ok(());
        }
        let event: RatingsChanged = message.decode()?;
        let sequence = i64::try_from(event.pool_sequence).unwrap_or(i64::MAX);
        for change in event.white.iter().chain(&event.black) {
            let player_id = id("player_id", &change.player_id)?;
            if let Some(after) = &change.after {
                players::put_rating(conn, player_id, &event.pool, (after.rating, sequence)).await?;
            }
        }
        Ok(())
    }
}
