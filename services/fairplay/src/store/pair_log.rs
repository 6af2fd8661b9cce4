//! The log of a pair's day.

use domain_fairplay::pairs::{Event, MatchId, PairDay, PairDayKey, Refusal};
use event_store::{
    Append, AppendError, Metadata, NewEvent, Publication, RecordedEvent, StreamId, Version, append_in,
    load_all,
};
use proto::fairplay::v1::{
    PairingCounted, PairingRefusalReason, PairingRefused, PairingReleased, PairingReserved,
};
use sqlx::PgConnection;
use uuid::Uuid;

use super::pair_days::day_number;
use super::{Encoded, ReadError, SCHEMA, decode, unreadable, uuid};

/// The stream kind of a pair's day, and a part of its subjects.
pub const PAIR_STREAM: &str = "pair";

/// The namespace of the ids of pairs' days. It is part of them: never to be changed.
const NAMESPACE: Uuid = Uuid::from_u128(0x7c2a_5d0e_9b41_4f6b_8e63_1d07_52c9_a4f8);

/// The seats of a match on a day, as its answer tells them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seats {
    /// The two players and the day.
    pub players: PairDayKey,
    /// The persons, the smaller first, or the one; empty when each of the two players is a person of his own.
    pub person_ids: Vec<Uuid>,
}

/// A pair's day as its log has it.
#[derive(Debug, Clone)]
pub struct PairLog {
    /// Its id.
    pub stream_id: Uuid,
    /// Version of its last event.
    pub version: Version,
    /// What the events amount to.
    pub day: PairDay,
}

/// The id of a pair's day: derived, so that everybody comes to the same one.
#[must_use]
pub fn stream_id(key: &PairDayKey) -> Uuid {
    let mut name = Vec::with_capacity(40);
    name.extend(key.lower().0.to_be_bytes());
    name.extend(key.higher().0.to_be_bytes());
    name.extend(key.day().0.to_be_bytes());
    Uuid::new_v5(&NAMESPACE, &name)
}

/// Reads the log.
///
/// # Errors
/// See [`ReadError`].
pub async fn read(conn: &mut PgConnection, stream_id: Uuid) -> Result<PairLog, ReadError> {
    let recorded = load_all(conn, stream_id).await?;
    let events = recorded.iter().map(decode_event).collect::<Result<Vec<_>, _>>()?;
    Ok(PairLog {
        stream_id,
        version: recorded.last().map_or(0, |event| event.version),
        day: PairDay::replay(&events),
    })
}

/// Appends an event; a conflict when somebody else was first.
///
/// # Errors
/// As [`append_in`].
pub async fn append(
    conn: &mut PgConnection,
    log: &PairLog,
    seats: &Seats,
    event: &Event,
    metadata: Metadata,
) -> Result<(), AppendError> {
    let Encoded { kind, data } = encode(seats, event);
    let append = Append {
        stream: StreamId::new(PAIR_STREAM, log.stream_id),
        expected: log.version,
        events: vec![NewEvent {
            // Each happens to a match once.
            event_id: Some(Uuid::new_v5(&Uuid::from_u128(match_id(event).0), kind.as_bytes())),
            kind,
            schema: SCHEMA,
            data,
            publication: Publication::Public { follows: log.version },
        }],
        metadata,
    };
    append_in(conn, &append).await?;
    Ok(())
}

/// The event as it is stored.
#[must_use]
pub fn encode(seats: &Seats, event: &Event) -> Encoded {
    let key = &seats.players;
    let person_ids: Vec<String> = seats.person_ids.iter().map(Uuid::to_string).collect();
    let match_id = Uuid::from_u128(match_id(event).0).to_string();
    let player = |person: domain_fairplay::pairs::PersonId| Uuid::from_u128(person.0).to_string();
    match event {
        Event::PairingReserved { .. } => Encoded::of(
            "PairingReserved",
            &PairingReserved {
                match_id,
                first_player_id: player(key.lower()),
                second_player_id: player(key.higher()),
                day: day_number(key),
                person_ids,
            },
        ),
        Event::PairingRefused { reason, .. } => Encoded::of(
            "PairingRefused",
            &PairingRefused {
                match_id,
                first_player_id: player(key.lower()),
                second_player_id: player(key.higher()),
                day: day_number(key),
                reason: match reason {
                    Refusal::PairLimitReached => PairingRefusalReason::PairLimitReached.into(),
                    Refusal::SamePerson => PairingRefusalReason::SamePerson.into(),
                },
                person_ids,
            },
        ),
        Event::PairingCounted { .. } => Encoded::of("PairingCounted", &PairingCounted { match_id }),
        Event::PairingReleased { .. } => Encoded::of("PairingReleased", &PairingReleased { match_id }),
    }
}

/// The event as it was.
///
/// # Errors
/// When it is of a kind or shape that is not known, or damaged.
pub fn decode_event(event: &RecordedEvent) -> Result<Event, ReadError> {
    let id = |text: &str| uuid(event, text).map(|id| MatchId(id.as_u128()));
    Ok(match event.kind.as_str() {
        "PairingReserved" => {
            Event::PairingReserved { match_id: id(&decode::<PairingReserved>(event)?.match_id)? }
        }
        "PairingRefused" => {
            let refused: PairingRefused = decode(event)?;
            let reason = match refused.reason() {
                PairingRefusalReason::PairLimitReached => Refusal::PairLimitReached,
                PairingRefusalReason::SamePerson => Refusal::SamePerson,
                PairingRefusalReason::Unspecified => return Err(unreadable(event, "it has no reason")),
            };
            Event::PairingRefused { match_id: id(&refused.match_id)?, reason }
        }
        "PairingCounted" => {
            Event::PairingCounted { match_id: id(&decode::<PairingCounted>(event)?.match_id)? }
        }
        "PairingReleased" => {
            Event::PairingReleased { match_id: id(&decode::<PairingReleased>(event)?.match_id)? }
        }
        _ => return Err(unreadable(event, "its kind is not known")),
    })
}

fn match_id(event: &Event) -> MatchId {
    match *event {
        Event::PairingReserved { match_id }
        | Event::PairingRefused { match_id, .. }
        | Event::PairingCounted { match_id }
        | Event::PairingReleased { match_id } => match_id,
    }
}
