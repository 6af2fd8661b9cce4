//! The logs of tables, as a port.

use std::fmt;

use domain_chess::Started;
use futures::future::BoxFuture;
use uuid::Uuid;

use super::{
    facts::{Facts, GameId, PlayerId, TableId},
    journal::{JournalError, Version},
    table::{Running, Table, TableEvent},
};

/// An event in the log of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableEntry {
    /// Its place.
    pub version: Version,
    /// Its id. For the first event of a request this is the request's fingerprint.
    pub event_id: Uuid,
    /// Whose request it was; `None` for the service's own doing.
    pub by: Option<PlayerId>,
    /// The request's id.
    pub request_id: Uuid,
    /// What happened.
    pub event: TableEvent,
}

/// Events that belong together, and what they lead to.
#[derive(Clone, Debug)]
pub struct TableAddition {
    /// The place of the log's last event as the caller knows it; 0 for a new table.
    pub expected: Version,
    /// Whose request it is; `None` for the service's own doing.
    pub by: Option<PlayerId>,
    /// The request's id.
    pub request_id: Uuid,
    /// The id of the first event; those of the others are derived from it.
    pub event_id: Uuid,
    /// What happened.
    pub events: Vec<TableEvent>,
    /// The table after it.
    pub after: Table,
    /// The game that begins, if one does.
    pub game: Option<(Facts, Box<Started>)>,
    /// When, on the service's clock.
    pub at_ms: i64,
}

/// The logs of tables, as a port. What `add` has acknowledged is on disk.
pub trait TableStore: fmt::Debug + Send + Sync + 'static {
    /// The log of a table; empty when there is none.
    fn load(&self, table_id: TableId) -> BoxFuture<'_, Result<Vec<TableEntry>, JournalError>>;
    /// The table that a host opened with this request.
    fn opened_by(
        &self,
        host: PlayerId,
        request_id: Uuid,
    ) -> BoxFuture<'_, Result<Option<TableId>, JournalError>>;
    /// How many open tables a host has.
    fn open_tables_of(&self, host: PlayerId) -> BoxFuture<'_, Result<i64, JournalError>>;
    /// Whether a game is running.
    fn runs(&self, game_id: GameId) -> BoxFuture<'_, Result<Running, JournalError>>;
    /// Open tables where nothing has happened since then and no game is running; a few of them.
    fn idle_since(&self, before_ms: i64) -> BoxFuture<'_, Result<Vec<TableId>, JournalError>>;
    /// Writes to the log, to the list of tables, and the beginning of a game if one begins, all or nothing.
    fn add(&self, addition: TableAddition) -> BoxFuture<'_, Result<Version, JournalError>>;
}
