//! The running balances of players.

use domain_ledger::{Account, Balances, Currency, PlayerId};
use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

use super::AccountKey;
use super::posting::PostError;
use crate::app::player_uuid;
use crate::app::posting::keeps_balance;

const ENSURE: &str = include_str!("queries/ensure_balances.sql");
const ENSURE_WITHHELD: &str = include_str!("queries/ensure_withheld.sql");
const ENSURE_FUND: &str = "insert into balances (kind, owner_id, currency, amount)
    values (7, '00000000-0000-0000-0000-000000000000', $1, 0) on conflict do nothing";
const LOCK: &str = include_str!("queries/lock_balances.sql");
const WRITE: &str = include_str!("queries/write_balances.sql");
const LIST: &str = include_str!("queries/list_balances.sql");
const ALL: &str = "select kind, owner_id, currency, amount from balances";

/// The most currencies one player is shown; nobody has as many.
pub const CURRENCIES_MAX: i64 = 100;

/// Makes the rows of a player's two accounts in a currency, with nothing on them. A deposit is the only way by which a
/// player comes to a currency, so everything else finds the rows and can lock them.
async fn ensure(conn: &mut PgConnection, player: PlayerId, currency: Currency) -> Result<(), sqlx::Error> {
    sqlx::query(ENSURE).bind(player_uuid(player)).bind(currency.as_str()).execute(conn).await?;
    Ok(())
}

/// Makes the rows on which the prizes of some players are withheld, with nothing on them.
pub async fn ensure_withheld(
    conn: &mut PgConnection,
    accounts: &[(PlayerId, Currency)],
) -> Result<(), sqlx::Error> {
    if accounts.is_empty() {
        return Ok(());
    }
    let owners: Vec<Uuid> = accounts.iter().map(|(player, _)| player_uuid(*player)).collect();
    let currencies: Vec<&str> = accounts.iter().map(|(_, currency)| currency.as_str()).collect();
    sqlx::query(ENSURE_WITHHELD).bind(owners).bind(currencies).execute(conn).await?;
    Ok(())
}

/// Makes the row of the house's fund in a currency, with nothing in it.
pub async fn ensure_fund(conn: &mut PgConnection, currency: Currency) -> Result<(), sqlx::Error> {
    sqlx::query(ENSURE_FUND).bind(currency.as_str()).execute(conn).await?;
    Ok(())
}

/// Locks the rows of these accounts until the end of the transaction and answers what stands there. The rows are locked in
/// the order of the key, whoever asks, so two transactions never wait for each other crosswise (`WALLET-5`).
pub async fn lock_all(
    conn: &mut PgConnection,
    accounts: &[(Account, Currency)],
) -> Result<Balances, sqlx::Error> {
    let mut balances = Balances::new();
    if accounts.is_empty() {
        return Ok(balances);
    }
    let (mut kinds, mut owners, mut currencies) = (Vec::new(), Vec::new(), Vec::new());
    for (account, currency) in accounts {
        let key = AccountKey::from(*account);
        kinds.push(key.kind);
        owners.push(key.owner_id);
        currencies.push(currency.as_str());
    }
    let rows: Vec<(i16, Uuid, String, i64)> =
        sqlx::query_as(LOCK).bind(kinds).bind(owners).bind(currencies).fetch_all(conn).await?;
    for (kind, owner_id, currency, amount_minor) in rows {
        let stored = StoredBalance { key: AccountKey { kind, owner_id }, currency, amount_minor };
        if let Some((account, currency, amount_minor)) = stored.standing() {
            balances.load(account, currency, amount_minor);
        }
    }
    Ok(balances)
}

/// Locks a player's accounts in a currency, the first two made if they are missing: a deposit is how a player comes to them.
pub async fn lock_player(
    conn: &mut PgConnection,
    player: PlayerId,
    currency: Currency,
) -> Result<Balances, sqlx::Error> {
    ensure(conn, player, currency).await?;
    let accounts = [Account::Available(player), Account::Held(player), Account::Withheld(player)];
    lock_all(conn, &accounts.map(|account| (account, currency))).await
}

/// Writes what stands on the accounts of players and in the fund now, where that is not what their rows say. The rows must be `locked`; one that is missing
/// is a bug.
pub async fn write_changed(
    conn: &mut PgConnection,
    locked: &Balances,
    now: &Balances,
) -> Result<(), PostError> {
    let (mut kinds, mut owners) = (Vec::new(), Vec::new());
    let (mut currencies, mut amounts) = (Vec::new(), Vec::new());
    for (account, currency, amount) in now.iter() {
        // A pot comes and goes within the transaction.
        let has_row = keeps_balance(account) && !matches!(account, Account::Pot(_));
        if !has_row || locked.of(account, currency) == amount {
            continue;
        }
        let key = AccountKey::from(account);
        kinds.push(key.kind);
        owners.push(key.owner_id);
        currencies.push(currency.as_str().to_owned());
        amounts.push(amount);
    }
    let expected = amounts.len() as u64;
    let written = sqlx::query(WRITE)
        .bind(kinds)
        .bind(owners)
        .bind(currencies)
        .bind(amounts)
        .execute(conn)
        .await?
        .rows_affected();
    if written == expected { Ok(()) } else { Err(PostError::RowsMissing { expected, written }) }
}

/// A player's balances, one a currency.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct BalanceRow {
    /// The code.
    pub currency: String,
    /// In minor units.
    pub available: i64,
    /// In minor units.
    pub held: i64,
    /// In minor units.
    pub withheld: i64,
}

/// All balances of a player, by currency.
pub async fn list(executor: impl PgExecutor<'_>, player_id: Uuid) -> Result<Vec<BalanceRow>, sqlx::Error> {
    sqlx::query_as(LIST).bind(player_id).bind(CURRENCIES_MAX).fetch_all(executor).await
}

/// A stored balance as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredBalance {
    /// The account.
    pub key: AccountKey,
    /// The code.
    pub currency: String,
    /// In minor units.
    pub amount_minor: i64,
}

impl StoredBalance {
    /// The balance in the ledger's words, if it can be said in them.
    #[must_use]
    pub fn standing(&self) -> Option<(Account, Currency, i64)> {
        let account = self.key.account()?;
        let currency = Currency::parse(&self.currency).ok()?;
        Some((account, currency, self.amount_minor))
    }
}

/// Every balance there is: as many rows as players, for the check of the whole ledger.
pub async fn all(executor: impl PgExecutor<'_>) -> Result<Vec<StoredBalance>, sqlx::Error> {
    let rows: Vec<(i16, Uuid, String, i64)> = sqlx::query_as(ALL).fetch_all(executor).await?;
    let stored = rows.into_iter().map(|(kind, owner_id, currency, amount_minor)| StoredBalance {
        key: AccountKey { kind, owner_id },
        currency,
        amount_minor,
    });
    Ok(stored.collect())
}
