//! Whom a player does not want to meet. Pairing keeps the two apart from the next pass on, whoever of them has blocked the other; a match
//! that is being made, and a game, go on.

use event_store::{AppendError, Metadata};
use proto::matchmaking::v1::{PlayerBlocked, PlayerUnblocked};
use sqlx::{Acquire as _, PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::store::blocks::{self, BlockEvent};

/// The most players on one list: more than anybody remembers, and few enough to be shown on one page.
pub const BLOCKED_MAX: i64 = 500;

/// How often a change is tried again when another one of the same player came first.
const CONFLICT_RETRIES_MAX: u32 = 5;

/// What a player asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// Not to meet somebody any more.
    Block,
    /// To meet him again.
    Unblock,
}

/// A wish about somebody.
#[derive(Debug, Clone, Copy)]
pub struct Change {
    /// Whose wish.
    pub player_id: Uuid,
    /// About whom.
    pub other_id: Uuid,
    /// Which.
    pub wish: Wish,
    /// The request.
    pub request_id: Uuid,
}

/// Why the list was not changed.
#[derive(Debug, thiserror::Error)]
pub enum BlockError {
    /// It is full.
    #[error("the list is full")]
    TooMany,
    /// The log refused.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// Postgres did not answer.
    #[error("the store of blocks is unavailable")]
    Unavailable(#[from] sqlx::Error),
}

/// Changes the list as wished; a wish that is fulfilled already changes nothing.
///
/// # Errors
/// See [`BlockError`].
pub async fn change(pool: &PgPool, change: Change) -> Result<(), BlockError> {
    let mut retries = 0;
    loop {
        let mut conn = pool.acquire().await?;
        let mut transaction = conn.begin().await?;
        match change_in(&mut transaction, change).await {
            Ok(()) => return Ok(transaction.commit().await?),
            Err(BlockError::Append(AppendError::Conflict { .. })) if retries < CONFLICT_RETRIES_MAX => {
                transaction.rollback().await?;
                retries += 1;
            }
            Err(error) => return Err(error),
        }
    }
}

async fn change_in(conn: &mut PgConnection, change: Change) -> Result<(), BlockError> {
    let Change { player_id, other_id, wish, request_id } = change;
    let expected = blocks::head(conn, player_id).await?;
    let is_blocked = blocks::is_blocked(&mut *conn, player_id, other_id).await?;
    let now = OffsetDateTime::now_utc();
    let now_ms = i64::try_from(now.unix_timestamp_nanos() / 1_000_000).unwrap_or(i64::MAX);
    let (player, other) = (player_id.to_string(), other_id.to_string());
    let event = match (wish, is_blocked) {
        (Wish::Block, false) if blocks::count(&mut *conn, player_id).await? >= BLOCKED_MAX => {
            return Err(BlockError::TooMany);
        }
        (Wish::Block, false) => BlockEvent::Blocked(PlayerBlocked {
            player_id: player,
            blocked_player_id: other,
            blocked_at_ms: now_ms,
        }),
        (Wish::Unblock, true) => BlockEvent::Unblocked(PlayerUnblocked {
            player_id: player,
            blocked_player_id: other,
            unblocked_at_ms: now_ms,
        }),
        (Wish::Block, true) | (Wish::Unblock, false) => return Ok(()),
    };
    let metadata = Metadata::for_request(player_id.to_string(), request_id);
    blocks::append(conn, player_id, expected, &event, metadata).await?;
    match wish {
        Wish::Block => blocks::put(conn, player_id, other_id, now).await?,
        Wish::Unblock => blocks::remove(conn, player_id, other_id).await?,
    }
    Ok(())
}
