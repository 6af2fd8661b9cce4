//! `ledger verify`: checks the hash chain of the log, recomputes every balance from it, compares the tables beside it, and names the
//! first difference (`WALLET-6`, `WALLET-9`).

mod tables;

use std::collections::BTreeSet;

use event_store::{LOAD_ROWS_MAX, RecordedEvent, ScanPosition};
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use crate::app::audit::{Audit, Difference as LogDifference, Totals};
use crate::app::posting::Posting;
use crate::sealing::{self, ChainDifference};
use crate::store::entries::{self, EntryRow};
use crate::store::seals::ChainPlace;
use crate::store::{balances, codec, statement};

/// All of one moment, and nothing changed by it.
const BEGIN: &str = "begin isolation level repeatable read read only";

/// A check of a large ledger takes longer than any statement or pause of a request may.
const UNLIMITED: &str = "set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0";

/// What a check has come to.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifyReport {
    /// What was read; only what was read before the difference, if there is one.
    pub totals: Totals,
    /// The end of the hash chain as far as it was checked. Whoever keeps it can see later that nothing before it was rewritten.
    pub chain: ChainPlace,
    /// The first difference; nothing when everything adds up.
    pub difference: Option<Difference>,
}

impl VerifyReport {
    /// The sum of all ledger entries of all currencies, in minor units; zero, if all is well.
    #[must_use]
    pub fn ledger_sum_minor(&self) -> i128 {
        self.totals.sums_minor.values().sum()
    }

    /// Whether everything adds up.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.difference.is_none()
    }
}

/// The first thing that does not add up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Difference {
    /// The hash chain over the log: some event is not what was written.
    #[error(transparent)]
    Chain(#[from] ChainDifference),
    /// An event cannot be read.
    #[error(transparent)]
    Unreadable(#[from] codec::CodecError),
    /// The log, or what stands on the accounts.
    #[error(transparent)]
    Log(#[from] LogDifference),
    /// The table of entries has not exactly the entries of a transfer of the log.
    #[error(
        "transfer {transfer_id}: its stored entry on account {owner_id} of kind {kind} is not that of the log"
    )]
    Entries {
        /// Whose.
        transfer_id: Uuid,
        /// On which kind of account (`stakemate.wallet.v1.AccountKind`).
        kind: i16,
        /// Of whom.
        owner_id: Uuid,
    },
    /// The table of entries has some that belong to no transfer of the log.
    #[error("{stored} entries are stored, the log has {logged}")]
    EntryCount {
        /// In the table.
        stored: i64,
        /// In the log.
        logged: u64,
    },
    /// A line of a statement is missing, is not what the log says, or belongs to nothing in it.
    #[error("transfer {transfer_id}: the line on the statement of {player_id} is not that of the log")]
    Line {
        /// Whose.
        transfer_id: Uuid,
        /// On whose statement.
        player_id: Uuid,
    },
    /// Statements have lines that belong to no transfer of the log.
    #[error("{stored} lines stand on statements, the log has {logged}")]
    LineCount {
        /// On statements.
        stored: i64,
        /// In the log.
        logged: u64,
    },
    /// What was decided about a match is not kept as the first outcome of its step, so it could be decided again.
    #[error("match {match_id}: the outcome of step {step} is not that of the log")]
    Operation {
        /// Which match.
        match_id: Uuid,
        /// Which step.
        step: String,
    },
    /// A stored balance is on no account, or in no currency, that there is.
    #[error("a stored balance of owner {owner_id} names no account")]
    NoAccount {
        /// Whose.
        owner_id: Uuid,
    },
}

/// Checks the whole ledger as it stands at one moment. Nothing is locked: players go on meanwhile.
///
/// # Errors
/// When the database does not answer. That the ledger does not add up is a report, not an error.
pub async fn verify(pool: &PgPool) -> Result<VerifyReport, sqlx::Error> {
    let mut tx = pool.begin_with(BEGIN).await?;
    sqlx::raw_sql(UNLIMITED).execute(&mut *tx).await?;
    let report = verify_in(&mut tx).await?;
    tx.rollback().await?;
    Ok(report)
}

