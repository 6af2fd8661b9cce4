//! The log of games on Postgres.

use std::sync::Arc;

use domain_chess::{Ended, Event, Started};
use event_store::{
    Append, AppendError, CommitSignal, GroupCommit, Metadata, NewEvent, StreamId, append_in,
    fault::{self, Fault},
    fence::{self, Grant},
    load_all, load_many,
    trace::current_trace_parent,
};
use futures::future::BoxFuture;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::{SERVICE, STREAM_KIND, actor, archive, codec, codec::Story, games};
use crate::app::{
    Addition, AdditionRefused, Cause, Entry, Facts, GameId, Journal, JournalError, Record, ShardId, Version,
};

/// The log of games on Postgres. Moves go through the group commit; the end of a game, which changes the list of games
/// too, is a transaction of its own.
#[derive(Clone, Debug)]
pub struct PgJournal {
    pool: PgPool,
    writers: GroupCommit,
    signal: CommitSignal,
}

impl PgJournal {
    /// `signal` wakes the outbox relay.
    pub fn new(pool: PgPool, writers: GroupCommit, signal: CommitSignal) -> PgJournal {
        PgJournal { pool, writers, signal }
    }
}

impl Journal for PgJournal {
    fn load(&self, game_id: GameId) -> BoxFuture<'_, Result<Option<Record>, JournalError>> {
        Box::pin(async move {
            let mut conn = self.pool.acquire().await.map_err(unavailable)?;
            read(&mut conn, game_id).await
        })
    }

    fn load_many(&self, games: Vec<GameId>) -> BoxFuture<'_, Result<Vec<Record>, JournalError>> {
        Box::pin(async move {
            let ids: Vec<Uuid> = games.iter().map(|game_id| game_id.0).collect();
            let recorded = load_many(&self.pool, &ids).await.map_err(unavailable)?;
            let logs = recorded.chunk_by(|one, next| one.stream_id == next.stream_id);
            // One that cannot be read is no reason to leave the others: whoever loads it by itself says so.
            Ok(logs.filter_map(|log| codec::decode(log).ok()).collect())
        })
    }

    fn add(&self, addition: Addition) -> BoxFuture<'_, Result<Version, JournalError>> {
        let metadata = metadata(&addition);
        Box::pin(async move {
            if addition.events.iter().any(|event| matches!(event, Event::Ended(_))) {
                // In a task of its own: a transaction that has begun is finished whoever stops waiting for it.
                let ending = end_game(self.clone(), addition, metadata);
                return tokio::spawn(ending)
                    .await
                    .map_err(|error| JournalError::Unavailable(error.into()))?;
            }
            let game_id = addition.facts.game_id;
            let events = addition
                .entries()
                .map(|entry| codec::encode(entry.event_id, &entry.event))
                .collect::<Result<Vec<NewEvent>, _>>()
                .map_err(|error| damaged(game_id, error))?;
            let append = Append { stream: stream(game_id), expected: addition.expected, events, metadata };
            let written = self.writers.append_under(append, grant(&addition)).await;
            written.map_err(|error| not_added(game_id, error))
        })
    }

    fn live(&self) -> BoxFuture<'_, Result<Vec<GameId>, JournalError>> {
        Box::pin(async move { games::live(&self.pool).await.map_err(unavailable) })
    }

    fn live_in(&self, shards: Vec<ShardId>) -> BoxFuture<'_, Result<Vec<GameId>, JournalError>> {
        Box::pin(async move { games::live_in(&self.pool, &shards).await.map_err(unavailable) })
    }

    fn heads(&self, games: Vec<GameId>) -> BoxFuture<'_, Result<Vec<(GameId, Version)>, JournalError>> {
        Box::pin(async move {
            let ids: Vec<Uuid> = games.iter().map(|game_id| game_id.0).collect();
            let heads = event_store::heads(&self.pool, &ids).await.map_err(unavailable)?;
            Ok(heads.into_iter().map(|(id, head)| (GameId(id), head)).collect())
        })
    }
}

/// Writes the beginning of a game inside the caller's transaction. A game that has begun already is left as it is: the
/// answer says whether this one is new.
pub async fn create(
    conn: &mut PgConnection,
    facts: &Facts,
    started: &Started,
    metadata: Metadata,
) -> Result<bool, AppendError> {
    // Derived, so that the same beginning has the same id wherever it is made again.
    let event_id = Uuid::new_v5(&facts.game_id.0, b"started");
    let append = Append {
        stream: stream(facts.game_id),
        expected: 0,
        events: vec![codec::encode_started(event_id, facts, started)],
        metadata,
    };
    match append_in(&mut *conn, &append).await {
        Ok(_) => {}
        Err(AppendError::Conflict { .. }) => return Ok(false),
        Err(error) => return Err(error),
    }
    games::insert(conn, facts, started).await?;
    Ok(true)
}

