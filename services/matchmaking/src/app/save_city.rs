//! Writes a city down: a new one, or other settings of one that there is.
//!
//! The city's stream is its history, with the operator and his reason in each event; the row in `cities` follows it in the
//! same transaction. A request that comes again is answered as the first time, and one that did not know of the latest
//! settings changes nothing.

use event_store::{AppendError, Metadata, Version};
use sqlx::{Acquire as _, PgConnection, PgPool};
use uuid::Uuid;

use crate::app::cities::City;
use crate::store::city_log::{self, CityEvent, ReadError};
use crate::store::{cities, city_log::Entry};

/// Who writes the cities of the first start.
const SEEDER: &str = "matchmaking";

/// Why the cities of the first start are there.
const SEED_REASON: &str = "first start";

/// A city as it is to be.
#[derive(Debug, Clone)]
pub struct Save {
    /// The city; its version is the one that the caller has seen, 0 for a city that is not there yet.
    pub city: City,
    /// The request.
    pub request_id: Uuid,
    /// The operator.
    pub actor: String,
    /// His reason.
    pub reason: String,
}

/// Why a city was not written down.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// There is none to change.
    #[error("there is no such city")]
    Unknown,
    /// The id is taken.
    #[error("there is a city with this id")]
    Exists,
    /// The settings have changed since.
    #[error("the city's settings have changed")]
    Stale {
        /// The version they have now.
        version: Version,
    },
    /// The request came before, with another body.
    #[error("the request id was used before with another body")]
    RequestIdReused,
    /// The log is not readable.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The log refused.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// Postgres did not answer.
    #[error("the city store is unavailable")]
    Unavailable(#[from] sqlx::Error),
}

/// Writes the city down and answers it as it is after this request.
///
/// # Errors
/// See [`SaveError`]; nothing is changed then, unless Postgres broke off in the commit.
pub async fn save(pool: &PgPool, request: &Save) -> Result<City, SaveError> {
    let mut conn = pool.acquire().await?;
    let mut transaction = conn.begin().await?;
    let saved = save_in(&mut transaction, request).await;
    match saved {
        Ok(city) => {
            transaction.commit().await?;
            Ok(city)
        }
        // Of two at the same moment the later one has not seen the earlier.
        Err(SaveError::Append(AppendError::Conflict { .. })) => {
            transaction.rollback().await?;
            let mut transaction = conn.begin().await?;
            let city = save_in(&mut transaction, request).await?;
            transaction.commit().await?;
            Ok(city)
        }
        Err(error) => {
            transaction.rollback().await?;
            Err(error)
        }
    }
}

/// Writes down those of the given cities that are not there yet. Several instances may do so at once.
///
/// # Errors
/// When the database does not answer or the log is not readable.
pub async fn seed(pool: &PgPool, seeds: Vec<City>) -> Result<(), SaveError> {
    for city in seeds {
        let (actor, reason) = (SEEDER.to_owned(), SEED_REASON.to_owned());
        let request = Save { city, request_id: Uuid::now_v7(), actor, reason };
        match save(pool, &request).await {
            Ok(_) | Err(SaveError::Exists) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

async fn save_in(conn: &mut PgConnection, request: &Save) -> Result<City, SaveError> {
    let city = &request.city;
    let log = city_log::read(conn, &city.id).await?;
    let event = CityEvent::of(city, &request.reason);
    if let Some(entry) = log.iter().find(|entry| entry.request_id == request.request_id) {
        return first_answer(entry, &event, city.version);
    }
    match (log.last(), city.version) {
        (None, 0) => {}
        (None, _) => return Err(SaveError::Unknown),
        (Some(_), 0) => return Err(SaveError::Exists),
        (Some(last), seen) if last.city.version != seen => {
            return Err(SaveError::Stale { version: last.city.version });
        }
        (Some(_), _) => {}
    }
    // What no request decides stays as it began.
    let time_scale = log.last().map_or(city.time_scale, |last| last.city.time_scale);
    let metadata = Metadata::for_request(request.actor.clone(), request.request_id);
    let version = city_log::append(conn, &city.id, city.version, &event, metadata).await?;
    let saved = City { version, time_scale, ..city.clone() };
    cities::put(conn, &saved).await?;
    Ok(saved)
}

fn first_answer(entry: &Entry, event: &CityEvent, seen: Version) -> Result<City, SaveError> {
    if entry.event == *event && entry.city.version == seen + 1 {
        Ok(entry.city.clone())
    } else {
        Err(SaveError::RequestIdReused)
    }
}
