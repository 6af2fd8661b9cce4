//! Events as the bytes that stand in the log, and back.
//!
//! Reading checks everything again, because a log outlives the code that wrote it: what does not make a transfer or a hold
//! is an error with a name, never a silent zero.

mod account;
mod decode;
mod encode;
mod house;

use event_store::RecordedEvent;

pub use account::{limit_code, limit_kind};
pub use encode::{Encoded, write};
pub use house::fund_source;

use crate::app::posting::Posting;

/// The version of the data of every event so far.
pub const SCHEMA: i16 = 1;

/// Stable names of the events.
pub mod kinds {
    /// [`proto::wallet::v1::AccountOpened`].
    pub const ACCOUNT_OPENED: &str = "AccountOpened";
    /// [`proto::wallet::v1::MoneyDeposited`].
    pub const MONEY_DEPOSITED: &str = "MoneyDeposited";
    /// [`proto::wallet::v1::MoneyWithdrawn`].
    pub const MONEY_WITHDRAWN: &str = "MoneyWithdrawn";
    /// [`proto::wallet::v1::MoneyAdjusted`].
    pub const MONEY_ADJUSTED: &str = "MoneyAdjusted";
    /// [`proto::wallet::v1::TransferReversed`].
    pub const TRANSFER_REVERSED: &str = "TransferReversed";
    /// [`proto::wallet::v1::DepositRequested`].
    pub const DEPOSIT_REQUESTED: &str = "DepositRequested";
    /// [`proto::wallet::v1::PaymentConcluded`].
    pub const PAYMENT_CONCLUDED: &str = "PaymentConcluded";
    /// [`proto::wallet::v1::AdjustmentProposed`].
    pub const ADJUSTMENT_PROPOSED: &str = "AdjustmentProposed";
    /// [`proto::wallet::v1::AdjustmentDecided`].
    pub const ADJUSTMENT_DECIDED: &str = "AdjustmentDecided";
    /// [`proto::wallet::v1::IdentityVerified`].
    pub const IDENTITY_VERIFIED: &str = "IdentityVerified";
    /// [`proto::wallet::v1::PlayerExcluded`].
    pub const PLAYER_EXCLUDED: &str = "PlayerExcluded";
    /// [`proto::wallet::v1::LimitSet`].
    pub const LIMIT_SET: &str = "LimitSet";
    /// [`proto::wallet::v1::StakesHeld`].
    pub const STAKES_HELD: &str = "StakesHeld";
    /// [`proto::wallet::v1::StakesRefused`].
    pub const STAKES_REFUSED: &str = "StakesRefused";
    /// [`proto::wallet::v1::PotPaid`].
    pub const POT_PAID: &str = "PotPaid";
    /// [`proto::wallet::v1::PrizeWithheld`].
    pub const PRIZE_WITHHELD: &str = "PrizeWithheld";
    /// [`proto::wallet::v1::PrizeReleased`].
    pub const PRIZE_RELEASED: &str = "PrizeReleased";
    /// [`proto::wallet::v1::VictimRefunded`].
    pub const VICTIM_REFUNDED: &str = "VictimRefunded";
    /// [`proto::wallet::v1::FundAdjusted`].
    pub const FUND_ADJUSTED: &str = "FundAdjusted";
    /// [`proto::wallet::v1::StakesRefunded`].
    pub const STAKES_REFUNDED: &str = "StakesRefunded";
}

/// An event of the log is not one of ours, or is damaged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("event {kind} (schema {schema}) of stream {stream_id}, version {version}: {reason}")]
pub struct CodecError {
    /// Its name.
    pub kind: String,
    /// The version of its data.
    pub schema: i16,
    /// Its stream.
    pub stream_id: uuid::Uuid,
    /// Its place there.
    pub version: i64,
    /// What is wrong with it.
    pub reason: String,
}

/// Reads an event of the log.
///
/// # Errors
/// Names the event and what is wrong with it.
pub fn read(event: &RecordedEvent) -> Result<Posting, CodecError> {
    decode::posting(event).map_err(|reason| CodecError {
        kind: event.kind.clone(),
        schema: event.schema,
        stream_id: event.stream_id,
        version: event.version,
        reason: reason.0,
    })
}

#[cfg(test)]
mod tests;
