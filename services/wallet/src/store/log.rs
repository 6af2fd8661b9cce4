//! The wallet's part of the event log.

use domain_ledger::MatchId;
use event_store::{Append, AppendError, Metadata, NewEvent, Publication, StreamId, Version};
use sqlx::PgConnection;
use uuid::Uuid;

use super::codec::{self, CodecError};
use crate::app::match_money::MatchMoney;
use crate::app::posting::{Posting, WalletEvent};
use crate::app::{match_uuid, player_uuid, step_uuid};

/// The stream of a player's account; its id is the player's.
pub const ACCOUNT_STREAM: &str = "account";
/// The stream of a match's stakes; its id is the match's.
pub const MATCH_STREAM: &str = "match";

const LOCK_STREAM: &str = "select pg_advisory_xact_lock(hashtextextended($1::text, 0))";

/// Why a stream could not be read.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The database did not answer.
    #[error(transparent)]
    Store(#[from] sqlx::Error),
    /// What stands there is not ours.
    #[error(transparent)]
    Codec(#[from] CodecError),
}

/// Waits until no other transaction works on the stream, and keeps others off it until the end of this one. The version
/// check would refuse the second of two writers anyway; this spares it the failure and the retry.
pub async fn lock_stream(conn: &mut PgConnection, stream_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query(LOCK_STREAM).bind(stream_id).execute(conn).await?;
    Ok(())
}

/// A match's money, and the version of its stream.
pub async fn load_match(
    conn: &mut PgConnection,
    match_id: MatchId,
) -> Result<(MatchMoney, Version), LoadError> {
    let events = event_store::load_all(conn, match_uuid(match_id)).await?;
    let mut money = MatchMoney::new(match_id);
    for event in &events {
        money = money.evolve(&codec::read(event)?.event);
    }
    let version = events.last().map_or(0, |event| event.version);
    Ok((money, version))
}

/// Appends the postings of one stream behind `expected`. Everything the wallet decides is public.
pub async fn append(
    conn: &mut PgConnection,
    expected: Version,
    postings: &[Posting],
    metadata: Metadata,
) -> Result<Version, AppendError> {
    let Some(first) = postings.first() else {
        return Ok(expected);
    };
    let stream = stream_of(&first.event);
    let events = (expected..)
        .zip(postings)
        .map(|(follows, posting)| {
            let encoded = codec::write(posting);
            NewEvent {
                event_id: step_uuid(stream.id, encoded.kind),
                kind: encoded.kind,
                schema: codec::SCHEMA,
                data: encoded.data,
                publication: Publication::Public { follows },
            }
        })
        .collect();
    let append = Append { stream, expected, events, metadata };
    event_store::append_in(conn, &append).await
}

fn stream_of(event: &WalletEvent) -> StreamId {
    match event {
        WalletEvent::AccountOpened { player, .. } | WalletEvent::MoneyDeposited { player } => {
            StreamId::new(ACCOUNT_STREAM, player_uuid(*player))
        }
        WalletEvent::StakesHeld { hold, .. } => StreamId::new(MATCH_STREAM, match_uuid(hold.match_id)),
        WalletEvent::StakesRefused { match_id, .. }
        | WalletEvent::PotPaid { match_id, .. }
        | WalletEvent::StakesRefunded { match_id, .. } => StreamId::new(MATCH_STREAM, match_uuid(*match_id)),
    }
}
