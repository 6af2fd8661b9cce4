//! One server of each kind per test binary, started when the first test asks.
//!
//! The servers live in statics, which are never dropped; the guard shell stops them when the test binary ends.

use std::sync::OnceLock;

use crate::scratch::{self, Medium};
use crate::servers::{self, Durability, LaunchError, Nats, Postgres, Redis};

/// All tests of a binary share the server, each with databases of its own.
const CONNECTIONS_MAX: u16 = 300;

/// The test binary's Postgres: in memory, nothing synced.
pub async fn postgres() -> &'static Postgres {
    static SERVER: OnceLock<Postgres> = OnceLock::new();
    shared(&SERVER, || launch_postgres(Durability::Volatile)).await
}

/// The test binary's other Postgres: on disk, every commit synced. For tests and figures about durability.
pub async fn durable_postgres() -> &'static Postgres {
    static SERVER: OnceLock<Postgres> = OnceLock::new();
    shared(&SERVER, || launch_postgres(Durability::Durable)).await
}

/// The test binary's NATS with JetStream. Tests that share it name their streams apart.
pub async fn nats() -> &'static Nats {
    static SERVER: OnceLock<Nats> = OnceLock::new();
    shared(&SERVER, launch_nats).await
}

/// The test binary's Redis (or Valkey). Tests that share it name their keys apart.
pub async fn redis() -> &'static Redis {
    static SERVER: OnceLock<Redis> = OnceLock::new();
    shared(&SERVER, launch_redis).await
}

/// A Postgres of the test's own, to be crashed and started again.
pub async fn own_postgres(durability: Durability) -> Postgres {
    own(move || launch_postgres(durability)).await
}

/// A NATS of the test's own, to be stopped, emptied and started again.
pub async fn own_nats() -> Nats {
    own(launch_nats).await
}

/// A Redis of the test's own, to be stopped and started again.
pub async fn own_redis() -> Redis {
    own(launch_redis).await
}

async fn shared<S: Send + Sync + 'static>(
    cell: &'static OnceLock<S>,
    launch: fn() -> Result<S, LaunchError>,
) -> &'static S {
    // A cell of the standard library, not of the runtime: every test brings a runtime of its own.
    own(move || Ok(cell.get_or_init(|| expect_launched(launch())))).await
}

async fn own<S: Send + 'static>(launch: impl FnOnce() -> Result<S, LaunchError> + Send + 'static) -> S {
    let launched = tokio::task::spawn_blocking(launch)
        .await
        .expect("launching a server does not panic without a message of its own");
    expect_launched(launched)
}

fn expect_launched<S>(launched: Result<S, LaunchError>) -> S {
    launched.unwrap_or_else(|error| panic!("{error}"))
}

fn launch_postgres(durability: Durability) -> Result<Postgres, LaunchError> {
    let medium = match durability {
        Durability::Volatile => Medium::Memory,
        Durability::Durable => Medium::Disk,
    };
    Postgres::launch(servers::PostgresSettings {
        programs: servers::find::postgres()?,
        folder: new_folder(medium, "postgres")?,
        durability,
        connections_max: CONNECTIONS_MAX,
    })
}

fn launch_nats() -> Result<Nats, LaunchError> {
    Nats::launch(servers::NatsSettings {
        program: servers::find::nats()?,
        folder: new_folder(Medium::Memory, "nats")?,
        port: None,
    })
}

fn launch_redis() -> Result<Redis, LaunchError> {
    Redis::launch(servers::RedisSettings {
        program: servers::find::redis()?,
        folder: new_folder(Medium::Memory, "redis")?,
    })
}

fn new_folder(medium: Medium, name: &str) -> Result<std::path::PathBuf, LaunchError> {
    scratch::folder(medium, name)
        .map_err(|source| LaunchError::Io { action: format!("make a scratch folder for {name}"), source })
}
