//! The double-entry table.

use domain_ledger::Transfer;
use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

use super::AccountKey;
use crate::app::posting::Posting;

const INSERT: &str = include_str!("queries/insert_entries.sql");
const OF_TRANSFERS: &str = include_str!("queries/entries_of_transfers.sql");
const COUNT: &str = "select count(*) from entries";

/// An entry as it stands in the table.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, sqlx::FromRow)]
pub struct EntryRow {
    /// Whose entry.
    pub transfer_id: Uuid,
    /// See [`AccountKey`].
    pub kind: i16,
    /// See [`AccountKey`].
    pub owner_id: Uuid,
    /// The code.
    pub currency: String,
    /// In minor units.
    pub change: i64,
}

/// The rows of a transfer.
pub fn rows(transfer: &Transfer) -> impl Iterator<Item = EntryRow> + '_ {
    transfer.entries().iter().map(|entry| {
        let key = AccountKey::from(entry.account);
        EntryRow {
            transfer_id: Uuid::from_u128(transfer.id().value()),
            kind: key.kind,
            owner_id: key.owner_id,
            currency: transfer.currency().as_str().to_owned(),
            change: entry.minor_signed,
        }
    })
}

/// Writes the entries of postings. A transfer id that is there already is an error of the database: nothing is booked twice.
pub async fn insert(conn: &mut PgConnection, postings: &[Posting]) -> Result<(), sqlx::Error> {
    let transfers = postings.iter().flat_map(|posting| &posting.transfers);
    let rows: Vec<EntryRow> = transfers.flat_map(|booked| rows(&booked.transfer)).collect();
    if rows.is_empty() {
        return Ok(());
    }
    let (mut transfers, mut kinds, mut owners) = (Vec::new(), Vec::new(), Vec::new());
    let (mut currencies, mut changes) = (Vec::new(), Vec::new());
    for row in rows {
        transfers.push(row.transfer_id);
        kinds.push(row.kind);
        owners.push(row.owner_id);
        currencies.push(row.currency);
        changes.push(row.change);
    }
    sqlx::query(INSERT)
        .bind(transfers)
        .bind(kinds)
        .bind(owners)
        .bind(currencies)
        .bind(changes)
        .execute(conn)
        .await?;
    Ok(())
}

/// The stored entries of some transfers, in a fixed order.
pub async fn of_transfers(
    executor: impl PgExecutor<'_>,
    transfer_ids: &[Uuid],
) -> Result<Vec<EntryRow>, sqlx::Error> {
    sqlx::query_as(OF_TRANSFERS).bind(transfer_ids).fetch_all(executor).await
}

/// How many entries there are in all.
pub async fn count(executor: impl PgExecutor<'_>) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar(COUNT).fetch_one(executor).await
}
