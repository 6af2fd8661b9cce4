//! What must be true of the tables at any moment, as questions to the database. Each answers what breaks it, at most
//! [`BREACHES_MAX`]: one broken account must not hide the next, nor fill the log.

use sqlx::PgConnection;
use uuid::Uuid;

use super::AccountKey;

const CURRENCIES: &str = include_str!("queries/unbalanced_currencies.sql");
const TRANSFERS: &str = include_str!("queries/unbalanced_transfers.sql");
const BALANCES: &str = include_str!("queries/differing_balances.sql");
const HELD: &str = include_str!("queries/differing_held.sql");
const WITHHELD: &str = include_str!("queries/differing_withheld.sql");
const SETTLEMENTS: &str = include_str!("queries/unlike_settlements.sql");
const RESTITUTIONS: &str = include_str!("queries/unlike_restitutions.sql");
const DONE: &str = "select id from operations where id = any ($1::uuid[]) and outcome = 1";

/// The most breaches of one kind that are read at once.
pub const BREACHES_MAX: i64 = 20;

/// Entries that do not sum to zero.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct UnbalancedCurrency {
    /// Of which currency.
    pub currency: String,
    /// What they sum to, in minor units; it may be more than 64 bits hold.
    pub sum: String,
}

/// A balance that is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DifferingBalance {
    /// Whose.
    pub key: AccountKey,
    /// In which currency.
    pub currency: String,
    /// What stands there, in minor units.
    pub standing_minor: i64,
    /// What it should be, in minor units; it may be more than 64 bits hold.
    pub expected: String,
}

type DifferingRow = (i16, Uuid, String, i64, String);

/// Currencies whose entries do not sum to zero.
pub async fn unbalanced_currencies(conn: &mut PgConnection) -> Result<Vec<UnbalancedCurrency>, sqlx::Error> {
    sqlx::query_as(CURRENCIES).bind(BREACHES_MAX).fetch_all(conn).await
}

/// Transfers whose entries do not sum to zero.
pub async fn unbalanced_transfers(conn: &mut PgConnection) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar(TRANSFERS).bind(BREACHES_MAX).fetch_all(conn).await
}

/// Balances that are not the sum of their entries.
pub async fn differing_balances(conn: &mut PgConnection) -> Result<Vec<DifferingBalance>, sqlx::Error> {
    let rows: Vec<DifferingRow> = sqlx::query_as(BALANCES).bind(BREACHES_MAX).fetch_all(conn).await?;
    Ok(rows.into_iter().map(differing).collect())
}

/// Held balances that are not the sum of the open holds.
pub async fn differing_held(conn: &mut PgConnection) -> Result<Vec<DifferingBalance>, sqlx::Error> {
    let rows: Vec<DifferingRow> = sqlx::query_as(HELD).bind(BREACHES_MAX).fetch_all(conn).await?;
    Ok(rows.into_iter().map(differing).collect())
}

/// Withheld balances that are not the sum of the prizes that are withheld.
pub async fn differing_withheld(conn: &mut PgConnection) -> Result<Vec<DifferingBalance>, sqlx::Error> {
    let rows: Vec<DifferingRow> = sqlx::query_as(WITHHELD).bind(BREACHES_MAX).fetch_all(conn).await?;
    Ok(rows.into_iter().map(differing).collect())
}

/// Matches that were settled more than once, or whose holds do not say what the log says; with the settlements in the log.
pub async fn unlike_settlements(conn: &mut PgConnection) -> Result<Vec<(Uuid, i64)>, sqlx::Error> {
    sqlx::query_as(SETTLEMENTS).bind(BREACHES_MAX).fetch_all(conn).await
}

/// Transfers to victims that are not what their statements say.
pub async fn unlike_restitutions(conn: &mut PgConnection) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar(RESTITUTIONS).bind(BREACHES_MAX).fetch_all(conn).await
}

/// Which of these operations were done.
pub async fn done_operations(conn: &mut PgConnection, ids: &[Uuid]) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar(DONE).bind(ids).fetch_all(conn).await
}

fn differing(row: DifferingRow) -> DifferingBalance {
    let (kind, owner_id, currency, standing_minor, expected) = row;
    DifferingBalance { key: AccountKey { kind, owner_id }, currency, standing_minor, expected }
}
