//! A game's record as its stream tells it, and which game a request was about.

use event_store::RecordedEvent;
use sqlx::PgConnection;
use uuid::Uuid;

use super::codec::{self, CodecError};
use crate::app::book::Change;
use crate::app::game_record::GameRecord;

const NOTE_REQUEST: &str = "insert into rating_requests (actor_id, request_id, game_id) values ($1, $2, $3)
    on conflict (actor_id, request_id) do nothing";
const GAME_OF_REQUEST: &str = "select game_id from rating_requests where actor_id = $1 and request_id = $2";

/// Why a record cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The database did not answer.
    #[error(transparent)]
    Store(#[from] sqlx::Error),
    /// What stands in the stream is not ours.
    #[error(transparent)]
    Codec(#[from] CodecError),
    /// The stream does not begin with the rating of its game, or has a second one.
    #[error("the stream of game {0} is damaged")]
    Damaged(Uuid),
}

/// The record of a game; nothing when it was not rated.
pub async fn load(conn: &mut PgConnection, game_id: Uuid) -> Result<Option<GameRecord>, RecordError> {
    let events = event_store::load_all(conn, game_id).await?;
    let mut record = None;
    for event in &events {
        record = Some(folded(record, event)?);
    }
    Ok(record)
}

fn folded(record: Option<GameRecord>, event: &RecordedEvent) -> Result<GameRecord, RecordError> {
    match (record, codec::read(event)?) {
        (None, Change::Game(rated)) => Ok(GameRecord::new(rated)),
        (Some(mut record), Change::Correction(made)) => {
            record.corrected(made);
            Ok(record)
        }
        _ => Err(RecordError::Damaged(event.stream_id)),
    }
}

/// Who asks, and his request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestKey {
    /// The moderator or operator.
    pub actor_id: Uuid,
    /// His request.
    pub request_id: Uuid,
}

/// Which game a former request was about.
pub async fn game_of_request(
    conn: &mut PgConnection,
    request: RequestKey,
) -> Result<Option<Uuid>, sqlx::Error> {
    sqlx::query_scalar(GAME_OF_REQUEST)
        .bind(request.actor_id)
        .bind(request.request_id)
        .fetch_optional(conn)
        .await
}

/// Notes which game a request is about; false when the request was there before.
pub async fn note_request(
    conn: &mut PgConnection,
    request: RequestKey,
    game_id: Uuid,
) -> Result<bool, sqlx::Error> {
    let noted = sqlx::query(NOTE_REQUEST)
        .bind(request.actor_id)
        .bind(request.request_id)
        .bind(game_id)
        .execute(conn)
        .await?;
    Ok(noted.rows_affected() == 1)
}
