//! Writing a decision: event, entries, balances and statement in one go.

use domain_ledger::{Balances, Unbookable};
use event_store::{AppendError, Metadata, Version};
use sqlx::PgConnection;

use super::{accounts, balances, entries, log, statement};
use crate::app::player_uuid;
use crate::app::posting::{Draft, Posting, WalletEvent, book};
use crate::app::statement::lines;

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

/// Where a decision goes.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// The version that the stream has now.
    pub expected: Version,
    /// Who caused it.
    pub metadata: Metadata,
}

/// Writes decisions on one stream, made on `locked` balances, inside the caller's transaction.
pub async fn post(
    conn: &mut PgConnection,
    drafts: Vec<Draft>,
    mut locked: Balances,
    place: Place,
) -> Result<Vec<Posting>, PostError> {
    let mut postings = Vec::with_capacity(drafts.len());
    let mut statement_lines = Vec::new();
    for draft in drafts {
        let posting = book(draft, &mut locked)?;
        statement_lines.extend(lines(&posting, &locked));
        postings.push(posting);
    }
    log::append(conn, place.expected, &postings, place.metadata).await?;
    let mut moves_money = false;
    for posting in &postings {
        moves_money |= !posting.transfers.is_empty();
        entries::insert(conn, posting).await?;
        if let WalletEvent::AccountOpened { player, name } = &posting.event {
            accounts::insert(conn, player_uuid(*player), name).await?;
        }
    }
    if moves_money {
        balances::write(conn, &locked).await?;
        statement::insert(conn, &statement_lines).await?;
    }
    Ok(postings)
}
