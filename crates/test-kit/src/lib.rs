//! Private Postgres, NATS and Redis for tests, and the launching code that `stakemate dev` shares with them.
//!
//! A test asks for a server and gets it; nobody starts anything by hand and nothing touches the machine's own
//! servers or standard ports:
//!
//! ```no_run
//! # async fn example() -> Result<(), sqlx::Error> {
//! let database = test_kit::postgres().await.database("wallet").await;
//! let bus_url = &test_kit::nats().await.url();
//! # let _ = bus_url;
//! sqlx::query("select 1").execute(&database.pool).await?;
//! # Ok(()) }
//! ```
//!
//! # Map
//! * [`servers`]: finds the server programs, launches them as direct children, stops them. Synchronous, no runtime.
//! * [`shared`]: one lazily started server of each kind per test binary, and own ones for tests that break them.
//! * [`database`]: a database per test.
//! * [`scratch`]: folders in memory or on disk that vanish with the process.
//! * [`eventually`]: bounded polling, the only wait a test may use.
//!
//! # Invariants
//! * KIT-1 No server outlives the process that launched it, however that process ends; a guard shell sees to it.
//! * KIT-2 Folders of a dead run are removed by its guard, or at the latest by the next run.
//! * KIT-3 No test sees another test's database.
//! * KIT-4 Nothing listens on a fixed port; Postgres and Redis answer on Unix sockets only.
//!
//! # Deliberately absent
//! Containers, and servers that are shared between test binaries: they would need a clean-up that somebody can forget.

pub mod database;
mod eventually;
pub mod scratch;
pub mod servers;
pub mod shared;

pub use database::TestDatabase;
pub use eventually::eventually;
pub use servers::{Durability, Nats, Postgres, Redis};
pub use shared::{durable_postgres, nats, own_nats, own_postgres, own_redis, postgres, redis};
