//! The ratings by which the best running game is found.

use event_bus::{HandleError, Handler, Message};
use proto::rating::v1::{RatingCorrected, RatingRecord, RatingsChanged};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::{RatingNow, put_rating};

/// Keeps what the rating service says of players.
#[derive(Debug)]
pub struct Ratings;

impl Handler for Ratings {
    async fn handle(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        let mut change = match message.kind.as_str() {
            "RatingsChanged" => changed(message.decode()?)?,
            "RatingCorrected" => corrected(message.decode()?)?,
            _ => return Ok(()),
        };
        // Rows are taken in the order of their ids, so that two games of one pair cannot wait for each other in a circle.
        change.ratings.sort_by_key(|(player_id, _)| *player_id);
        for (player_id, rating) in change.ratings {
            let (pool, pool_sequence) = (change.pool.as_str(), change.pool_sequence);
            put_rating(conn, RatingNow { player_id, pool, rating, pool_sequence }).await?;
        }
        Ok(())
    }
}

struct Change {
    pool: String,
    pool_sequence: i64,
    ratings: Vec<(Uuid, f64)>,
}

fn changed(event: RatingsChanged) -> Result<Change, HandleError> {
    let players = event.white.into_iter().chain(event.black).map(|player| (player.player_id, player.after));
    change(event.pool, event.pool_sequence, players)
}

fn corrected(event: RatingCorrected) -> Result<Change, HandleError> {
    let players = event.players.into_iter().map(|player| (player.player_id, player.after));
    change(event.pool, event.pool_sequence, players)
}

fn change(
    pool: String,
    pool_sequence: u64,
    players: impl Iterator<Item = (String, Option<RatingRecord>)>,
) -> Result<Change, HandleError> {
    let malformed =
        |field: &str| HandleError::Permanent(format!("the field {field} of a rating makes no sense"));
    let pool_sequence = i64::try_from(pool_sequence).map_err(|_| malformed("pool_sequence"))?;
    let mut ratings = Vec::new();
    for (player_id, after) in players {
        let player_id = Uuid::parse_str(&player_id).map_err(|_| malformed("player_id"))?;
        ratings.push((player_id, after.ok_or_else(|| malformed("after"))?.rating));
    }
    Ok(Change { pool, pool_sequence, ratings })
}
