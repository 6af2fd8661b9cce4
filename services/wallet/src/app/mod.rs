//! The decisions, without a database or a wire: what an order does to the money of a match or of a player.

pub mod account;
pub mod audit;
pub mod chain;
pub mod desk;
pub mod fund;
pub mod match_money;
pub mod opening;
pub mod payments;
pub mod posting;
pub mod statement;

use domain_ledger::{MatchId, PlayerId, TransferId};
use time::OffsetDateTime;
use uuid::Uuid;

/// A game, known here only as what a match's money is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GameId(pub Uuid);

/// The player's id as others write it.
#[must_use]
pub fn player_uuid(player: PlayerId) -> Uuid {
    Uuid::from_u128(player.value())
}

/// The match's id as others write it.
#[must_use]
pub fn match_uuid(match_id: MatchId) -> Uuid {
    Uuid::from_u128(match_id.value())
}

/// The id of the stream of what a player may do.
#[must_use]
pub fn standing_uuid(player: PlayerId) -> Uuid {
    step_uuid(player_uuid(player), "standing")
}

/// The id of the stream of the house's fund.
#[must_use]
pub fn fund_uuid() -> Uuid {
    step_uuid(Uuid::nil(), "fund")
}

/// The id of a step of something: always the same, so that a repeated step is the same step.
#[must_use]
pub fn step_uuid(subject: Uuid, step: &str) -> Uuid {
    Uuid::new_v5(&subject, step.as_bytes())
}

/// The id of the transfer of a step.
#[must_use]
pub fn step_transfer(subject: Uuid, step: &str) -> TransferId {
    TransferId::new(step_uuid(subject, step).as_u128())
}

/// An instant in milliseconds since the Unix epoch.
#[must_use]
pub fn unix_ms(at: OffsetDateTime) -> i64 {
    at.unix_timestamp() * 1_000 + i64::from(at.millisecond())
}
