//! `BlockPlayer` and `UnblockPlayer`: whom the caller does not want to meet.

use proto::matchmaking::v1::ErrorReason;
use service_kit::auth::Principal;
use service_kit::fields::Violations;
use service_kit::{ids, status};
use tonic::Status;

use super::Service;
use crate::app::block::{self, BLOCKED_MAX, BlockError, Change, Wish};

/// The fields of both requests.
pub struct Asked<'a> {
    /// UUID of the request.
    pub request_id: &'a str,
    /// UUID of the other player.
    pub player_id: &'a str,
}

pub async fn handle(
    service: &Service,
    principal: &Principal,
    asked: Asked<'_>,
    wish: Wish,
) -> Result<(), Status> {
    let mut bad = Violations::default();
    let request_id = bad.check("request_id", ids::parse(asked.request_id));
    let other_id = bad.check("player_id", ids::parse(asked.player_id));
    if other_id == Some(principal.player_id) {
        bad.add("player_id", "must be somebody else");
    }
    let (true, Some(request_id), Some(other_id)) = (bad.is_empty(), request_id, other_id) else {
        return Err(bad.into_status());
    };
    let change = Change { player_id: principal.player_id, other_id, wish, request_id };
    let pool = service.pool.clone();
    // In a task of its own, so that a caller who leaves does not break off the transaction.
    let changed = tokio::spawn(async move { block::change(&pool, change).await });
    match changed.await.map_err(status::internal)? {
        Ok(()) => {
            service.signal.committed();
            Ok(())
        }
        Err(BlockError::TooMany) => Err(status::failed_precondition(
            ErrorReason::TooManyBlocked,
            format!("at most {BLOCKED_MAX} players can be blocked"),
            [("max", BLOCKED_MAX.to_string())],
        )),
        Err(BlockError::Append(error)) => Err(status::from_append(&error)),
        Err(BlockError::Unavailable(error)) => Err(status::from_sqlx(&error)),
    }
}
