//! The log of a player: levels, holds, bars, cases.

use event_store::{Append, AppendError, Metadata, NewEvent, Publication, StreamId, append_in, head};
use prost::Message;
use proto::fairplay::v1 as wire;
use sqlx::PgConnection;
use uuid::Uuid;

use super::{Encoded, SCHEMA};

/// The stream kind of a player, and a part of its subjects.
pub const PLAYER_STREAM: &str = "player";

/// What happened to a player.
#[derive(Debug, Clone, PartialEq)]
pub enum PlayerEvent {
    /// His level changed.
    LevelChanged(Box<wire::LevelChanged>),
    /// His later prizes are held.
    PrizeHoldPlaced(wire::PrizeHoldPlaced),
    /// They are not any more.
    PrizeHoldReleased(wire::PrizeHoldReleased),
    /// He may not join staked queues.
    PlayerBarred(wire::PlayerBarred),
    /// He may again.
    PlayerUnbarred(wire::PlayerUnbarred),
    /// A person has to decide.
    CaseOpened(wire::CaseOpened),
    /// A person decided.
    CaseDecided(wire::CaseDecided),
    /// An opponent asked for a look.
    PlayerReported(wire::PlayerReported),
    /// The account is a person's who has others.
    PersonLinked(wire::PersonLinked),
    /// It is not that person's.
    PersonUnlinked(wire::PersonUnlinked),
    /// A sign of collusion.
    CollusionSignalRaised(wire::CollusionSignalRaised),
}

/// An event as it is stored.
#[must_use]
pub fn encode(event: &PlayerEvent) -> Encoded {
    fn of(kind: &'static str, message: &impl Message) -> Encoded {
        Encoded { kind, data: message.encode_to_vec() }
    }
    match event {
        PlayerEvent::LevelChanged(event) => of("LevelChanged", event.as_ref()),
        PlayerEvent::PrizeHoldPlaced(event) => of("PrizeHoldPlaced", event),
        PlayerEvent::PrizeHoldReleased(event) => of("PrizeHoldReleased", event),
        PlayerEvent::PlayerBarred(event) => of("PlayerBarred", event),
        PlayerEvent::PlayerUnbarred(event) => of("PlayerUnbarred", event),
        PlayerEvent::CaseOpened(event) => of("CaseOpened", event),
        PlayerEvent::CaseDecided(event) => of("CaseDecided", event),
        PlayerEvent::PlayerReported(event) => of("PlayerReported", event),
        PlayerEvent::PersonLinked(event) => of("PersonLinked", event),
        PlayerEvent::PersonUnlinked(event) => of("PersonUnlinked", event),
        PlayerEvent::CollusionSignalRaised(event) => of("CollusionSignalRaised", event),
    }
}

/// Appends to a player's stream, whose row the caller holds; nothing for no events.
///
/// # Errors
/// As [`append_in`].
pub async fn append(
    conn: &mut PgConnection,
    player_id: Uuid,
    events: &[PlayerEvent],
    metadata: Metadata,
) -> Result<(), AppendError> {
    if events.is_empty() {
        return Ok(());
    }
    let expected = head(&mut *conn, player_id).await?;
    let new_event = |(version, event): (i64, &PlayerEvent)| {
        let Encoded { kind, data } = encode(event);
        let publication = Publication::Public { follows: version };
        NewEvent { event_id: Some(Uuid::now_v7()), kind, schema: SCHEMA, data, publication }
    };
    let append = Append {
        stream: StreamId::new(PLAYER_STREAM, player_id),
        expected,
        events: (expected..).zip(events).map(new_event).collect(),
        metadata,
    };
    append_in(conn, &append).await?;
    Ok(())
}
