//! The invariants of the ledger, checked all the time (`WALLET-10`). What breaks one is counted and named in the log; nobody is
//! stopped by it, because a guard that stops everybody for one broken account is worse than the account (case F22).

use std::time::Duration;

use sqlx::{PgConnection, PgPool};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::app::step_uuid;
use crate::sealing::{self, ChainDifference};
use crate::store::invariants::{self, DifferingBalance, UnbalancedCurrency};
use crate::store::seals::ChainPlace;
use crate::store::{holds, seals};
use crate::telemetry;

/// How often everything is checked.
pub const CHECK_EVERY: Duration = Duration::from_secs(60);

/// Pages of the hash chain that one check follows. The next check goes on there and begins anew at the end, so every event is
/// looked at again and again, at a bounded cost.
pub const CHAIN_PAGES_PER_CHECK: usize = 10;

/// All of one moment, and nothing changed by it; a check may take longer than a request.
const BEGIN: &str = "begin isolation level repeatable read read only";
const LIMITS: &str =
    "set local statement_timeout = '5min'; set local idle_in_transaction_session_timeout = '5min'";

/// The steps that end a hold. Once one was carried out the hold is over.
const ENDS: [&str; 3] = ["pay", "refund", "cancel"];

/// Something that must not be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Breach {
    /// Money appeared or vanished.
    #[error("entries in {} sum to {}", .0.currency, .0.sum)]
    Currency(UnbalancedCurrency),
    /// A transfer's entries do not balance.
    #[error("entries of transfer {0} do not sum to zero")]
    Transfer(Uuid),
    /// An account does not hold what its entries say.
    #[error("{}, its entries say {}", standing(.0), .0.expected)]
    Balance(DifferingBalance),
    /// A player does not have held what his open holds say.
    #[error("{}, the open holds say {}", standing(.0), .0.expected)]
    Held(DifferingBalance),
    /// What is withheld of a player's is not what his withheld prizes say.
    #[error("{}, the withheld prizes say {}", standing(.0), .0.expected)]
    Withheld(DifferingBalance),
    /// What a victim was paid is not what his statement says.
    #[error("transfer {0} to a victim is not what his statement says")]
    Restitution(Uuid),
    /// A match that is not settled exactly once.
    #[error("match {match_id} has {settlements} settlements, which its holds do not say")]
    Settlement {
        /// Which.
        match_id: Uuid,
        /// How many stand in the log.
        settlements: i64,
    },
    /// A hold that is open although its game or match has ended.
    #[error("the stakes of match {0} are still held although it has ended")]
    HoldOutlivesItsEnd(Uuid),
    /// The log was changed.
    #[error(transparent)]
    Chain(#[from] ChainDifference),
}

impl Breach {
    /// The name of what was broken, for metrics.
    #[must_use]
    pub fn check(&self) -> &'static str {
        match self {
            Self::Currency(_) => "currency",
            Self::Transfer(_) => "transfer",
            Self::Balance(_) => "balance",
            Self::Held(_) => "held",
            Self::Withheld(_) => "withheld",
            Self::Restitution(_) => "restitution",
            Self::Settlement { .. } => "settlement",
            Self::HoldOutlivesItsEnd(_) => "hold",
            Self::Chain(_) => "chain",
        }
    }
}

/// The names of all checks, so that a metric goes back to zero when a breach was mended.
pub const CHECKS: [&str; 9] =
    ["currency", "transfer", "balance", "held", "withheld", "restitution", "settlement", "hold", "chain"];

fn standing(balance: &DifferingBalance) -> String {
    let DifferingBalance { key, currency, standing_minor, .. } = balance;
    format!("account of kind {} of {} stands at {standing_minor} {currency}", key.kind, key.owner_id)
}

/// Checks everything from time to time, until `shutdown`.
pub async fn run(pool: PgPool, shutdown: CancellationToken) {
    let mut tick = tokio::time::interval(CHECK_EVERY);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut place = ChainPlace::START;
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            _ = tick.tick() => {}
        }
        match check(&pool, place).await {
            Ok((breaches, end)) => {
                place = end;
                report(&breaches);
            }
            Err(error) => tracing::warn!(%error, "the invariants could not be checked"),
        }
    }
}

