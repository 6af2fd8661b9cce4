//! Refusals of this service as statuses.

use proto::matchmaking::v1::ErrorReason;
use service_kit::status;
use tonic::{Code, Status};

use crate::app::queue::JoinError;
use crate::app::save_city::SaveError;
use crate::store::city_log::ReadError;
use crate::store::tickets::TicketError;

/// A ticket that was not given.
pub fn from_join(error: JoinError) -> Status {
    match error {
        JoinError::CityUnknown { city_id } => city_unknown(&city_id),
        JoinError::CityClosed { city_id } => status::failed_precondition(
            ErrorReason::CityClosed,
            "nobody can queue there now",
            [("city_id", city_id)],
        ),
        JoinError::TimeControlNotPlayed { city_id } => status::failed_precondition(
            ErrorReason::TimeControlNotPlayed,
            format!("{city_id} does not play this clock"),
            [("city_id", city_id)],
        ),
        JoinError::TicketGone { ticket_id } => status::refused(
            Code::NotFound,
            ErrorReason::TicketGone,
            "the ticket was left or has run out",
            [("ticket_id", ticket_id.to_string())],
        ),
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
            [("available", available.to_string()), ("stake", stake.to_string()), ("currency", currency)],
        ),
        JoinError::Overloaded => status::overloaded(),
        JoinError::Stopping => {
            status::unavailable("this instance is about to stop; join again", status::RETRY_AFTER)
        }
        JoinError::Tickets(error @ TicketError::Unreadable(_)) => status::internal(error),
        JoinError::Tickets(TicketError::Unavailable(_)) => tickets_unavailable(),
        JoinError::Unavailable(error) => status::from_sqlx(&error),
    }
}

/// A city that was not written down.
pub fn from_save(error: SaveError, city_id: &str) -> Status {
    let city = ("city_id", city_id.to_owned());
    match error {
        SaveError::Unknown => city_unknown(city_id),
        SaveError::Exists => {
            status::failed_precondition(ErrorReason::CityExists, "there is a city with this id", [city])
        }
        SaveError::Stale { version } => status::aborted(
            ErrorReason::CityStale,
            "the city's settings have changed",
            [city, ("etag", version.to_string())],
        ),
        SaveError::RequestIdReused => status::request_id_reused(ErrorReason::RequestIdReused),
        SaveError::Read(ReadError::Unavailable(error)) | SaveError::Unavailable(error) => {
            status::from_sqlx(&error)
        }
        SaveError::Read(error) => status::internal(error),
        SaveError::Append(error) => status::from_append(&error),
    }
}

/// NOT_FOUND: no such city.
pub fn city_unknown(city_id: &str) -> Status {
    let metadata = [("city_id", city_id.to_owned())];
    let message = format!("there is no city {city_id:?}");
    status::refused(Code::NotFound, ErrorReason::CityUnknown, message, metadata)
}

/// UNAVAILABLE: the tickets cannot be reached.
pub fn tickets_unavailable() -> Status {
    status::unavailable("the queues are not reachable", status::RETRY_AFTER)
}
