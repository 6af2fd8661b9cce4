//! Debits, credits and balances of all accounts of a kind.

use domain_ledger::Currency;
use sqlx::PgExecutor;

const BY_KIND: &str = include_str!("queries/totals_by_kind.sql");

const FEES: &str = "select coalesce(sum(change), 0)::bigint from entries where kind = 4 and currency = $1";

/// All accounts of a kind in a currency. Amounts are minor units.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct TotalRow {
    /// The code.
    pub currency: String,
    /// `stakemate.wallet.v1.AccountKind`.
    pub kind: i16,
    /// How many accounts.
    pub accounts: i64,
    /// How many entries on them.
    pub entries: i64,
    /// What went out; zero or more.
    pub debit: i64,
    /// What came in; zero or more.
    pub credit: i64,
    /// Credits less debits.
    pub balance: i64,
}

/// What the house has earned in a currency and not taken out, in minor units. It reads every entry, so it is for rare occasions.
///
/// # Errors
/// When the database does not answer in time.
pub async fn fees(executor: impl PgExecutor<'_>, currency: Currency) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar(FEES).bind(currency.as_str()).fetch_one(executor).await
}

/// The totals, by currency and kind, of one moment.
///
/// # Errors
/// When the database does not answer in time.
pub async fn by_kind(executor: impl PgExecutor<'_>) -> Result<Vec<TotalRow>, sqlx::Error> {
    sqlx::query_as(BY_KIND).fetch_all(executor).await
}
