//! Paying what the house owes to players who lost a stake to somebody who was found out (`WALLET-15`): when the decision is heard of, and
//! from time to time whatever could not be paid then, because the fund was too small or the match not settled yet.

use std::collections::BTreeMap;
use std::time::Duration;

use domain_ledger::{Account, Balances, Currency, MatchId, NotOwed, Refusal};
use event_bus::CommitSignal;
use event_store::{Metadata, Version};
use proto::wallet::v1::VictimRefundState;
use sqlx::{PgConnection, PgPool};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::app::match_money::{MatchMoney, Unpaid};
use crate::app::match_uuid;
use crate::store::posting::{Batch, DueError, Place, PostError};
use crate::store::victims::{Again, Owed, Standing};
use crate::store::{balances, log, victims};
use crate::{SERVICE, telemetry};

/// How often is looked for what is owed.
pub const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Pays what can be paid of what is owed, in the caller's transaction, and writes down what the rest waits for. Answers how many were paid.
///
/// # Errors
/// When the database or the log did not take it.
pub async fn pay(conn: &mut PgConnection, owed: &[Owed], metadata: &Metadata) -> Result<usize, DueError> {
    let streams: Vec<Uuid> = owed.iter().map(|one| match_uuid(one.match_id)).collect();
    log::lock_streams(conn, &streams).await?;
    let ids: Vec<_> = owed.iter().map(|one| one.match_id).collect();
    let mut matches = log::load_matches(conn, &ids).await?;
    let mut batch = Batch::new(lock_accounts(conn, owed, &matches).await?);
    let mut paid = 0;
    let mut standings = Vec::with_capacity(owed.len());
    for one in owed {
        let new = || (MatchMoney::new(one.match_id), 0);
        let (money, version) = matches.entry(one.match_id).or_insert_with(new);
        let decided = money.make_whole(batch.balances(), one.game, one.claim, one.ruling.clone());
        let standing = match decided {
            Err(unpaid) => standing_of(&unpaid, one.claim.currency),
            Ok(draft) => {
                metrics::counter!(telemetry::POSTINGS, "event" => draft.event.name()).increment(1);
                let transfer = draft.transfers.first().map(|transfer| Uuid::from_u128(transfer.id().value()));
                *money = money.evolve(&draft.event);
                let place = Place { expected: *version, metadata: metadata.clone() };
                *version += 1;
                batch.add(vec![draft], place).map_err(PostError::from)?;
                paid += 1;
                let (state, note) = (VictimRefundState::Paid, String::new());
                Standing { state, note, transfer, again: Again::Later }
            }
        };
        standings.push(standing);
    }
    batch.write(conn).await?;
    for (one, standing) in owed.iter().zip(&standings) {
        let is_news = victims::set(conn, one.ruling.case, one.game, standing).await?;
        if is_news && !standing.note.is_empty() {
            let (case_id, game_id) = (one.ruling.case, one.game.0);
            tracing::warn!(%case_id, %game_id, note = standing.note, "a victim's stake was not refunded");
        }
    }
    Ok(paid)
}

/// Locks the fund and the accounts of those to whom something is owed.
async fn lock_accounts(
    conn: &mut PgConnection,
    owed: &[Owed],
    matches: &BTreeMap<MatchId, (MatchMoney, Version)>,
) -> Result<Balances, sqlx::Error> {
    let accounts: Vec<(Account, Currency)> = owed
        .iter()
        .filter_map(|one| {
            let (money, _) = matches.get(&one.match_id)?;
            Some((money.owed(one.game, one.claim).ok()?, one.claim.currency))
        })
        .flat_map(|(restitution, currency)| restitution.accounts().map(|account| (account, currency)))
        .collect();
    balances::lock_all(conn, &accounts).await
}

/// How it stands with what was not paid.
fn standing_of(unpaid: &Unpaid, currency: Currency) -> Standing {
    let again = match unpaid {
        Unpaid::Refused(Refusal::FundTooSmall { .. }) => Again::WithFunds,
        _ => Again::Later,
    };
    let (state, note) = match unpaid {
        // By another case about the same game.
        Unpaid::MadeWhole => (VictimRefundState::Paid, String::new()),
        Unpaid::NotOwed(NotOwed::NotSettled) => {
            (VictimRefundState::Owed, "waits for the settlement of the match".to_owned())
        }
        Unpaid::Refused(Refusal::FundTooSmall { holds_minor }) => {
            let note = format!(
                "the house's fund holds only {holds_minor} minor units of {currency}: \
                 put more into it with AdjustFund, and this is paid by itself"
            );
            (VictimRefundState::Owed, note)
        }
        refused => (VictimRefundState::Refused, refused.to_string()),
    };
    Standing { state, note, transfer: None, again }
}

/// Pays what is due, at most a page of it, and answers how many were looked at and how many were paid.
///
/// # Errors
/// When the database or the log did not take it.
pub async fn pay_due(pool: &PgPool) -> Result<(usize, usize), DueError> {
    let mut tx = pool.begin().await?;
    let owed = victims::owed_due(&mut tx).await?;
    if owed.is_empty() {
        return Ok((0, 0));
    }
    let metadata = Metadata::for_request(SERVICE, Uuid::now_v7());
    let paid = pay(&mut tx, &owed, &metadata).await?;
    tx.commit().await?;
    Ok((owed.len(), paid))
}

/// Pays what is due until `shutdown`. Several instances may do so: each stake is refunded once.
pub async fn run(pool: PgPool, signal: CommitSignal, shutdown: CancellationToken) {
    let mut tick = tokio::time::interval(LOOK_EVERY);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            _ = tick.tick() => {}
        }
        match look(&pool).await {
            Ok(0) => {}
            Ok(paid) => {
                signal.committed();
                tracing::info!(paid, "victims' stakes refunded");
            }
            Err(error) => tracing::warn!(%error, "victims' stakes could not be refunded"),
        }
    }
}

async fn look(pool: &PgPool) -> Result<usize, DueError> {
    let (_, paid) = pay_due(pool).await?;
    let waiting = victims::count_owed(pool).await?;
    metrics::gauge!(telemetry::REFUNDS_OWED).set(waiting as f64);
    Ok(paid)
}
