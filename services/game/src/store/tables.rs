//! The logs of tables and the list of them on Postgres.

use domain_chess::Standing;
use event_store::{
    Append, CommitSignal, Metadata, NewEvent, StreamId, append_in, load_all, trace::current_trace_parent,
};
use futures::future::BoxFuture;
use prost::Message as _;
use proto::game::v1 as pb;
use sqlx::{PgConnection, PgPool};
use tokio::sync::watch;
use uuid::Uuid;

use super::{
    SERVICE,
    journal::{self, damaged, unavailable},
    table_codec,
};
use crate::{
    app::{
        AdditionRefused, GameId, JournalError, PlayerId, Running, Table, TableAddition, TableEntry, TableId,
        TableStore, Version,
    },
    wire,
};

const WRITE: &str = include_str!("queries/write_table.sql");
const LIST: &str = include_str!("queries/list_tables.sql");
const IDLE: &str = include_str!("queries/idle_tables.sql");

/// The kind of a table's stream in the log.
const STREAM_KIND: &str = "table";
/// How many idle tables are closed at a time.
const IDLE_ROWS_MAX: i64 = 100;

/// The logs of tables on Postgres.
#[derive(Clone, Debug)]
pub struct PgTables {
    pool: PgPool,
    signal: CommitSignal,
    /// Counts what was written here, to wake whoever follows tables.
    written: watch::Sender<u64>,
}

impl PgTables {
    /// `signal` wakes the outbox relay: a game that begins is told to the others.
    pub fn new(pool: PgPool, signal: CommitSignal) -> PgTables {
        PgTables { pool, signal, written: watch::Sender::new(0) }
    }

    /// Changes whenever a table was written by this process.
    pub fn written(&self) -> watch::Receiver<u64> {
        self.written.subscribe()
    }
}

impl TableStore for PgTables {
    fn load(&self, table_id: TableId) -> BoxFuture<'_, Result<Vec<TableEntry>, JournalError>> {
        Box::pin(async move {
            let mut conn = self.pool.acquire().await.map_err(unavailable)?;
            let recorded = load_all(&mut conn, table_id.0).await.map_err(unavailable)?;
            // The id may be that of another stream, such as a game's.
            if !recorded.first().is_some_and(|first| first.kind.starts_with("Table")) {
                return Ok(Vec::new());
            }
            let entries: Result<Vec<TableEntry>, _> = recorded.iter().map(table_codec::decode).collect();
            entries.map_err(|error| damaged(GameId(table_id.0), error))
        })
    }

    fn opened_by(
        &self,
        host: PlayerId,
        request_id: Uuid,
    ) -> BoxFuture<'_, Result<Option<TableId>, JournalError>> {
        Box::pin(async move {
            sqlx::query_scalar("select table_id from tables where host_id = $1 and open_request_id = $2")
                .bind(host.0)
                .bind(request_id)
                .fetch_optional(&self.pool)
                .await
                .map(|found| found.map(TableId))
                .map_err(unavailable)
        })
    }

    fn open_tables_of(&self, host: PlayerId) -> BoxFuture<'_, Result<i64, JournalError>> {
        Box::pin(async move {
            sqlx::query_scalar("select count(*) from tables where host_id = $1 and is_open")
                .bind(host.0)
                .fetch_one(&self.pool)
                .await
                .map_err(unavailable)
        })
    }

    fn runs(&self, game_id: GameId) -> BoxFuture<'_, Result<Running, JournalError>> {
        Box::pin(async move {
            let status: Option<i16> = sqlx::query_scalar("select status from games where game_id = $1")
                .bind(game_id.0)
                .fetch_optional(&self.pool)
                .await
                .map_err(unavailable)?;
            Ok(if status == Some(pb::GameStatus::Live as i16) { Running::Yes } else { Running::No })
        })
    }

    fn idle_since(&self, before_ms: i64) -> BoxFuture<'_, Result<Vec<TableId>, JournalError>> {
        Box::pin(async move {
            let ids: Vec<Uuid> = sqlx::query_scalar(IDLE)
                .bind(before_ms)
                .bind(IDLE_ROWS_MAX)
                .fetch_all(&self.pool)
                .await
                .map_err(unavailable)?;
            Ok(ids.into_iter().map(TableId).collect())
        })
    }

    fn add(&self, addition: TableAddition) -> BoxFuture<'_, Result<Version, JournalError>> {
        Box::pin(async move {
            // In a task of its own: a transaction that has begun is finished whoever stops waiting for it.
            let (tables, trace_parent) = (self.clone(), current_trace_parent());
            tokio::spawn(async move { tables.write(addition, trace_parent).await })
                .await
                .map_err(|error| JournalError::Unavailable(error.into()))?
        })
    }
}

