//! Refusals of this service as statuses.

use proto::matchmaking::v1::ErrorReason;
use service_kit::status;
use tonic::Status;

use crate::app::queue::JoinError;

/// A ticket that was not given.
pub fn from_join(error: JoinError) -> Status {
    match error {
        JoinError::AlreadyQueued { city_id } => status::failed_precondition(
            ErrorReason::AlreadyQueued,
            "the player waits in another queue",
            [("city_id", city_id)],
        ),
        JoinError::InAGame { game_id } => status::failed_precondition(
            ErrorReason::InAGame,
            "a game of the player is running",
            [("game_id", game_id.to_string())],
        ),
        JoinError::InsufficientFunds { available, stake, currency } => status::failed_precondition(
            ErrorReason::InsufficientFunds,
            "the balance does not cover the stake",
            [
                ("available", available.to_string()),
                ("stake", stake.to_string()),
                ("currency", currency.to_owned()),
            ],
        ),
        JoinError::Overloaded => status::overloaded(),
        JoinError::Stopping => {
            status::unavailable("this instance is about to stop; join again", status::RETRY_AFTER)
        }
        JoinError::Unavailable(error) => status::from_sqlx(&error),
    }
}
