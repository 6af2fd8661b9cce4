//! The book of ratings on Postgres, inside the caller's transaction: many games at once, or one correction.

use std::collections::BTreeMap;

use domain_glicko::Pool;
use event_store::{Append, AppendError, Metadata, NewEvent, Publication, StreamId, Version};
use sqlx::PgConnection;
use uuid::Uuid;

use super::ratings::RatingRow;
use super::{codec, history, ratings};
use crate::app::book::{Change, PoolBook};
use crate::app::correction::{Correction, MadeCorrection};
use crate::app::ended_game::{EndedGame, PlayerId};

/// The stream of a game's ratings; its id is the game's.
pub const GAME_STREAM: &str = "game";

const RATED: &str = include_str!("queries/rated_games.sql");

/// Why the book could not be read or written. The transaction is lost then.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// The database did not do it.
    #[error(transparent)]
    Store(#[from] sqlx::Error),
    /// The log did not take it.
    #[error(transparent)]
    Append(#[from] AppendError),
}

/// Which of these games are rated.
pub async fn rated(conn: &mut PgConnection, games: &[Uuid]) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar(RATED).bind(games).fetch_all(conn).await
}

/// The games of one pool, each with who caused its rating.
type GamesOfPool = (Pool, Vec<(EndedGame, Metadata)>);

/// Rates games that were not, in their order, each with who caused it. The pools are taken in one order by everybody.
pub async fn rate_games(conn: &mut PgConnection, games: Vec<(EndedGame, Metadata)>) -> Result<(), BookError> {
    let mut of_pool: BTreeMap<&'static str, GamesOfPool> = BTreeMap::new();
    for (game, metadata) in games {
        let pool = game.pool();
        of_pool.entry(pool.id).or_insert((pool, Vec::new())).1.push((game, metadata));
    }
    for (pool, games) in of_pool.into_values() {
        let players: Vec<PlayerId> =
            games.iter().flat_map(|(game, _)| [game.players().white, game.players().black]).collect();
        let mut book = open(conn, pool, &players, games.len()).await?;
        let changes = games
            .into_iter()
            .map(|(game, metadata)| Recorded { change: Change::Game(book.rate(game)), head: 0, metadata })
            .collect();
        record(conn, &book, changes).await?;
    }
    Ok(())
}

/// A book with one pool's next change reserved: nobody else changes a rating there until the end of the transaction.
pub async fn open_for_correction(
    conn: &mut PgConnection,
    pool: Pool,
    players: &[PlayerId],
) -> Result<PoolBook, sqlx::Error> {
    open(conn, pool, players, 1).await
}

/// Makes a correction in an opened book, behind version `head` of the game's stream.
pub async fn correct(
    conn: &mut PgConnection,
    mut book: PoolBook,
    correction: Correction,
    head: Version,
    metadata: Metadata,
) -> Result<MadeCorrection, BookError> {
    let made = book.correct(correction);
    let change = Change::Correction(made.clone());
    record(conn, &book, vec![Recorded { change, head, metadata }]).await?;
    Ok(made)
}

/// A change with its place in the log.
struct Recorded {
    change: Change,
    head: Version,
    metadata: Metadata,
}

async fn open(
    conn: &mut PgConnection,
    pool: Pool,
    players: &[PlayerId],
    changes: usize,
) -> Result<PoolBook, sqlx::Error> {
    let last_sequence = ratings::draw_sequences(conn, pool, changes).await?;
    let mut book = PoolBook::new(pool, last_sequence);
    for row in ratings::lock(conn, pool, players).await? {
        book.put(PlayerId(row.player_id), row.standing(pool)?);
    }
    Ok(book)
}

async fn record(conn: &mut PgConnection, book: &PoolBook, changes: Vec<Recorded>) -> Result<(), BookError> {
    let history: Vec<_> = changes.iter().flat_map(|recorded| history::rows(&recorded.change)).collect();
    let appends: Vec<Append> = changes.into_iter().map(append).collect();
    event_store::append_all_in(conn, &appends).await?;
    let rows: Vec<RatingRow> =
        book.standings().map(|(player, standing)| RatingRow::new(player, book.pool(), standing)).collect();
    ratings::write(conn, &rows).await?;
    history::insert(conn, &history).await?;
    Ok(())
}

fn append(recorded: Recorded) -> Append {
    let Recorded { change, head, metadata } = recorded;
    let (game_id, kind) = (change.game_id().0, codec::kind(&change));
    let cause = match &change {
        Change::Game(_) => game_id,
        Change::Correction(made) => made.correction.ruling.request_id,
    };
    let event = NewEvent {
        event_id: Some(Uuid::new_v5(&cause, kind.as_bytes())),
        kind,
        schema: codec::SCHEMA,
        data: codec::write(&change),
        // Every event of these streams is public, so the one before is the one that it follows.
        publication: Publication::Public { follows: head },
    };
    Append { stream: StreamId::new(GAME_STREAM, game_id), expected: head, events: vec![event], metadata }
}
