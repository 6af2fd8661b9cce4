//! Writing decisions: events, entries, holds, balances and statements in one go.

use domain_ledger::{Balances, Unbookable};
use event_store::{Append, AppendError, Metadata, Version};
use sqlx::PgConnection;

use super::log::LoadError;
use super::{accounts, balances, entries, holds, log, prizes, statement};
use crate::app::player_uuid;
use crate::app::posting::{Draft, Posting, WalletEvent, book};
use crate::app::statement::{Line, lines};

/// Why a decision was not written. The transaction is lost then.
#[derive(Debug, thiserror::Error)]
pub enum PostError {
    /// The database did not do it.
    #[error(transparent)]
    Store(#[from] sqlx::Error),
    /// The log did not take it.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// The balances do not allow what was decided on them: our bug.
    #[error("decided, but not bookable: {0}")]
    Unbookable(#[from] Unbookable),
    /// Balances of players without a row: our bug.
    #[error("{expected} balances to write, {written} rows found")]
    RowsMissing {
        /// How many there should be.
        expected: u64,
        /// How many there are.
        written: u64,
    },
}

/// Why what was due, to prizes or to victims, was not done. The transaction is lost then.
#[derive(Debug, thiserror::Error)]
pub enum DueError {
    /// The log could not be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The decisions could not be written.
    #[error(transparent)]
    Post(#[from] PostError),
    /// The database did not answer.
    #[error(transparent)]
    Store(#[from] sqlx::Error),
}

/// Where a decision goes.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// The version that the stream has now.
    pub expected: Version,
    /// Who caused it.
    pub metadata: Metadata,
}

/// Decisions on several streams that are written together, each made on the balances that the ones before it have left.
#[derive(Debug)]
pub struct Batch {
    /// As they stand in the rows.
    locked: Balances,
    balances: Balances,
    appends: Vec<Append>,
    postings: Vec<Posting>,
    lines: Vec<Line>,
}

impl Batch {
    /// Nothing yet, on locked balances.
    #[must_use]
    pub fn new(locked: Balances) -> Self {
        let balances = locked.clone();
        Self { locked, balances, appends: Vec::new(), postings: Vec::new(), lines: Vec::new() }
    }

    /// What stands on the accounts now: what the next decision is made on.
    #[must_use]
    pub fn balances(&self) -> &Balances {
        &self.balances
    }

    /// Adds decisions on one stream.
    ///
    /// # Errors
    /// When the balances do not allow them; then nothing of the batch can be written any more.
    pub fn add(&mut self, drafts: Vec<Draft>, place: Place) -> Result<(), Unbookable> {
        let first = self.postings.len();
        for draft in drafts {
            let posting = book(draft, &mut self.balances)?;
            self.lines.extend(lines(&posting, &self.balances));
            self.postings.push(posting);
        }
        self.appends.extend(log::append_of(place.expected, &self.postings[first..], place.metadata));
        Ok(())
    }

    /// Writes everything inside the caller's transaction (`WALLET-1`).
    ///
    /// # Errors
    /// When the database or the log did not take it.
    pub async fn write(self, conn: &mut PgConnection) -> Result<Vec<Posting>, PostError> {
        log::append_all(conn, &self.appends).await?;
        entries::insert(conn, &self.postings).await?;
        holds::write(conn, &self.postings).await?;
        prizes::write(conn, &self.postings).await?;
        for posting in &self.postings {
            if let WalletEvent::AccountOpened { player, name } = &posting.event {
                accounts::insert(conn, player_uuid(*player), name).await?;
            }
        }
        if self.postings.iter().any(|posting| !posting.transfers.is_empty()) {
            balances::write_changed(conn, &self.locked, &self.balances).await?;
            statement::insert(conn, &self.lines).await?;
        }
        Ok(self.postings)
    }
}

/// Writes decisions on one stream, made on `locked` balances, inside the caller's transaction.
///
/// # Errors
/// As [`Batch::add`] and [`Batch::write`].
pub async fn post(
    conn: &mut PgConnection,
    drafts: Vec<Draft>,
    locked: Balances,
    place: Place,
) -> Result<Vec<Posting>, PostError> {
    let mut batch = Batch::new(locked);
    batch.add(drafts, place)?;
    batch.write(conn).await
}
