//! Keeps a claim while its job runs.

use std::time::Duration;

use sqlx::PgPool;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::store::jobs::{self, Claim};

/// Signs of life in the time of a claim.
const EXTENSIONS_PER_CLAIM: u32 = 3;

/// Extends a claim until it is dropped. A task of its own, so that a slow database does not hold up the reading of an
/// engine's output.
pub struct ClaimKeeper {
    lost: CancellationToken,
    _stop: DropGuard,
}

impl ClaimKeeper {
    /// Begins with the claim just taken.
    #[must_use]
    pub fn start(pool: PgPool, claim: Claim, claim_time: Duration) -> Self {
        let (lost, stop) = (CancellationToken::new(), CancellationToken::new());
        tokio::spawn(keep(pool, claim, claim_time, lost.clone(), stop.clone()));
        Self { lost, _stop: stop.drop_guard() }
    }

    /// Resolves when somebody else has taken the job: what is being done is done in vain.
    pub async fn lost(&self) {
        self.lost.cancelled().await;
    }
}

async fn keep(
    pool: PgPool,
    claim: Claim,
    claim_time: Duration,
    lost: CancellationToken,
    stop: CancellationToken,
) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(claim_time / EXTENSIONS_PER_CLAIM) => {}
        }
        match jobs::extend(&pool, &claim, claim_time).await {
            Ok(true) => {}
            Ok(false) => {
                lost.cancel();
                return;
            }
            // The claim may still hold; whether it does is decided when the job is finished.
            Err(error) => tracing::warn!(%error, "a claim could not be extended"),
        }
    }
}
