//! The list of games: a projection of the log's first and last events.

use domain_chess::{Ended, Started};
use proto::game::v1 as pb;
use sqlx::{FromRow, PgConnection, PgPool, postgres::PgArguments, query::QueryAs};
use uuid::Uuid;

use super::featured;
use crate::{
    app::{CityId, Facts, GameId, PlayerId},
    wire,
};

const INSERT: &str = include_str!("queries/insert_game.sql");
const END: &str = include_str!("queries/end_game.sql");
const LIVE: &str = include_str!("queries/live_games.sql");
const LIST: &str = include_str!("queries/list_games.sql");
const LIST_OF_PLAYER: &str = include_str!("queries/list_games_of_player.sql");

/// How many live games are read at once.
const LIVE_PAGE_ROWS: i64 = 1_000;

/// The place of a game in every list: when it started, and its id where two started together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageKey {
    /// When the game started, in milliseconds since the Unix epoch.
    pub started_at_ms: i64,
    /// The game.
    pub game_id: Uuid,
}

impl PageKey {
    /// Before the newest game.
    pub const START: PageKey = PageKey { started_at_ms: i64::MAX, game_id: Uuid::max() };
}

/// Whose games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// Everybody's.
    All,
    /// One player's.
    Of(PlayerId),
    /// Those of two players against each other.
    Between(PlayerId, PlayerId),
}

/// A page that is asked for.
#[derive(Clone, Debug)]
pub struct List {
    /// Whose games.
    pub listing: Listing,
    /// Only of this city.
    pub city_id: Option<CityId>,
    /// Only those that stand so.
    pub status: Option<pb::GameStatus>,
    /// Only those with this result.
    pub result: Option<pb::GameResult>,
    /// Only those that started then or later, in milliseconds since the Unix epoch, …
    pub started_from_ms: i64,
    /// … and before then.
    pub started_before_ms: i64,
    /// Only those after this one, which are older.
    pub after: PageKey,
    /// At most so many.
    pub rows_max: u32,
}

/// A game in a list.
#[derive(Clone, Debug, FromRow)]
pub struct GameRow {
    /// The game.
    pub game_id: Uuid,
    /// Its match; `None` at a table.
    pub match_id: Option<Uuid>,
    /// White.
    pub white_id: Uuid,
    /// Black.
    pub black_id: Uuid,
    /// When it started, in milliseconds since the Unix epoch.
    pub started_at_ms: i64,
    /// When it ended; 0 while it is live.
    pub ended_at_ms: i64,
    /// The clock; `None` without one.
    pub base_ms: Option<i32>,
    /// Its increment.
    pub increment_ms: Option<i32>,
    /// How many half-moves were played, once it has ended.
    pub plies: i32,
    /// `stakemate.game.v1.GameStatus`.
    pub status: i16,
    /// `stakemate.game.v1.GameResult`.
    pub result: i16,
    /// `stakemate.game.v1.EndReason`.
    pub end_reason: i16,
    /// Where it is played.
    pub city_id: String,
    /// White's name.
    pub white_name: String,
    /// Black's name.
    pub black_name: String,
    /// Its table; `None` for a game of a match.
    pub table_id: Option<Uuid>,
}

impl GameRow {
    /// Its place in every list.
    pub fn key(&self) -> PageKey {
        PageKey { started_at_ms: self.started_at_ms, game_id: self.game_id }
    }
}

/// Reads a page of games, newest first.
pub async fn list(pool: &PgPool, list: &List) -> Result<Vec<GameRow>, sqlx::Error> {
    match list.listing {
        Listing::All => and_filtered(filtered(LIST, list), list).fetch_all(pool).await,
        Listing::Of(player_id) => {
            let of = filtered(LIST_OF_PLAYER, list).bind(player_id.0).bind(None::<Uuid>);
            and_filtered(of, list).fetch_all(pool).await
        }
        Listing::Between(player_id, opponent_id) => {
            let between = filtered(LIST_OF_PLAYER, list).bind(player_id.0).bind(opponent_id.0);
            and_filtered(between, list).fetch_all(pool).await
        }
    }
}

type Rows<'q> = QueryAs<'q, sqlx::Postgres, GameRow, PgArguments>;

fn and_filtered<'q>(rows: Rows<'q>, list: &'q List) -> Rows<'q> {
    rows.bind(list.result.map(|result| result as i16)).bind(list.started_from_ms).bind(list.started_before_ms)
}

fn filtered<'q>(statement: &'static str, list: &'q List) -> Rows<'q> {
    sqlx::query_as(statement)
        .bind(list.city_id.as_ref().map(|city_id| city_id.0.as_str()))
        .bind(list.status.map(|status| status as i16))
        .bind(list.after.started_at_ms)
        .bind(list.after.game_id)
        .bind(i64::from(list.rows_max))
}

/// Every game that is being played.
pub(super) async fn live(pool: &PgPool) -> Result<Vec<GameId>, sqlx::Error> {
    let mut found = Vec::new();
    let mut after = (Uuid::nil(), i64::MIN);
    loop {
        let page: Vec<(Uuid, i64)> =
            sqlx::query_as(LIVE).bind(after.1).bind(after.0).bind(LIVE_PAGE_ROWS).fetch_all(pool).await?;
        let Some(last) = page.last() else { return Ok(found) };
        after = *last;
        found.extend(page.iter().map(|(game_id, _)| GameId(*game_id)));
    }
}

pub(super) async fn insert(
    conn: &mut PgConnection,
    facts: &Facts,
    started: &Started,
) -> Result<(), sqlx::Error> {
    // The figures of a time control are within limits far below those of the column.
    let ms = |ms: u32| i32::try_from(ms).unwrap_or(i32::MAX);
    sqlx::query(INSERT)
        .bind(facts.game_id.0)
        .bind(facts.match_id.map(|id| id.0))
        .bind(facts.white.player_id.0)
        .bind(facts.black.player_id.0)
        .bind(started.at_ms)
        .bind(started.time_control.map(|control| ms(control.base_ms)))
        .bind(started.time_control.map(|control| ms(control.increment_ms)))
        .bind(facts.stake.as_ref().map(|stake| stake.minor_units))
        .bind(pb::GameStatus::Live as i16)
        .bind(&facts.city_id.0)
        .bind(&facts.white.name)
        .bind(&facts.black.name)
        .bind(facts.stake.as_ref().map(|stake| stake.currency.as_str()))
        .bind(&started.rule_set.name)
        .bind(facts.table_id.map(|id| id.0))
        .bind(featured::pool(facts, started))
        .bind(featured::RATING_OF_THE_UNRATED)
        .execute(conn)
        .await
        .map(|_| ())
}

/// Answers whether the game was live.
pub(super) async fn end(
    conn: &mut PgConnection,
    game_id: GameId,
    ended: &Ended,
    plies: usize,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query(END)
        .bind(game_id.0)
        .bind(wire::status(ended.outcome) as i16)
        .bind(wire::result(ended.outcome) as i16)
        .bind(wire::end_reason(ended.reason) as i16)
        .bind(i32::try_from(plies).unwrap_or(i32::MAX))
        .bind(ended.at_ms)
        .execute(conn)
        .await?;
    Ok(done.rows_affected() == 1)
}
