//! Finished games in few bytes (GAME-14).
//!
//! A game is packed some time after its end, and only when what is packed gives back every stored event byte for byte.
//! Reading prefers the live log, so packing changes nothing for anybody until the log's partition is dropped.

use std::sync::Arc;

use domain_chess::{Event, archive};
use event_store::{NewEvent, RecordedEvent};
use prost::Message as _;
use proto::game::v1 as pb;
use sqlx::{FromRow, PgConnection, PgPool};
use uuid::Uuid;

use super::{codec, codec::Story};
use crate::app::{Cause, Entry, GameId, Record, Version};

const UNPACKED: &str = include_str!("queries/unpacked_games.sql");
const PACK: &str = include_str!("queries/pack_game.sql");
const ARCHIVED: &str = include_str!("queries/archived_game.sql");
const RULE_SET_ID: &str = include_str!("queries/rule_set_id.sql");
const MARK: &str = "update games set packing = $2 where game_id = $1";
const TAGS: &str = "select tags from archived_games where game_id = $1";

/// How many games are packed before it is looked whether the service stops.
pub const GAMES_PER_ROUND_MAX: usize = 200;

/// `games.packing`.
const PACKED: i16 = 1;
const NOT_PACKABLE: i16 = 2;

/// Why a game is not packed, or a packed one cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The log cannot be read.
    #[error(transparent)]
    Codec(#[from] codec::CodecError),
    /// The events are none that the archive knows how to pack.
    #[error(transparent)]
    Unpackable(#[from] archive::Unpackable),
    /// Packed bytes cannot be read.
    #[error(transparent)]
    Damaged(#[from] archive::Damaged),
    /// What was packed would not give back this event as it is stored.
    #[error("event {version} would not come back as it is stored")]
    Unfaithful {
        /// Its place.
        version: Version,
    },
}

/// A game as the archive keeps it.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Packed {
    events: i32,
    started: Vec<u8>,
    course: Vec<u8>,
    #[sqlx(rename = "record")]
    rule_set: Vec<u8>,
}

/// What became of one round of packing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// So many games were looked at.
    pub looked_at: usize,
    /// So many of them are packed now.
    pub packed: usize,
}

impl Packed {
    /// Packs a whole log, and proves that it comes back.
    ///
    /// # Errors
    /// When it would not.
    pub fn of(recorded: &[RecordedEvent]) -> Result<Packed, ArchiveError> {
        let record = codec::decode(recorded)?;
        let packed = Packed::of_record(&record)?;
        let again = packed.stored()?;
        for (event, back) in recorded.iter().zip(&again) {
            if (event.kind.as_str(), event.schema, &event.data) != (back.kind, back.schema, &back.data) {
                return Err(ArchiveError::Unfaithful { version: event.version });
            }
        }
        let last = recorded.last().map_or(0, |event| event.version);
        let is_whole = again.len() == recorded.len() && usize::try_from(last).ok() == Some(recorded.len());
        if is_whole { Ok(packed) } else { Err(ArchiveError::Unfaithful { version: last }) }
    }

    /// Packs a game that stands in no log.
    pub(super) fn of_record(record: &Record) -> Result<Packed, ArchiveError> {
        let events: Vec<Event> = record.entries().iter().map(|entry| entry.event.clone()).collect();
        let course = archive::pack(&events)?;
        let started = codec::encode_started(Uuid::nil(), record.facts(), record.started());
        let mut message = codec::read_started(&started.data)?;
        let rules = message.rule_set.take().unwrap_or_default();
        Ok(Packed {
            events: i32::try_from(events.len()).unwrap_or(i32::MAX),
            started: message.encode_to_vec(),
            course,
            rule_set: rules.encode_to_vec(),
        })
    }

    /// How many bytes the game's course takes, and its whole row without the shared rule set.
    pub fn sizes(&self) -> (usize, usize) {
        (self.course.len(), self.course.len() + self.started.len())
    }

