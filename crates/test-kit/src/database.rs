//! A database per test.

use std::time::Duration;

use sqlx::postgres::PgPoolOptions;
use sqlx::{AssertSqlSafe, Connection, PgConnection, PgPool};
use uuid::Uuid;

use crate::servers::{Durability, Postgres};

/// Connections one test may hold. Two test threads times this stays far below the server's limit.
const POOL_CONNECTIONS_MAX: u32 = 20;
/// A busy machine may take long to hand out a connection; a leak of connections still shows as a failure.
const ACQUIRE_PATIENCE: Duration = Duration::from_secs(30);
/// Postgres cuts names at 63 bytes; the random part must survive.
const NAME_HINT_LENGTH_MAX: usize = 24;

/// An empty database that no other test knows.
#[derive(Debug, Clone)]
pub struct TestDatabase {
    /// Connected, and bound to the runtime of the test that asked for it.
    pub pool: PgPool,
    /// For programs and pools that connect by themselves.
    pub url: String,
}

impl Postgres {
    /// Creates an empty database whose name begins with `name_hint` (which shows in logs) and connects to it.
    /// Panics on failure: a test without a database has nothing to say.
    pub async fn database(&self, name_hint: &str) -> TestDatabase {
        let name = unique_name(name_hint);
        self.create_database(&name)
            .await
            .unwrap_or_else(|error| panic!("cannot create the test database {name}: {error}"));
        let url = self.url(&name);
        let pool = PgPoolOptions::new()
            .max_connections(POOL_CONNECTIONS_MAX)
            .acquire_timeout(ACQUIRE_PATIENCE)
            .connect(&url)
            .await
            .unwrap_or_else(|error| panic!("cannot connect to the test database {name}: {error}"));
        TestDatabase { pool, url }
    }

    /// Creates the database unless it is there already.
    pub async fn ensure_database(&self, name: &str) -> Result<(), sqlx::Error> {
        let mut connection = PgConnection::connect(&self.url("postgres")).await?;
        let exists: bool = sqlx::query_scalar("select exists (select from pg_database where datname = $1)")
            .bind(name)
            .fetch_one(&mut connection)
            .await?;
        connection.close().await?;
        if exists {
            return Ok(());
        }
        self.create_database(name).await
    }

    async fn create_database(&self, name: &str) -> Result<(), sqlx::Error> {
        // Copying files is three times as quick in memory and many times slower where every file is synced.
        let strategy = match self.durability() {
            Durability::Volatile => "file_copy",
            Durability::Durable => "wal_log",
        };
        let statement = format!(
            "create database \"{}\" template template0 strategy {strategy}",
            name.replace('"', "\"\"")
        );
        let mut connection = PgConnection::connect(&self.url("postgres")).await?;
        sqlx::query(AssertSqlSafe(statement)).execute(&mut connection).await?;
        connection.close().await
    }
}

fn unique_name(hint: &str) -> String {
    let hint: String = hint
        .chars()
        .map(|c| match c.to_ascii_lowercase() {
            c @ ('a'..='z' | '0'..='9') => c,
            _ => '_',
        })
        .take(NAME_HINT_LENGTH_MAX)
        .collect();
    format!("{hint}_{}", Uuid::new_v4().simple())
}
