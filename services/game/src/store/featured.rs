//! The best running game, for an entrance page. Which one it is stands in the list of games: each game has the ratings of its
//! players as they were known when it began, so that finding the best is one row of an index, however many games run.

use std::time::Duration;

use domain_chess::{Standing, Started, TimeControl};
use proto::{
    game::v1 as pb,
    types::v1::{Player, TimeControl as WireTimeControl},
};
use sqlx::{FromRow, PgConnection, PgPool};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::codec::TABLE_POOL;
use crate::{app::Facts, wire};

const PUT_RATING: &str = include_str!("queries/put_rating.sql");
const FIND: &str = include_str!("queries/featured_game.sql");

/// How late another best game is seen.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// What a player without a rating is reckoned with: what everybody starts with.
pub(super) const RATING_OF_THE_UNRATED: f64 = 1_500.0;
const MINUTE_MS: u32 = 60_000;
const SECOND_MS: u32 = 1_000;

/// The best running game as last looked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Featured {
    /// Nobody has looked yet.
    #[default]
    Unknown,
    /// No game that could be shown is running.
    Nothing,
    /// This one.
    Game(Box<pb::FeaturedGameFrame>),
}

/// A player's rating after a change.
#[derive(Clone, Copy, Debug)]
pub struct RatingNow<'a> {
    /// Whose.
    pub player_id: Uuid,
    /// In which pool.
    pub pool: &'a str,
    /// The rating.
    pub rating: f64,
    /// The number of the change in its pool.
    pub pool_sequence: i64,
}

/// Notes a rating, unless a later one is known.
pub async fn put_rating(conn: &mut PgConnection, now: RatingNow<'_>) -> Result<(), sqlx::Error> {
    let put = sqlx::query(PUT_RATING)
        .bind(now.player_id)
        .bind(now.pool)
        .bind(now.rating)
        .bind(now.pool_sequence)
        .execute(conn);
    put.await.map(|_| ())
}

/// The pool in which a game counts: that of its clock for a game of a match, the tables' for a rated one at a table.
pub(super) fn pool(facts: &Facts, started: &Started) -> Option<String> {
    match (facts.match_id, started.standing) {
        (Some(_), Standing::Rated) => clock_name(started.time_control?),
        (None, Standing::Rated) => Some(TABLE_POOL.to_owned()),
        (_, Standing::Casual) => None,
    }
}

/// A clock in whole minutes and seconds, as the rating service calls its pools: `3+2`.
fn clock_name(control: TimeControl) -> Option<String> {
    let is_whole = control.base_ms % MINUTE_MS == 0 && control.increment_ms % SECOND_MS == 0;
    is_whole.then(|| format!("{}+{}", control.base_ms / MINUTE_MS, control.increment_ms / SECOND_MS))
}

/// Keeps `featured` up to date until `shutdown` is cancelled. A database that is away leaves it as it is.
pub async fn follow(pool: PgPool, featured: watch::Sender<Featured>, shutdown: CancellationToken) {
    loop {
        match find(&pool).await {
            Ok(found) => {
                featured.send_if_modified(|featured| {
                    let changed = *featured != found;
                    if changed {
                        *featured = found;
                    }
                    changed
                });
            }
            Err(error) => tracing::warn!(%error, "the best running game could not be looked for"),
        }
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
}

async fn find(pool: &PgPool) -> Result<Featured, sqlx::Error> {
    let row: Option<Row> = sqlx::query_as(FIND).fetch_optional(pool).await?;
    Ok(row.map_or(Featured::Nothing, |row| Featured::Game(Box::new(row.into_frame()))))
}

#[derive(FromRow)]
struct Row {
    game_id: Uuid,
    white_id: Uuid,
    white_name: String,
    black_id: Uuid,
    black_name: String,
    white_rating: Option<f64>,
    black_rating: Option<f64>,
    base_ms: Option<i32>,
    increment_ms: Option<i32>,
    rule_set: String,
    city_id: String,
    table_id: Option<Uuid>,
    started_at_ms: i64,
}

impl Row {
    fn into_frame(self) -> pb::FeaturedGameFrame {
        let player = |id: Uuid, name: String| Some(Player { player_id: id.to_string(), name });
        let time_control = self.base_ms.zip(self.increment_ms).map(|(base_ms, increment_ms)| {
            WireTimeControl { base_ms: base_ms.into(), increment_ms: increment_ms.into() }
        });
        pb::FeaturedGameFrame {
            game_id: self.game_id.to_string(),
            white: player(self.white_id, self.white_name),
            black: player(self.black_id, self.black_name),
            white_rating: self.white_rating,
            black_rating: self.black_rating,
            time_control,
            rule_set: self.rule_set,
            city_id: self.city_id,
            table_id: wire::id_text(self.table_id),
            started_at_ms: self.started_at_ms,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_called_as_its_pool_and_one_of_broken_minutes_not_at_all() {
        assert_eq!(clock_name(TimeControl::new(180_000, 2_000)).as_deref(), Some("3+2"));
        assert_eq!(clock_name(TimeControl::new(600_000, 0)).as_deref(), Some("10+0"));
        assert_eq!(clock_name(TimeControl::new(90_000, 0)), None);
        assert_eq!(clock_name(TimeControl::new(60_000, 500)), None);
    }
}
