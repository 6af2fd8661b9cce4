//! The ratings that players are paired by.

use event_bus::{HandleError, Handler, Message};
use proto::rating::v1::{RatingCorrected, RatingRecord, RatingsChanged};
use sqlx::PgConnection;
use uuid::Uuid;

use super::id;
use crate::store::players::{self, RatingNow};

/// Consumes the rating service's game streams.
#[derive(Debug)]
pub struct RatingEvents;

impl Handler for RatingEvents {
    async fn handle(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        let mut ratings = match message.kind.as_str() {
            "RatingsChanged" => changed(&message.decode()?)?,
            "RatingCorrected" => corrected(&message.decode()?)?,
            _ => return Ok(()),
        };
        // Rows are taken in the order of their ids, so that two games of one pair cannot wait for each other in a circle.
        ratings.sort_by_key(|rating| rating.player_id);
        for rating in &ratings {
            let RatingAfter { player_id, pool, rating, pool_sequence } = rating;
            let now =
                RatingNow { player_id: *player_id, pool, rating: *rating, pool_sequence: *pool_sequence };
            players::put_rating(&mut *conn, now).await?;
        }
        Ok(())
    }
}

/// A rating that a change left.
struct RatingAfter {
    player_id: Uuid,
    pool: String,
    rating: f64,
    pool_sequence: i64,
}

fn changed(event: &RatingsChanged) -> Result<Vec<RatingAfter>, HandleError> {
    let changes = event.white.iter().chain(&event.black);
    let players = changes.map(|change| (change.player_id.as_str(), change.after.as_ref()));
    after(&event.pool, event.pool_sequence, players)
}

fn corrected(event: &RatingCorrected) -> Result<Vec<RatingAfter>, HandleError> {
    let players = event.players.iter().map(|change| (change.player_id.as_str(), change.after.as_ref()));
    after(&event.pool, event.pool_sequence, players)
}

fn after<'a>(
    pool: &str,
    pool_sequence: u64,
    players: impl Iterator<Item = (&'a str, Option<&'a RatingRecord>)>,
) -> Result<Vec<RatingAfter>, HandleError> {
    let pool_sequence = i64::try_from(pool_sequence)
        .map_err(|_| HandleError::Permanent("pool_sequence is out of range".to_owned()))?;
    let mut ratings = Vec::new();
    for (player_id, record) in players {
        let player_id = id("player_id", player_id)?;
        if let Some(record) = record {
            ratings.push(RatingAfter {
                player_id,
                pool: pool.to_owned(),
                rating: record.rating,
                pool_sequence,
            });
        }
    }
    Ok(ratings)
}
