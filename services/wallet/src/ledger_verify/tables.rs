//! The tables that are kept beside the log, compared with it: what players read on their statements, and what came of orders first.

use std::collections::{BTreeMap, HashSet};

use domain_ledger::{Account, Balances, RefundReason};
use sqlx::PgConnection;
use uuid::Uuid;

use super::Difference;
use crate::app::posting::{Posting, StakesRefusal, WalletEvent};
use crate::app::statement::{Line, lines};
use crate::app::{match_uuid, player_uuid, step_uuid};
use crate::store::operations::{self, OperationOutcome};
use crate::store::statement::{self, StoredLine};

/// Compares the lines of statements with the postings of a page, line by line, and answers how many the page has.
pub(super) async fn check_lines(
    conn: &mut PgConnection,
    postings: &[Posting],
) -> Result<Result<u64, Difference>, sqlx::Error> {
    let logged: Vec<(Line, bool)> = postings.iter().flat_map(lines_of).collect();
    let transfers: Vec<Uuid> =
        logged.iter().map(|(line, _)| Uuid::from_u128(line.transfer.value())).collect();
    let stored = statement::of_transfers(conn, &transfers).await?;
    let mut stored: BTreeMap<(Uuid, Uuid), StoredLine> =
        stored.into_iter().map(|line| ((line.transfer_id, line.player_id), line)).collect();
    for (line, knows_after) in &logged {
        let (transfer_id, player_id) = (Uuid::from_u128(line.transfer.value()), player_uuid(line.player));
        let mut expected = StoredLine::of(line);
        let found = stored.remove(&(transfer_id, player_id));
        if let (Some(found), false) = (&found, knows_after) {
            // A line that leaves what is available alone does not say in the log what stood there.
            expected.available_after = found.available_after;
        }
        if found != Some(expected) {
            return Ok(Err(Difference::Line { transfer_id, player_id }));
        }
    }
    let more = stored.into_keys().next();
    Ok(match more {
        Some((transfer_id, player_id)) => Err(Difference::Line { transfer_id, player_id }),
        None => Ok(logged.len() as u64),
    })
}

/// The lines of a posting, each with whether its balance afterwards stands in the log.
fn lines_of(posting: &Posting) -> Vec<(Line, bool)> {
    let mut after = Balances::new();
    let mut known = HashSet::new();
    for booked in &posting.transfers {
        let entries = booked.transfer.entries().iter().zip(&booked.after_minor);
        for (entry, after_minor) in entries {
            if let (Account::Available(player), Some(minor)) = (entry.account, after_minor) {
                after.load(entry.account, booked.transfer.currency(), *minor);
                known.insert(player);
            }
        }
    }
    let lines = lines(posting, &after).into_iter();
    lines
        .map(|line| {
            let is_known = known.contains(&line.player);
            (line, is_known)
        })
        .collect()
}

/// What was decided about matches stands among the first outcomes, so that it can never be decided again.
pub(super) async fn check_operations(
    conn: &mut PgConnection,
    postings: &[Posting],
) -> Result<Result<(), Difference>, sqlx::Error> {
    let decided: Vec<(Uuid, &str, OperationOutcome)> =
        postings.iter().filter_map(|posting| outcome_of(&posting.event)).collect();
    let ids: Vec<Uuid> = decided.iter().map(|(match_id, step, _)| step_uuid(*match_id, step)).collect();
    let stored = operations::find_all(conn, &ids).await?;
    for ((match_id, step, outcome), id) in decided.iter().zip(&ids) {
        if stored.get(id).map(|first| first.outcome) != Some(*outcome) {
            return Ok(Err(Difference::Operation { match_id: *match_id, step: (*step).to_owned() }));
        }
    }
    Ok(Ok(()))
}

fn outcome_of(event: &WalletEvent) -> Option<(Uuid, &'static str, OperationOutcome)> {
    let (match_id, step, outcome) = match event {
        WalletEvent::StakesHeld { hold, .. } => (hold.match_id, "hold", OperationOutcome::Done),
        WalletEvent::StakesRefused { match_id, refusal: StakesRefusal::MatchCancelled } => {
            (*match_id, "cancel", OperationOutcome::Refused)
        }
        WalletEvent::StakesRefused { match_id, .. } => (*match_id, "hold", OperationOutcome::Refused),
        WalletEvent::PotPaid { match_id, .. } => (*match_id, "pay", OperationOutcome::Done),
        WalletEvent::StakesRefunded { match_id, reason: RefundReason::Cancelled, .. } => {
            (*match_id, "cancel", OperationOutcome::Done)
        }
        WalletEvent::StakesRefunded { match_id, .. } => (*match_id, "refund", OperationOutcome::Done),
        _ => return None,
    };
    Some((match_uuid(match_id), step, outcome))
}
