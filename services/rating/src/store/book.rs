//! The book of ratings on Postgres, inside the caller's transaction.

use domain_glicko::{Pair, Pool};
use event_store::{Append, AppendError, Metadata, NewEvent, Publication, StreamId};
use sqlx::PgConnection;
use uuid::Uuid;

use super::ratings::RatingRow;
use super::{codec, history, ratings};
use crate::app::ended_game::{GameId, PlayerId};
use crate::app::rate_game::{Page, RatedGame, RatingBook};

/// The stream of a game's ratings; its id is the game's.
pub const GAME_STREAM: &str = "game";

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

/// The book, and who causes what is written now.
#[derive(Debug)]
pub struct PgBook<'a> {
    conn: &'a mut PgConnection,
    metadata: Metadata,
}

impl<'a> PgBook<'a> {
    /// On a connection that is in a transaction.
    pub fn new(conn: &'a mut PgConnection, metadata: Metadata) -> Self {
        Self { conn, metadata }
    }
}

impl RatingBook for PgBook<'_> {
    type Error = BookError;

    async fn is_rated(&mut self, game: GameId) -> Result<bool, BookError> {
        Ok(event_store::head(&mut *self.conn, game.0).await? > 0)
    }

    async fn open(&mut self, pool: Pool, players: Pair<PlayerId>) -> Result<Page, BookError> {
        let sequence = ratings::next_sequence(self.conn, pool).await?;
        let before = ratings::lock(self.conn, pool, players).await?;
        Ok(Page { sequence, before })
    }

    async fn record(&mut self, rated: &RatedGame) -> Result<(), BookError> {
        let game_id = rated.game.game_id().0;
        let event = NewEvent {
            event_id: Uuid::new_v5(&game_id, codec::RATINGS_CHANGED.as_bytes()),
            kind: codec::RATINGS_CHANGED,
            schema: codec::SCHEMA,
            data: codec::write(rated),
            publication: Publication::Public { follows: 0 },
        };
        let append = Append {
            stream: StreamId::new(GAME_STREAM, game_id),
            expected: 0,
            events: vec![event],
            metadata: self.metadata.clone(),
        };
        event_store::append_in(self.conn, &append).await?;
        let (pool, players) = (rated.game.pool().id, rated.game.players());
        let white = RatingRow::new(players.white, pool, &rated.changes.white.after);
        let black = RatingRow::new(players.black, pool, &rated.changes.black.after);
        ratings::write(self.conn, &white).await?;
        ratings::write(self.conn, &black).await?;
        history::insert(self.conn, &history::rows(rated)).await?;
        Ok(())
    }
}
