//! Gives up matches whose step under way was not answered in time.

use std::time::Duration;

use event_store::{CommitSignal, Metadata};
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::app::advance::{AdvanceError, Advanced, advance};
use crate::app::match_process::Input;
use crate::app::queue::Queue;
use crate::store::matches;

/// How often the due rows are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How many matches are given up in one look.
const BATCH_MAX: i64 = 100;

/// Runs until `shutdown`. Several instances may run it: each step is taken once.
pub async fn run(pool: PgPool, queue: Queue, signal: CommitSignal, shutdown: CancellationToken) {
    let mut ticks = tokio::time::interval(LOOK_EVERY);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            _ = ticks.tick() => {}
        }
        match matches::overdue(&pool, BATCH_MAX).await {
            Ok(due) => {
                for match_id in due {
                    give_up(&pool, &queue, &signal, match_id).await;
                }
            }
            Err(error) => tracing::warn!(%error, "overdue matches could not be read"),
        }
    }
}

async fn give_up(pool: &PgPool, queue: &Queue, signal: &CommitSignal, match_id: Uuid) {
    let metadata = Metadata {
        correlation_id: match_id,
        causation_id: match_id,
        actor: "matchmaking".to_owned(),
        trace_parent: event_store::trace::current_trace_parent(),
    };
    match advance(pool, match_id, Input::TimedOut, metadata).await {
        Ok(Advanced::Took(_)) => {
            signal.committed();
            queue.match_changed(match_id).await;
            tracing::warn!(%match_id, "match given up: a step was not answered in time");
        }
        Ok(Advanced::Nothing) | Err(AdvanceError::Early) => {}
        Err(error) => tracing::warn!(%match_id, %error, "match could not be given up"),
    }
}
