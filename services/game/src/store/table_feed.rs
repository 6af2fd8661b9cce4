//! What those who follow tables are told: the open tables, read again when one was written here or at another instance that
//! said so, and every second besides for what was not heard and for the ends of games.

use std::{sync::Arc, time::Duration};

use proto::game::v1 as pb;
use sqlx::PgPool;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::tables::{ListTables, PgTables, Reach, list_tables};

/// How many open tables are followed, the newest first.
pub const TABLES_FOLLOWED_MAX: u32 = 2_000;
/// How late a change is seen that was not made by this process.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The open tables as last read.
pub type OpenTables = Arc<Vec<pb::Table>>;

/// Keeps `open` up to date until `shutdown` is cancelled. `elsewhere` changes when another instance has written a table. A database that is away leaves it as it is.
pub async fn follow(
    pool: PgPool,
    tables: PgTables,
    open: watch::Sender<OpenTables>,
    mut elsewhere: watch::Receiver<u64>,
    shutdown: CancellationToken,
) {
    let mut written = tables.written();
    let list = ListTables {
        reach: Reach::All,
        status: None,
        after: (i64::MAX, Uuid::max()),
        rows_max: TABLES_FOLLOWED_MAX,
    };
    loop {
        match list_tables(&pool, list).await {
            Ok(rows) => {
                let found: Vec<pb::Table> = rows.into_iter().map(|row| row.table).collect();
                open.send_if_modified(|open| {
                    let changed = **open != found;
                    if changed {
                        *open = Arc::new(found);
                    }
                    changed
                });
            }
            Err(error) => tracing::warn!(%error, "the open tables could not be read"),
        }
        tokio::select! {
            () = shutdown.cancelled() => return,
            changed = written.changed() => {
                if changed.is_err() {
                    return;
                }
            }
            changed = elsewhere.changed() => {
                if changed.is_err() {
                    return;
                }
            }
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
}
