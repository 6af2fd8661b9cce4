//! The pool with its limits, and the migrations.

#[cfg(test)]
mod tests;

use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use sqlx::Connection;
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};

use crate::config::CommonConfig;

/// How long a start waits for Postgres to come up.
pub const START_MAX: Duration = Duration::from_secs(30);
/// How long a use case waits for a free connection.
pub const ACQUIRE_MAX: Duration = Duration::from_secs(5);
/// How long one statement may take.
pub const STATEMENT_MAX: Duration = Duration::from_secs(10);
/// How long a transaction may stand idle: one that a dropped future left open is ended by the database.
pub const IDLE_IN_TRANSACTION_MAX: Duration = Duration::from_secs(10);
/// How long a statement waits for a lock.
pub const LOCK_MAX: Duration = Duration::from_secs(5);
/// A connection that was not used for so long is closed.
const IDLE_MAX: Duration = Duration::from_secs(300);
/// A connection is closed after so long, so that a failover is noticed in the end by all.
const LIFETIME_MAX: Duration = Duration::from_secs(1800);
/// Between two tries to reach Postgres at the start.
const RETRY_EVERY: Duration = Duration::from_millis(250);
/// The advisory lock under which one process at a time migrates a database. Any fixed number does.
const MIGRATION_LOCK: i64 = 0x5374_616b_656d_6174;

/// The database cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The address is malformed. It may hold a password, so it is not shown.
    #[error("STAKEMATE_DATABASE_URL is malformed")]
    Url(#[source] sqlx::Error),
    /// Postgres did not answer within [`START_MAX`].
    #[error("postgres cannot be reached")]
    Unreachable(#[source] sqlx::Error),
    /// The tables of the event store or of the bus cannot be made.
    #[error("the tables of the log cannot be made")]
    Schema(#[source] sqlx::Error),
    /// The service's own migrations do not go through.
    #[error("a migration failed")]
    Migration(#[from] sqlx::migrate::MigrateError),
}

/// Migrates the database and opens the pool. Waits at most [`START_MAX`] for Postgres.
///
/// # Errors
/// When the address is malformed, Postgres does not answer, or a migration fails.
pub async fn open(
    config: &CommonConfig,
    service: &'static str,
    migrator: &Migrator,
) -> Result<PgPool, OpenError> {
    migrate(&config.database_url, service, migrator).await?;
    let options = connect_options(&config.database_url, service)?.options([
        ("statement_timeout", millis(STATEMENT_MAX)),
        ("idle_in_transaction_session_timeout", millis(IDLE_IN_TRANSACTION_MAX)),
        ("lock_timeout", millis(LOCK_MAX)),
    ]);
    PgPoolOptions::new()
        .max_connections(config.database_connections)
        .acquire_timeout(ACQUIRE_MAX)
        .idle_timeout(IDLE_MAX)
        .max_lifetime(LIFETIME_MAX)
        .connect_with(options)
        .await
        .map_err(OpenError::Unreachable)
}

/// Makes the tables of the event store and of the bus, then those of the service: what `stakemate-<service> migrate` does.
///
/// # Errors
/// As [`open`].
pub async fn migrate(
    url: &SecretString,
    service: &'static str,
    migrator: &Migrator,
) -> Result<(), OpenError> {
    let mut conn = connect(connect_options(url, service)?).await?;
    // One process at a time: pods of a rollout start together, and `create table if not exists` is not safe in parallel.
    sqlx::query("select pg_advisory_lock($1)")
        .bind(MIGRATION_LOCK)
        .execute(&mut conn)
        .await
        .map_err(OpenError::Schema)?;
    for schema in [event_store::schema(), event_bus::schema()] {
        sqlx::raw_sql(schema).execute(&mut conn).await.map_err(OpenError::Schema)?;
    }
    migrator.run(&mut conn).await?;
    // The lock ends with the connection.
    conn.close().await.map_err(OpenError::Schema)
}

fn connect_options(url: &SecretString, service: &'static str) -> Result<PgConnectOptions, OpenError> {
    let options: PgConnectOptions = url.expose_secret().parse().map_err(OpenError::Url)?;
    Ok(options.application_name(service))
}

async fn connect(options: PgConnectOptions) -> Result<PgConnection, OpenError> {
    let give_up = tokio::time::Instant::now() + START_MAX;
    loop {
        let error = match PgConnection::connect_with(&options).await {
            Ok(conn) => return Ok(conn),
            Err(error) => error,
        };
        if !may_come_up(&error) || tokio::time::Instant::now() >= give_up {
            return Err(OpenError::Unreachable(error));
        }
        tracing::info!(%error, "waiting for postgres");
        tokio::time::sleep(RETRY_EVERY).await;
    }
}

/// Whether waiting may help: it does not against a wrong password or name.
fn may_come_up(error: &sqlx::Error) -> bool {
    match error {
        // cannot_connect_now: starting up, or shutting down.
        sqlx::Error::Database(error) => error.code().is_some_and(|code| code == "57P03"),
        sqlx::Error::Io(_) | sqlx::Error::Protocol(_) => true,
        _ => false,
    }
}

fn millis(duration: Duration) -> String {
    duration.as_millis().to_string()
}
