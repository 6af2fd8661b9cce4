//! The whole of the ratings and their history: read from the log, and replaced by a rebuild.

use event_store::{LOAD_ROWS_MAX, ScanPosition};
use sqlx::PgConnection;
use uuid::Uuid;

use super::codec::{self, CodecError};
use super::history::{self, HistoryRow};
use super::ratings::RatingRow;
use crate::app::rate_game::RatedGame;
use crate::app::rebuild::MemoryBook;

/// A rebuild of a large log takes longer than any statement or pause of a request may.
const UNLIMITED: &str = "set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0";
const LOCK: &str = "lock table rating_pools in access exclusive mode";
const CLEAR: &str = "truncate rating_pools, ratings, rating_history";
const INSERT_POOL: &str = "insert into rating_pools (pool, last_sequence) values ($1, $2)";
const INSERT_RATINGS: &str = include_str!("queries/insert_ratings.sql");
const DIFFERING: &str = include_str!("queries/count_differing_ratings.sql");

/// Rows written by one statement.
const WRITE_ROWS_MAX: usize = 1_000;

/// Why the log could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The database did not answer.
    #[error(transparent)]
    Store(#[from] sqlx::Error),
    /// What stands there is not ours.
    #[error(transparent)]
    Codec(#[from] CodecError),
}

/// Lets nobody rate a game until the end of the transaction, however long it takes. Every update begins with its pool's row of this table.
pub async fn lock(conn: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::raw_sql(UNLIMITED).execute(&mut *conn).await?;
    sqlx::query(LOCK).execute(conn).await?;
    Ok(())
}

/// Every rated game of the log, in the order of the streams.
pub async fn read_log(conn: &mut PgConnection) -> Result<Vec<RatedGame>, ReadError> {
    let mut games = Vec::new();
    let mut position = ScanPosition::START;
    loop {
        let events = event_store::scan(&mut *conn, position, LOAD_ROWS_MAX).await?;
        let Some(last) = events.last() else {
            return Ok(games);
        };
        position = ScanPosition::after(last);
        for event in &events {
            games.push(codec::read(event)?);
        }
    }
}

/// How many stored ratings are not, to the last bit, those of the book; missing and superfluous ones count too.
pub async fn count_differing(conn: &mut PgConnection, book: &MemoryBook) -> Result<u64, sqlx::Error> {
    let rows = rating_rows(book);
    let columns = Columns::of(&rows);
    let (differing,): (i64,) = sqlx::query_as(DIFFERING)
        .bind(columns.player_ids)
        .bind(columns.pools)
        .bind(columns.ratings)
        .bind(columns.deviations)
        .bind(columns.volatilities)
        .bind(columns.games)
        .bind(columns.last_games_ms)
        .fetch_one(conn)
        .await?;
    Ok(differing.unsigned_abs())
}

/// Replaces everything by what the book says, with the history of its games.
pub async fn replace(
    conn: &mut PgConnection,
    book: &MemoryBook,
    games: &[RatedGame],
) -> Result<(), sqlx::Error> {
    sqlx::query(CLEAR).execute(&mut *conn).await?;
    for (pool, sequence) in book.sequences() {
        sqlx::query(INSERT_POOL)
            .bind(pool)
            .bind(i64::try_from(sequence).unwrap_or(i64::MAX))
            .execute(&mut *conn)
            .await?;
    }
    for rows in rating_rows(book).chunks(WRITE_ROWS_MAX) {
        let columns = Columns::of(rows);
        sqlx::query(INSERT_RATINGS)
            .bind(columns.player_ids)
            .bind(columns.pools)
            .bind(columns.ratings)
            .bind(columns.deviations)
            .bind(columns.volatilities)
            .bind(columns.games)
            .bind(columns.last_games_ms)
            .execute(&mut *conn)
            .await?;
    }
    for games in games.chunks(WRITE_ROWS_MAX) {
        let rows: Vec<HistoryRow> = games.iter().flat_map(history::rows).collect();
        history::insert(&mut *conn, &rows).await?;
    }
    Ok(())
}

fn rating_rows(book: &MemoryBook) -> Vec<RatingRow> {
    book.standings().map(|(player, pool, standing)| RatingRow::new(player, pool, &standing)).collect()
}

/// Rows column by column, as `unnest` takes them.
#[derive(Default)]
struct Columns {
    player_ids: Vec<Uuid>,
    pools: Vec<String>,
    ratings: Vec<f64>,
    deviations: Vec<f64>,
    volatilities: Vec<f64>,
    games: Vec<i32>,
    last_games_ms: Vec<i64>,
}

impl Columns {
    fn of(rows: &[RatingRow]) -> Self {
        let mut columns = Self::default();
        for row in rows {
            columns.player_ids.push(row.player_id);
            columns.pools.push(row.pool.clone());
            columns.ratings.push(row.rating);
            columns.deviations.push(row.deviation);
            columns.volatilities.push(row.volatility);
            columns.games.push(row.games);
            columns.last_games_ms.push(row.last_game_at_ms);
        }
        columns
    }
}