/// The last events of a game and its row in the list, in one transaction.
async fn end_game(
    journal: PgJournal,
    addition: Addition,
    metadata: Metadata,
) -> Result<Version, JournalError> {
    let game_id = addition.facts.game_id;
    let mut transaction = journal.pool.begin().await.map_err(unavailable)?;
    if !fence::hold(&mut *transaction, grant(&addition)).await.map_err(unavailable)? {
        return Err(AdditionRefused::NotOwner.into());
    }
    let Some(record) = read(&mut transaction, game_id).await? else {
        return Err(damaged(game_id, "a game without a log ends"));
    };
    if record.version() != addition.expected {
        return Err(AdditionRefused::Conflict { actual: record.version() }.into());
    }
    let ending = Ending::of(&record, &addition)?;
    let append =
        Append { stream: stream(game_id), expected: addition.expected, events: ending.events, metadata };
    let version = append_in(&mut transaction, &append).await.map_err(|error| not_added(game_id, error))?;
    if !games::end(&mut transaction, game_id, &ending.ended, ending.plies).await.map_err(unavailable)? {
        return Err(damaged(game_id, "a game that is not live ends"));
    }
    transaction.commit().await.map_err(unavailable)?;
    journal.signal.committed();
    Ok(version)
}

/// An addition that ends its game, encoded.
struct Ending {
    events: Vec<NewEvent>,
    ended: Ended,
    plies: usize,
}

impl Ending {
    fn of(record: &Record, addition: &Addition) -> Result<Ending, JournalError> {
        let game_id = addition.facts.game_id;
        let added: Vec<Entry> = addition.entries().collect();
        let moves = record.entries().iter().chain(&added).filter_map(|entry| match &entry.event {
            Event::MovePlayed(played) => Some(*played),
            _ => None,
        });
        let started: &Started = record.started();
        let story = Story { facts: record.facts(), started, moves: moves.collect() };
        let mut end = None;
        let mut events = Vec::with_capacity(added.len());
        for entry in &added {
            events.push(match &entry.event {
                Event::Ended(ended) => {
                    end = Some(*ended);
                    codec::encode_ended(end_id(game_id, entry), &story, ended)
                }
                event => codec::encode(entry.event_id, event).map_err(|error| damaged(game_id, error))?,
            });
        }
        let ended = end.ok_or_else(|| damaged(game_id, "an end without an end"))?;
        Ok(Ending { events, ended, plies: story.moves.len() })
    }
}

/// What the bus knows the end by. That of a move has no id of the request that led to it; a game ends once.
fn end_id(game_id: GameId, end: &Entry) -> Uuid {
    end.event_id.unwrap_or_else(|| Uuid::new_v5(&game_id.0, b"ended"))
}

pub(super) async fn read(conn: &mut PgConnection, game_id: GameId) -> Result<Option<Record>, JournalError> {
    let recorded = load_all(conn, game_id.0).await.map_err(unavailable)?;
    if recorded.is_empty() {
        // Its part of the log may have been dropped after it was packed.
        let packed = archive::load(conn, game_id).await.map_err(unavailable)?;
        let record = packed.map(|packed| packed.record()).transpose();
        return record.map_err(|error| damaged(game_id, error));
    }
    codec::decode(&recorded).map(Some).map_err(|error| damaged(game_id, error))
}

/// The right under which an owner writes: that of its game's shard.
fn grant(addition: &Addition) -> Grant {
    Grant { fence: ShardId::of(addition.facts.game_id).0.into(), epoch: addition.epoch }
}

fn stream(game_id: GameId) -> StreamId {
    StreamId::new(STREAM_KIND, game_id.0)
}

/// The end of a game carries the match as its correlation and the player's id, for the services that go on from it. Events that stay in
/// the log carry the request alone and the player's side, which are fewer bytes.
fn metadata(addition: &Addition) -> Metadata {
    let facts: &Arc<Facts> = &addition.facts;
    let ends = addition.events.iter().any(|event| matches!(event, Event::Ended(_)));
    let (actor, causation_id) = match addition.cause {
        Cause::Request { by, request_id } if ends => (facts.seat(by).player_id.to_string(), request_id),
        Cause::Request { by, request_id } => (actor::side(by).to_owned(), request_id),
        Cause::Service => (SERVICE.to_owned(), addition.event_id.unwrap_or(facts.game_id.0)),
    };
    let correlation_id = facts.match_id.map(|id| id.0).filter(|_| ends).unwrap_or(causation_id);
    Metadata { correlation_id, causation_id, actor, trace_parent: current_trace_parent() }
}

pub(super) fn not_added(game_id: GameId, error: AppendError) -> JournalError {
    match error {
        AppendError::Conflict { actual, .. } => AdditionRefused::Conflict { actual }.into(),
        AppendError::Fenced => AdditionRefused::NotOwner.into(),
        AppendError::Overloaded => AdditionRefused::Overloaded.into(),
        AppendError::Invalid(error) => damaged(game_id, error),
        AppendError::Unavailable(cause) if fault::classify(&cause) == Fault::Refused => {
            JournalError::Faulty(Box::new(cause))
        }
        error @ (AppendError::Stopped | AppendError::Unavailable(_)) => {
            JournalError::Unavailable(Box::new(error))
        }
    }
}

pub(super) fn unavailable(error: sqlx::Error) -> JournalError {
    match fault::classify(&error) {
        Fault::Refused => JournalError::Faulty(Box::new(error)),
        Fault::Unreachable | Fault::Contended | Fault::Unknown => JournalError::Unavailable(Box::new(error)),
    }
}

pub(super) fn damaged(game_id: GameId, reason: impl ToString) -> JournalError {
    JournalError::Damaged { game_id, reason: reason.to_string() }
}