fn report(breaches: &[Breach]) {
    for breach in breaches {
        tracing::error!(check = breach.check(), %breach, "the ledger does not add up");
    }
    for check in CHECKS {
        let found = breaches.iter().filter(|breach| breach.check() == check).count();
        metrics::gauge!(telemetry::BREACHES, "check" => check).set(found as f64);
    }
    metrics::counter!(telemetry::CHECKS).increment(1);
}

/// Checks everything once, the hash chain from `place` on, and answers what is broken and where the next check of the chain
/// begins.
///
/// # Errors
/// When the database does not answer.
pub async fn check(pool: &PgPool, place: ChainPlace) -> Result<(Vec<Breach>, ChainPlace), sqlx::Error> {
    let mut tx = pool.begin_with(BEGIN).await?;
    sqlx::raw_sql(LIMITS).execute(&mut *tx).await?;
    let mut breaches = Vec::new();
    breaches.extend(invariants::unbalanced_currencies(&mut tx).await?.into_iter().map(Breach::Currency));
    breaches.extend(invariants::unbalanced_transfers(&mut tx).await?.into_iter().map(Breach::Transfer));
    breaches.extend(invariants::differing_balances(&mut tx).await?.into_iter().map(Breach::Balance));
    breaches.extend(invariants::differing_held(&mut tx).await?.into_iter().map(Breach::Held));
    breaches.extend(invariants::differing_withheld(&mut tx).await?.into_iter().map(Breach::Withheld));
    let unlike = invariants::unlike_restitutions(&mut tx).await?;
    breaches.extend(unlike.into_iter().map(Breach::Restitution));
    for (match_id, settlements) in invariants::unlike_settlements(&mut tx).await? {
        breaches.push(Breach::Settlement { match_id, settlements });
    }
    breaches.extend(outliving_holds(&mut tx).await?.into_iter().map(Breach::HoldOutlivesItsEnd));
    let end = match follow_chain(&mut tx, place).await? {
        Ok(end) => end,
        Err(difference) => {
            breaches.push(difference.into());
            // The same place again, until somebody has looked at it.
            place
        }
    };
    tx.rollback().await?;
    Ok((breaches, end))
}

async fn outliving_holds(conn: &mut PgConnection) -> Result<Vec<Uuid>, sqlx::Error> {
    let mut outliving = Vec::new();
    let mut after = Uuid::nil();
    loop {
        let open = holds::open(&mut *conn, after).await?;
        let Some(last) = open.last() else { return Ok(outliving) };
        after = *last;
        let ends: Vec<(Uuid, Uuid)> = open
            .iter()
            .flat_map(|match_id| ENDS.map(|step| (step_uuid(*match_id, step), *match_id)))
            .collect();
        let ids: Vec<Uuid> = ends.iter().map(|(operation, _)| *operation).collect();
        let done = invariants::done_operations(conn, &ids).await?;
        let ended = ends.iter().filter(|(operation, _)| done.contains(operation));
        outliving.extend(ended.map(|(_, match_id)| *match_id));
        if outliving.len() >= invariants::BREACHES_MAX as usize {
            return Ok(outliving);
        }
    }
}

async fn follow_chain(
    conn: &mut PgConnection,
    from: ChainPlace,
) -> Result<Result<ChainPlace, ChainDifference>, sqlx::Error> {
    // The link that was checked last time must still be the one that stands there.
    if seals::at(&mut *conn, from.position).await? != Some(from) {
        return Ok(Err(ChainDifference::SealGone { position: from.position }));
    }
    let mut place = from;
    for _ in 0..CHAIN_PAGES_PER_CHECK {
        match sealing::check_page(conn, place).await? {
            Ok(end) if end == place => return Ok(Ok(ChainPlace::START)),
            Ok(end) => place = end,
            Err(difference) => return Ok(Err(difference)),
        }
    }
    Ok(Ok(place))
}
