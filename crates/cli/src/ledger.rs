//! `stakemate ledger`: does all money add up?

use serde_json::json;
use sqlx::PgPool;
use wallet::ledger_verify;

use crate::arguments::ServiceName;
use crate::dev::state::DevState;
use crate::failure::Failure;
use crate::output::print_line;

/// Recomputes every balance from the wallet's log and prints what was read as one JSON line; the first difference is an
/// error.
pub async fn verify(state: &DevState) -> Result<(), Failure> {
    let pool = PgPool::connect(&state.service(ServiceName::Wallet).database_url).await?;
    let report = ledger_verify::verify(&pool).await;
    pool.close().await;
    let report = report?;
    print_line(&json!({
        "events": report.totals.events,
        "transfers": report.totals.transfers,
        "entries": report.totals.entries,
        "open_holds": report.totals.open_holds,
        // A sum beyond JSON's numbers would be shown as text; all that adds up is zero.
        "ledger_sum": i64::try_from(report.ledger_sum_minor())
            .map_or_else(|_| json!(report.ledger_sum_minor().to_string()), |sum| json!(sum)),
        "sealed": report.chain.position,
        // Keep it: a later check whose chain has another link at this position was run on a rewritten log.
        "chain": wallet::sealing::hex(&report.chain.link),
        "is_clean": report.is_clean(),
    }));
    match report.difference {
        None => Ok(()),
        Some(difference) => Err(Failure::Difference(difference.to_string())),
    }
}