async fn verify_in(conn: &mut PgConnection) -> Result<VerifyReport, sqlx::Error> {
    let (chain, broken) = check_chain(conn).await?;
    if let Some(difference) = broken {
        return Ok(VerifyReport { totals: Totals::default(), chain, difference: Some(difference.into()) });
    }
    let (totals, difference) = check_log(conn).await?;
    Ok(VerifyReport { totals, chain, difference })
}

/// The chain comes first: it names an event in which a single byte was changed, whatever that byte meant.
async fn check_chain(conn: &mut PgConnection) -> Result<(ChainPlace, Option<ChainDifference>), sqlx::Error> {
    let mut place = ChainPlace::START;
    loop {
        match sealing::check_page(conn, place).await? {
            Ok(end) if end == place => break,
            Ok(end) => place = end,
            Err(difference) => return Ok((place, Some(difference))),
        }
    }
    Ok((place, sealing::check_coverage(conn).await?.err()))
}

async fn check_log(conn: &mut PgConnection) -> Result<(Totals, Option<Difference>), sqlx::Error> {
    let mut audit = Audit::default();
    let mut position = ScanPosition::START;
    let mut lines = 0;
    loop {
        let events = event_store::scan(&mut *conn, position, LOAD_ROWS_MAX).await?;
        let Some(last) = events.last() else { break };
        position = ScanPosition::after(last);
        match check_page(conn, &mut audit, &events).await? {
            Ok(more) => lines += more,
            Err(difference) => return Ok((audit.totals().clone(), Some(difference))),
        }
    }
    let totals = audit.totals().clone();
    let stored = entries::count(&mut *conn).await?;
    if u64::try_from(stored) != Ok(totals.entries) {
        let logged = totals.entries;
        return Ok((totals, Some(Difference::EntryCount { stored, logged })));
    }
    let stored = statement::count(&mut *conn).await?;
    if u64::try_from(stored) != Ok(lines) {
        return Ok((totals, Some(Difference::LineCount { stored, logged: lines })));
    }
    let mut standing = Vec::new();
    for row in balances::all(&mut *conn).await? {
        match row.standing() {
            Some(balance) => standing.push(balance),
            None => {
                let owner_id = row.key.owner_id;
                return Ok((totals, Some(Difference::NoAccount { owner_id })));
            }
        }
    }
    Ok(match audit.finish(standing) {
        Ok(totals) => (totals, None),
        Err(difference) => (totals, Some(difference.into())),
    })
}

/// Checks a page of the log, and answers how many lines on statements it leads to.
async fn check_page(
    conn: &mut PgConnection,
    audit: &mut Audit,
    events: &[RecordedEvent],
) -> Result<Result<u64, Difference>, sqlx::Error> {
    let mut postings = Vec::with_capacity(events.len());
    for event in events {
        let posting = match codec::read(event) {
            Ok(posting) => posting,
            Err(unreadable) => return Ok(Err(unreadable.into())),
        };
        if let Err(difference) = audit.take(event.stream_id, event.version, &posting) {
            return Ok(Err(difference.into()));
        }
        postings.push(posting);
    }
    if let Err(difference) = check_entries(conn, &postings).await? {
        return Ok(Err(difference));
    }
    if let Err(difference) = tables::check_operations(conn, &postings).await? {
        return Ok(Err(difference));
    }
    tables::check_lines(conn, &postings).await
}

/// Compares the table of entries with the transfers of the log, entry by entry.
async fn check_entries(
    conn: &mut PgConnection,
    postings: &[Posting],
) -> Result<Result<(), Difference>, sqlx::Error> {
    let logged: BTreeSet<EntryRow> = postings
        .iter()
        .flat_map(|posting| &posting.transfers)
        .flat_map(|booked| entries::rows(&booked.transfer))
        .collect();
    let ids: BTreeSet<Uuid> = logged.iter().map(|row| row.transfer_id).collect();
    let ids: Vec<Uuid> = ids.into_iter().collect();
    let stored = entries::of_transfers(conn, &ids).await?;
    let stored: BTreeSet<EntryRow> = stored.into_iter().collect();
    Ok(match logged.symmetric_difference(&stored).next() {
        None => Ok(()),
        Some(row) => {
            let EntryRow { transfer_id, kind, owner_id, .. } = *row;
            Err(Difference::Entries { transfer_id, kind, owner_id })
        }
    })
}
