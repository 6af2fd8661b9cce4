//! The refusals of this service.

use proto::rating::v1::ErrorReason;
use service_kit::status::refused;
use tonic::{Code, Status};

/// The longest name of a pool that is repeated in an answer.
const POOL_SHOWN_CHARS_MAX: usize = 32;

pub(super) fn pool_unknown(pool: &str) -> Status {
    let shown: String = pool.chars().take(POOL_SHOWN_CHARS_MAX).collect();
    refused(Code::NotFound, ErrorReason::PoolUnknown, "there is no such pool", [("pool", shown)])
}
