//! A city's own log.

use event_store::{Append, AppendError, Metadata, NewEvent, Publication, StreamId, Version};
use prost::Message as _;
use proto::matchmaking::v1::{self as wire, CityCreated, CityUpdated};
use proto::types::v1 as types;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::app::cities::{City, OpenHours, Settings, Terms, TimeControl};

/// The stream kind of a city, and a part of its subjects.
pub const CITY_STREAM: &str = "city";

/// The namespace of the streams' ids, which derive from the cities' ids so that no city can have two.
const CITY_NAMESPACE: Uuid = Uuid::from_u128(0x5d2c_93a4_6d0e_4f0b_9a57_0c1f_7e52_b8d1);

/// What happened to a city.
#[derive(Debug, Clone, PartialEq)]
pub enum CityEvent {
    /// It was added.
    Created(CityCreated),
    /// Its settings were replaced.
    Updated(CityUpdated),
}

impl CityEvent {
    /// The event that leads to a city; its version is the one before.
    #[must_use]
    pub fn of(city: &City, reason: &str) -> Self {
        let (city_id, reason) = (city.id.clone(), reason.to_owned());
        let settings = Some(settings_to_wire(&city.settings));
        if city.version == 0 {
            Self::Created(CityCreated { city_id, settings, time_scale: city.time_scale, reason })
        } else {
            Self::Updated(CityUpdated { city_id, settings, reason })
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Created(_) => "CityCreated",
            Self::Updated(_) => "CityUpdated",
        }
    }

    fn encode(&self) -> Vec<u8> {
        match self {
            Self::Created(event) => event.encode_to_vec(),
            Self::Updated(event) => event.encode_to_vec(),
        }
    }

    fn decode(kind: &str, data: &[u8]) -> Result<Self, String> {
        match kind {
            "CityCreated" => CityCreated::decode(data).map(Self::Created).map_err(|error| error.to_string()),
            "CityUpdated" => CityUpdated::decode(data).map(Self::Updated).map_err(|error| error.to_string()),
            other => Err(format!("unknown type {other}")),
        }
    }
}

/// An event of a city, and the city after it.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The request that led to it.
    pub request_id: Uuid,
    /// What happened.
    pub event: CityEvent,
    /// The city since.
    pub city: City,
}

/// Why a city's log could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Postgres did not answer.
    #[error("the city log is unavailable")]
    Unavailable(#[from] sqlx::Error),
    /// An event that this version does not know or cannot decode.
    #[error("event {version} of city {city_id} is not readable: {cause}")]
    Unreadable {
        /// The city.
        city_id: String,
        /// Which event.
        version: Version,
        /// What is wrong.
        cause: String,
    },
}

/// Reads a city's log, from its first event on.
pub async fn read(conn: &mut PgConnection, city_id: &str) -> Result<Vec<Entry>, ReadError> {
    let mut entries: Vec<Entry> = Vec::new();
    for recorded in event_store::load_all(conn, stream_id(city_id)).await? {
        let version = recorded.version;
        let unreadable =
            |cause: String| ReadError::Unreadable { city_id: city_id.to_owned(), version, cause };
        let event = CityEvent::decode(&recorded.kind, &recorded.data).map_err(unreadable)?;
        let (settings, time_scale) = match &event {
            CityEvent::Created(created) => (&created.settings, created.time_scale),
            CityEvent::Updated(updated) => {
                (&updated.settings, entries.last().map_or(1, |entry| entry.city.time_scale))
            }
        };
        let settings = settings.as_ref().and_then(settings_from_wire);
        let settings = settings.ok_or_else(|| unreadable("its settings are incomplete".to_owned()))?;
        let city = City { id: city_id.to_owned(), version, time_scale, settings };
        entries.push(Entry { request_id: recorded.metadata.causation_id, event, city });
    }
    Ok(entries)
}

/// Appends what happened; fails with a conflict when somebody else was first.
pub async fn append(
    conn: &mut PgConnection,
    city_id: &str,
    expected: Version,
    event: &CityEvent,
    metadata: Metadata,
) -> Result<Version, AppendError> {
    let append = Append {
        stream: StreamId { kind: CITY_STREAM, id: stream_id(city_id) },
        expected,
        events: vec![NewEvent {
            event_id: Some(Uuid::now_v7()),
            kind: event.name(),
            schema: 1,
            data: event.encode(),
            publication: Publication::Public { follows: expected },
        }],
        metadata,
    };
    event_store::append_in(conn, &append).await
}

fn stream_id(city_id: &str) -> Uuid {
    Uuid::new_v5(&CITY_NAMESPACE, city_id.as_bytes())
}

/// Settings as they stand in events and in requests.
#[must_use]
pub fn settings_to_wire(settings: &Settings) -> wire::CitySettings {
    let clocks = settings.time_controls.iter();
    wire::CitySettings {
        name: settings.name.clone(),
        stake: Some(types::Money {
            minor_units: settings.terms.stake_minor_units,
            currency: settings.terms.currency.clone(),
        }),
        fee_basis_points: settings.terms.fee_basis_points,
        time_controls: clocks
            .map(|clock| types::TimeControl { base_ms: clock.base_ms, increment_ms: clock.increment_ms })
            .collect(),
        open_hours: settings.open_hours.map(|hours| wire::OpenHours {
            opens_minute: hours.opens_minute.into(),
            closes_minute: hours.closes_minute.into(),
        }),
        enabled: settings.is_enabled,
    }
}

/// None when something is missing that every event has.
fn settings_from_wire(settings: &wire::CitySettings) -> Option<Settings> {
    let stake = settings.stake.as_ref()?;
    let open_hours = match settings.open_hours {
        Some(hours) => Some(OpenHours {
            opens_minute: hours.opens_minute.try_into().ok()?,
            closes_minute: hours.closes_minute.try_into().ok()?,
        }),
        None => None,
    };
    let clocks = settings.time_controls.iter();
    Some(Settings {
        name: settings.name.clone(),
        terms: Terms {
            stake_minor_units: stake.minor_units,
            currency: stake.currency.clone(),
            fee_basis_points: settings.fee_basis_points,
        },
        time_controls: clocks
            .map(|clock| TimeControl { base_ms: clock.base_ms, increment_ms: clock.increment_ms })
            .collect(),
        open_hours,
        is_enabled: settings.enabled,
    })
}

#[cfg(test)]
mod tests;
