//! The refusals of this service.

use proto::wallet::v1::ErrorReason;
use service_kit::status::{from_sqlx, not_found};
use sqlx::PgPool;
use tonic::Status;
use uuid::Uuid;

use crate::store::accounts;

/// Refuses a player who has no account (yet): an empty answer would look like an empty account.
pub(super) async fn check_account(pool: &PgPool, player_id: Uuid) -> Result<(), Status> {
    let exists = accounts::all_exist(pool, &[player_id]).await.map_err(|error| from_sqlx(&error))?;
    if exists {
        return Ok(());
    }
    Err(not_found(
        ErrorReason::AccountUnknown,
        "there is no account yet; it is opened within moments of signing up",
    ))
}