    /// The game as its log had it, but for the ids of events and requests.
    pub fn record(&self) -> Result<Record, ArchiveError> {
        let mut message = codec::read_started(&self.started)?;
        let rules = pb::RuleSetRecord::decode(self.rule_set.as_slice())
            .map_err(|source| codec::CodecError::Bytes { kind: "RuleSetRecord", source })?;
        message.rule_set = Some(rules);
        let (facts, started) = codec::domain_started(&message)?;
        let events = archive::unpack(&started, &self.course)?;
        let entries = events.into_iter().zip(1..).map(|(event, version): (Event, Version)| Entry {
            version,
            event_id: None,
            cause: Cause::Service,
            event,
        });
        let entries: Vec<Entry> = entries.collect();
        Record::new(Arc::new(facts), entries).ok_or(codec::CodecError::NoStart.into())
    }

    /// Every event as the log stores it.
    fn stored(&self) -> Result<Vec<NewEvent>, ArchiveError> {
        let record = self.record()?;
        let (facts, started) = (record.facts(), record.started());
        let moves = record.entries().iter().filter_map(|entry| match &entry.event {
            Event::MovePlayed(played) => Some(*played),
            _ => None,
        });
        let story = Story { facts, started, moves: moves.collect() };
        let mut stored = Vec::with_capacity(record.entries().len());
        for entry in record.entries() {
            let event = match &entry.event {
                // The ids are no part of what is kept.
                Event::Started(started) => codec::encode_started(Uuid::nil(), facts, started),
                Event::Ended(ended) => codec::encode_ended(Uuid::nil(), &story, ended),
                event => codec::encode(None, event)?,
            };
            stored.push(event);
        }
        Ok(stored)
    }
}

/// Packs the games that ended longest ago. A game that cannot be packed stays in the live log, and is said so once.
///
/// # Errors
/// When the database does not do as asked.
pub async fn pack_ended(pool: &PgPool) -> Result<Round, sqlx::Error> {
    let limit = i64::try_from(GAMES_PER_ROUND_MAX).unwrap_or(i64::MAX);
    let games: Vec<Uuid> = sqlx::query_scalar(UNPACKED).bind(limit).fetch_all(pool).await?;
    let mut round = Round { looked_at: games.len(), packed: 0 };
    for game_id in games {
        let mut transaction = pool.begin().await?;
        let recorded = event_store::load_all(&mut transaction, game_id).await?;
        let packing = match Packed::of(&recorded) {
            Ok(packed) => {
                insert(&mut transaction, GameId(game_id), &packed, &[]).await?;
                round.packed += 1;
                PACKED
            }
            Err(error) => {
                tracing::error!(%game_id, %error, "a finished game cannot be packed and stays in the log");
                NOT_PACKABLE
            }
        };
        mark(&mut transaction, GameId(game_id), packing).await?;
        transaction.commit().await?;
    }
    Ok(round)
}

/// Answers whether the game is new to the archive.
pub(super) async fn insert(
    conn: &mut PgConnection,
    game_id: GameId,
    packed: &Packed,
    tags: &[String],
) -> Result<bool, sqlx::Error> {
    let rule_set_id: i32 =
        sqlx::query_scalar(RULE_SET_ID).bind(&packed.rule_set).fetch_one(&mut *conn).await?;
    let done = sqlx::query(PACK)
        .bind(game_id.0)
        .bind(rule_set_id)
        .bind(packed.events)
        .bind(&packed.started)
        .bind(&packed.course)
        .bind(tags)
        .execute(conn)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Says in the list of games that a game is packed.
pub(super) async fn mark_packed(conn: &mut PgConnection, game_id: GameId) -> Result<(), sqlx::Error> {
    mark(conn, game_id, PACKED).await
}

async fn mark(conn: &mut PgConnection, game_id: GameId, packing: i16) -> Result<(), sqlx::Error> {
    sqlx::query(MARK).bind(game_id.0).bind(packing).execute(conn).await.map(|_| ())
}

/// A packed game; `None` when there is none.
pub(super) async fn load(conn: &mut PgConnection, game_id: GameId) -> Result<Option<Packed>, sqlx::Error> {
    sqlx::query_as(ARCHIVED).bind(game_id.0).fetch_optional(conn).await
}

/// The tags that an imported game came with; none for any other.
///
/// # Errors
/// When the database does not do as asked.
pub async fn tags(pool: &PgPool, game_id: GameId) -> Result<Vec<(String, String)>, sqlx::Error> {
    let tags: Option<Vec<String>> = sqlx::query_scalar(TAGS).bind(game_id.0).fetch_optional(pool).await?;
    let tags = tags.unwrap_or_default();
    let pairs = tags.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone()));
    Ok(pairs.collect())
}
