//! The ratings that players are paired by.

use event_bus::{HandleError, Handler, Message};
use proto::rating::v1::RatingsChanged;
use sqlx::PgConnection;

use super::id;
use crate::store::players::{self, RatingNow};

/// Consumes the rating service's game streams.
#[derive(Debug)]
pub struct RatingEvents;

impl Handler for RatingEvents {
    async fn handle(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        if message.kind != "RatingsChanged" {
            return Ok(());
        }
        let event: RatingsChanged = message.decode()?;
        let pool_sequence = i64::try_from(event.pool_sequence)
            .map_err(|_| HandleError::Permanent("pool_sequence is out of range".to_owned()))?;
        let mut ratings = Vec::new();
        for change in event.white.iter().chain(&event.black) {
            let player_id = id("player_id", &change.player_id)?;
            if let Some(after) = &change.after {
                let pool = event.pool.as_str();
                ratings.push(RatingNow { player_id, pool, rating: after.rating, pool_sequence });
            }
        }
        // Rows are taken in the order of their ids, so that two games of one pair cannot wait for each other in a circle.
        ratings.sort_by_key(|rating| rating.player_id);
        for rating in ratings {
            players::put_rating(&mut *conn, rating).await?;
        }
        Ok(())
    }
}
