//! The ratings that players are paired by.

use event_bus::{HandleError, Handler, Message};
use proto::rating::v1::RatingsChanged;
use sqlx::PgConnection;

use super::id;
use crate::store::players;

/// Consumes the rating service's game streams.
#[derive(Debug)]
pub struct RatingEvents;

impl Handler for RatingEvents {
    async fn handle(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        if message.kind != "RatingsChanged" {
            return Ok(());
        }
        let event: RatingsChanged = message.decode()?;
        for change in event.white.iter().chain(&event.black) {
            let player_id = id("player_id", &change.player_id)?;
            if let Some(after) = &change.after {
                players::put_rating(&mut *conn, player_id, &event.pool, after.rating).await?;
            }
        }
        Ok(())
    }
}
