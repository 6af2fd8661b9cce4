//! The wallet's part of the event log.

use std::collections::BTreeMap;

use domain_ledger::eligibility::Standing;
use domain_ledger::{MatchId, PlayerId};
use event_store::{Append, AppendError, Metadata, NewEvent, Publication, StreamId, Version};
use sqlx::PgConnection;
use uuid::Uuid;

use super::codec::{self, CodecError};
use super::seals::{self, EventPlace};
use crate::app::match_money::MatchMoney;
use crate::app::posting::{Posting, WalletEvent};
use crate::app::{fund_uuid, match_uuid, player_uuid, standing_uuid, step_uuid};

/// The stream of a player's account; its id is the player's.
pub const ACCOUNT_STREAM: &str = "account";
/// The stream of a match's stakes; its id is the match's.
pub const MATCH_STREAM: &str = "match";
/// The stream of a payment; its id is the payment's.
pub const PAYMENT_STREAM: &str = "payment";
/// The stream of an adjustment that needs a second person; its id is the adjustment's.
pub const ADJUSTMENT_STREAM: &str = "adjustment";
/// The stream of the house's fund; there is one.
pub const FUND_STREAM: &str = "fund";
/// The stream of what a player may do; its id is derived from the player's.
pub const STANDING_STREAM: &str = "standing";

const LOCK_STREAMS: &str = include_str!("queries/lock_streams.sql");

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

/// Waits until no other transaction works on these streams, and keeps others off them until the end of this one. The version
/// check would refuse the second of two writers anyway; this spares it the failure and the retry. Whoever locks several
/// locks them in one order (`WALLET-5`).
pub async fn lock_streams(conn: &mut PgConnection, stream_ids: &[Uuid]) -> Result<(), sqlx::Error> {
    sqlx::query(LOCK_STREAMS).bind(stream_ids).execute(conn).await?;
    Ok(())
}

/// The money of matches and the versions of their streams. Matches that nothing has happened to are left out.
pub async fn load_matches(
    conn: &mut PgConnection,
    matches: &[MatchId],
) -> Result<BTreeMap<MatchId, (MatchMoney, Version)>, LoadError> {
    let ids: Vec<Uuid> = matches.iter().copied().map(match_uuid).collect();
    let mut loaded = BTreeMap::new();
    for event in event_store::load_many(conn, &ids).await? {
        let match_id = MatchId::new(event.stream_id.as_u128());
        let (money, version) = loaded.entry(match_id).or_insert_with(|| (MatchMoney::new(match_id), 0));
        *money = money.evolve(&codec::read(&event)?.event);
        *version = event.version;
    }
    Ok(loaded)
}

/// The standings of players and the versions of their streams. Players about whom nothing is known are left out.
pub async fn load_standings(
    conn: &mut PgConnection,
    players: &[PlayerId],
) -> Result<BTreeMap<PlayerId, (Standing, Version)>, LoadError> {
    let ids: Vec<Uuid> = players.iter().copied().map(standing_uuid).collect();
    let mut loaded: BTreeMap<PlayerId, (Standing, Version)> = BTreeMap::new();
    for event in event_store::load_many(conn, &ids).await? {
        let WalletEvent::StandingChanged { player, change, .. } = codec::read(&event)?.event else {
            continue;
        };
        let (standing, version) = loaded.entry(player).or_default();
        *standing = standing.evolve(&change);
        *version = event.version;
    }
    Ok(loaded)
}

/// The append of the postings of one stream behind `expected`; nothing without postings. Everything the wallet decides is
/// public.
pub fn append_of(expected: Version, postings: &[Posting], metadata: Metadata) -> Option<Append> {
    let stream = stream_of(&postings.first()?.event);
    let events = (expected..)
        .zip(postings)
        .map(|(follows, posting)| {
            let encoded = codec::write(posting);
            NewEvent {
                event_id: Some(event_id(stream, encoded.kind, follows)),
                kind: encoded.kind,
                schema: codec::SCHEMA,
                data: encoded.data,
                publication: Publication::Public { follows },
            }
        })
        .collect();
    Some(Append { stream, expected, events, metadata })
}

/// Writes appends of different streams, and notes their events to be sealed.
pub async fn append_all(conn: &mut PgConnection, appends: &[Append]) -> Result<(), AppendError> {
    event_store::append_all_in(conn, appends).await?;
    let written = appends.iter().flat_map(|append| {
        let versions = append.expected + 1..=append.last_version();
        versions.map(|version| EventPlace { stream_id: append.stream.id, version })
    });
    seals::note(conn, &written.collect::<Vec<_>>()).await?;
    Ok(())
}

/// A match has each of its events once, so their ids go by their names; an account may have the same kind many times.
fn event_id(stream: StreamId, kind: &str, follows: Version) -> Uuid {
    match stream.kind {
        MATCH_STREAM => step_uuid(stream.id, kind),
        _ => step_uuid(stream.id, &format!("{kind}/{}", follows + 1)),
    }
}

fn stream_of(event: &WalletEvent) -> StreamId {
    match event {
        WalletEvent::AccountOpened { player, .. }
        | WalletEvent::MoneyDeposited { player, .. }
        | WalletEvent::MoneyWithdrawn { player, .. }
        | WalletEvent::MoneyAdjusted { player, .. }
        | WalletEvent::TransferReversed { player, .. } => StreamId::new(ACCOUNT_STREAM, player_uuid(*player)),
        WalletEvent::StakesHeld { hold, .. } => StreamId::new(MATCH_STREAM, match_uuid(hold.match_id)),
        WalletEvent::StakesRefused { match_id, .. }
        | WalletEvent::PotPaid { match_id, .. }
        | WalletEvent::PrizeWithheld { match_id, .. }
        | WalletEvent::PrizeReleased { match_id, .. }
        | WalletEvent::VictimRefunded { match_id, .. }
        | WalletEvent::StakesRefunded { match_id, .. } => StreamId::new(MATCH_STREAM, match_uuid(*match_id)),
        WalletEvent::DepositRequested { payment, .. } | WalletEvent::PaymentConcluded { payment, .. } => {
            StreamId::new(PAYMENT_STREAM, *payment)
        }
        WalletEvent::AdjustmentProposed { adjustment, .. }
        | WalletEvent::AdjustmentDecided { adjustment, .. } => StreamId::new(ADJUSTMENT_STREAM, *adjustment),
        WalletEvent::FundAdjusted { .. } => StreamId::new(FUND_STREAM, fund_uuid()),
        WalletEvent::StandingChanged { player, .. } => StreamId::new(STANDING_STREAM, standing_uuid(*player)),
    }
}
