//! Whom players do not want to meet: the log of it, and what pairing asks.

use event_store::{Append, AppendError, Metadata, NewEvent, Publication, StreamId, Version};
use prost::Message as _;
use proto::matchmaking::v1::{PlayerBlocked, PlayerUnblocked};
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

/// The stream kind of a player's blocks, and a part of its subjects.
pub const BLOCKS_STREAM: &str = "blocks";

const BLOCKED: &str = "select blocked_at from blocked_players where player_id = $1 and blocked_id = $2";
const PUT: &str = "insert into blocked_players (player_id, blocked_id, blocked_at) values ($1, $2, $3)";
const REMOVE: &str = "delete from blocked_players where player_id = $1 and blocked_id = $2";
const COUNT: &str = "select count(*) from blocked_players where player_id = $1";
const LIST: &str = "select blocked_id, blocked_at from blocked_players where player_id = $1
    order by blocked_at desc, blocked_id";
const AMONG: &str = "select player_id, blocked_id from blocked_players
    where player_id = any ($1::uuid[]) and blocked_id = any ($1::uuid[])";

/// What happened to a player's list.
#[derive(Debug, Clone, PartialEq)]
pub enum BlockEvent {
    /// Somebody was put on it.
    Blocked(PlayerBlocked),
    /// Somebody was taken off it.
    Unblocked(PlayerUnblocked),
}

impl BlockEvent {
    fn name(&self) -> &'static str {
        match self {
            Self::Blocked(_) => "PlayerBlocked",
            Self::Unblocked(_) => "PlayerUnblocked",
        }
    }

    fn encode(&self) -> Vec<u8> {
        match self {
            Self::Blocked(event) => event.encode_to_vec(),
            Self::Unblocked(event) => event.encode_to_vec(),
        }
    }
}

/// The version of a player's stream.
pub async fn head(conn: &mut PgConnection, player_id: Uuid) -> Result<Version, sqlx::Error> {
    event_store::head(conn, stream_id(player_id)).await
}

/// Appends what happened; fails with a conflict when somebody else was first.
pub async fn append(
    conn: &mut PgConnection,
    player_id: Uuid,
    expected: Version,
    event: &BlockEvent,
    metadata: Metadata,
) -> Result<Version, AppendError> {
    let append = Append {
        stream: StreamId { kind: BLOCKS_STREAM, id: stream_id(player_id) },
        expected,
        events: vec![NewEvent {
            event_id: Some(Uuid::now_v7()),
            kind: event.name(),
            schema: 1,
            data: event.encode(),
            publication: Publication::Public { follows: expected },
        }],
        metadata,
    };
    event_store::append_in(conn, &append).await
}

fn stream_id(player_id: Uuid) -> Uuid {
    Uuid::new_v5(&player_id, BLOCKS_STREAM.as_bytes())
}

/// Whether one has blocked the other.
pub async fn is_blocked(
    executor: impl PgExecutor<'_>,
    player_id: Uuid,
    blocked_id: Uuid,
) -> Result<bool, sqlx::Error> {
    let since: Option<OffsetDateTime> =
        sqlx::query_scalar(BLOCKED).bind(player_id).bind(blocked_id).fetch_optional(executor).await?;
    Ok(since.is_some())
}

/// Keeps the projection in step with a new entry.
pub async fn put(
    conn: &mut PgConnection,
    player_id: Uuid,
    blocked_id: Uuid,
    at: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query(PUT).bind(player_id).bind(blocked_id).bind(at).execute(conn).await?;
    Ok(())
}

/// Keeps the projection in step with an entry that is no more.
pub async fn remove(conn: &mut PgConnection, player_id: Uuid, blocked_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query(REMOVE).bind(player_id).bind(blocked_id).execute(conn).await?;
    Ok(())
}

/// How many a player has blocked.
pub async fn count(executor: impl PgExecutor<'_>, player_id: Uuid) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar(COUNT).bind(player_id).fetch_one(executor).await
}

/// Whom a player has blocked and since when, the latest first. The list itself has a limit.
pub async fn list(
    executor: impl PgExecutor<'_>,
    player_id: Uuid,
) -> Result<Vec<(Uuid, OffsetDateTime)>, sqlx::Error> {
    sqlx::query_as(LIST).bind(player_id).fetch_all(executor).await
}

/// Who among these players has blocked whom among them.
pub async fn among(
    executor: impl PgExecutor<'_>,
    players: &[Uuid],
) -> Result<Vec<(Uuid, Uuid)>, sqlx::Error> {
    sqlx::query_as(AMONG).bind(players).fetch_all(executor).await
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCKED_1: &str = "0a0161120162187b";
    const UNBLOCKED_1: &str = "0a0161120162187b";

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    // MATCH-10
    #[test]
    fn every_stored_event_has_the_bytes_it_always_had() {
        let (player_id, blocked_player_id) = ("a".to_owned(), "b".to_owned());
        let blocked = BlockEvent::Blocked(PlayerBlocked {
            player_id: player_id.clone(),
            blocked_player_id: blocked_player_id.clone(),
            blocked_at_ms: 123,
        });
        let unblocked =
            BlockEvent::Unblocked(PlayerUnblocked { player_id, blocked_player_id, unblocked_at_ms: 123 });
        assert_eq!((blocked.name(), hex(&blocked.encode()).as_str()), ("PlayerBlocked", BLOCKED_1));
        assert_eq!((unblocked.name(), hex(&unblocked.encode()).as_str()), ("PlayerUnblocked", UNBLOCKED_1));
    }
}