impl PgTables {
    async fn write(
        &self,
        addition: TableAddition,
        trace_parent: Option<String>,
    ) -> Result<Version, JournalError> {
        let table_id = addition.after.table_id();
        let metadata = Metadata {
            correlation_id: addition.request_id,
            causation_id: addition.request_id,
            actor: addition.by.map_or_else(|| SERVICE.to_owned(), |player_id| player_id.to_string()),
            trace_parent,
        };
        let mut transaction = self.pool.begin().await.map_err(unavailable)?;
        let append = Append {
            stream: StreamId::new(STREAM_KIND, table_id.0),
            expected: addition.expected,
            events: encoded(&addition),
            metadata: metadata.clone(),
        };
        let not_added = |error| journal::not_added(GameId(table_id.0), error);
        let version = append_in(&mut transaction, &append).await.map_err(not_added)?;
        if let Some((facts, started)) = &addition.game {
            journal::create(&mut transaction, facts, started, metadata).await.map_err(not_added)?;
        }
        project(&mut transaction, &addition, version).await?;
        transaction.commit().await.map_err(unavailable)?;
        self.signal.committed();
        self.written.send_modify(|count| *count += 1);
        Ok(version)
    }
}

fn encoded(addition: &TableAddition) -> Vec<NewEvent> {
    let id_at = |index: usize| match index {
        0 => addition.event_id,
        _ => Uuid::new_v5(&addition.event_id, &index.to_be_bytes()),
    };
    let events = addition.events.iter().enumerate();
    events.map(|(index, event)| table_codec::encode(id_at(index), event)).collect()
}

async fn project(
    conn: &mut PgConnection,
    addition: &TableAddition,
    version: Version,
) -> Result<(), JournalError> {
    let table = &addition.after;
    let view = view(table, version, Running::No);
    let written = sqlx::query(WRITE)
        .bind(table.table_id().0)
        .bind(table.host().player_id.0)
        .bind(addition.request_id)
        .bind(table.game_id().map(|game_id| game_id.0))
        .bind(version)
        .bind(table.opened_at_ms())
        .bind(addition.at_ms)
        .bind(i16::try_from(table.sitters().len()).unwrap_or(2))
        .bind(view.visibility() == pb::TableVisibility::Public)
        .bind(!table.is_closed())
        .bind(view.encode_to_vec())
        .execute(conn)
        .await;
    match written {
        Ok(_) => Ok(()),
        // Opened by the same request a moment ago.
        Err(error) if error.as_database_error().is_some_and(|error| error.is_unique_violation()) => {
            Err(AdditionRefused::Conflict { actual: 0 }.into())
        }
        Err(error) => Err(unavailable(error)),
    }
}

/// A table as clients see it.
pub fn view(table: &Table, version: Version, game: Running) -> pb::Table {
    let status = match (table.is_closed(), table.sitters().len(), game) {
        (true, _, _) => pb::TableStatus::Closed,
        (false, ..2, _) => pb::TableStatus::Waiting,
        (false, _, Running::Yes) => pb::TableStatus::Playing,
        (false, _, Running::No) => pb::TableStatus::BetweenGames,
    };
    let terms = table.terms();
    pb::Table {
        table_id: table.table_id().to_string(),
        host: Some(wire::player(table.host())),
        rule_set: terms.rule_set.name.clone(),
        time_control: terms.time_control.map(wire::time_control),
        visibility: table_codec::visibility(terms.visibility) as i32,
        seats: table.sitters().iter().map(table_codec::seat).collect(),
        status: status as i32,
        game_id: table.game_id().map_or_else(String::new, |game_id| game_id.to_string()),
        rated: table.standing() == Standing::Rated,
        games: table.games(),
        rematch_offer_by: table.offer_by().map_or_else(String::new, |player_id| player_id.to_string()),
        opened_at_ms: table.opened_at_ms(),
        version: u64::try_from(version).unwrap_or(0),
    }
}

/// A page of open tables that is asked for.
#[derive(Clone, Copy, Debug)]
pub struct ListTables {
    /// Also those by link.
    pub reach: Reach,
    /// Only those that stand so.
    pub status: Option<pb::TableStatus>,
    /// Only those after this place.
    pub after: (i64, Uuid),
    /// At most so many.
    pub rows_max: u32,
}

/// Which tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Public ones.
    Public,
    /// Those by link too.
    All,
}

/// A table in a list, and its place there.
#[derive(Clone, Debug)]
pub struct TableRow {
    /// The place.
    pub place: (i64, Uuid),
    /// The table.
    pub table: pb::Table,
}

/// Reads a page of open tables, newest first.
pub async fn list_tables(pool: &PgPool, list: ListTables) -> Result<Vec<TableRow>, sqlx::Error> {
    let rows: Vec<(Uuid, i64, Vec<u8>, i16)> = sqlx::query_as(LIST)
        .bind(list.reach == Reach::Public)
        .bind(list.status.map(|status| status as i16))
        .bind(list.after.0)
        .bind(list.after.1)
        .bind(i64::from(list.rows_max))
        .fetch_all(pool)
        .await?;
    rows.into_iter()
        .map(|(table_id, opened_at_ms, view, status)| {
            let mut table = pb::Table::decode(view.as_slice()).map_err(|source| {
                sqlx::Error::ColumnDecode { index: "view".to_owned(), source: source.into() }
            })?;
            table.status = status.into();
            Ok(TableRow { place: (opened_at_ms, table_id), table })
        })
        .collect()
}
