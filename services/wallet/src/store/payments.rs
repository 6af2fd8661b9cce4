//! Payments, what providers have told, adjustments that wait, and what was reversed.

use domain_ledger::{Amount, Currency, Entry, PlayerId, Transfer, TransferId, TransferKind, TransferParts};
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

use super::entries;
use crate::app::account::Sum;
use crate::app::payments::Payment;
use crate::app::player_uuid;
use crate::store::AccountKey;

const INSERT_PAYMENT: &str =
    "insert into payments (payment_id, player_id, amount, currency) values ($1, $2, $3, $4)";
const LOCK_PAYMENT: &str =
    "select player_id, amount, currency, state from payments where payment_id = $1 for update";
const SET_PAYMENT: &str = "update payments set state = $2 where payment_id = $1";
const NOTE_EVENT: &str =
    "insert into provider_events (provider, event_id) values ($1, $2) on conflict do nothing";
const INSERT_ADJUSTMENT: &str = "insert into adjustments
    (adjustment_id, player_id, amount, currency, reason, proposed_by) values ($1, $2, $3, $4, $5, $6)";
const LOCK_ADJUSTMENT: &str =
    "select adjustment_id, player_id, amount, currency, reason, proposed_by, proposed_at, state
    from adjustments where adjustment_id = $1 for update";
const SET_ADJUSTMENT: &str = "update adjustments set state = $2 where adjustment_id = $1";
const ADJUSTMENTS: &str =
    "select adjustment_id, player_id, amount, currency, reason, proposed_by, proposed_at, state
    from adjustments where state = 1 and (proposed_at, adjustment_id) > ($1, $2)
    order by proposed_at, adjustment_id limit $3";
const NOTE_REVERSAL: &str =
    "insert into reversals (transfer_id, reversal_id) values ($1, $2) on conflict do nothing";
const TRANSFER: &str = "select kind, currency from statement_lines where transfer_id = $1 and player_id = $2";

/// How a payment stands. The numbers are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaymentState {
    /// The provider has not told.
    Pending = 1,
    /// The money is here.
    Settled = 2,
    /// It failed.
    Failed = 3,
}

/// Notes a new payment.
pub async fn insert(conn: &mut PgConnection, payment: &Payment) -> Result<(), sqlx::Error> {
    let Sum { player, amount, currency } = payment.sum;
    sqlx::query(INSERT_PAYMENT)
        .bind(payment.id)
        .bind(player_uuid(player))
        .bind(amount.minor())
        .bind(currency.as_str())
        .execute(conn)
        .await?;
    Ok(())
}

/// A payment and how it stands, locked until the end of the transaction.
pub async fn lock(conn: &mut PgConnection, id: Uuid) -> Result<Option<(Payment, PaymentState)>, sqlx::Error> {
    let row: Option<(Uuid, i64, String, i16)> =
        sqlx::query_as(LOCK_PAYMENT).bind(id).fetch_optional(conn).await?;
    let Some((player_id, minor, code, state)) = row else { return Ok(None) };
    let state = match state {
        1 => PaymentState::Pending,
        2 => PaymentState::Settled,
        _ => PaymentState::Failed,
    };
    let (Ok(amount), Ok(currency)) = (Amount::new(minor), Currency::parse(&code)) else {
        return Err(sqlx::Error::Protocol("a stored payment is no sum of money".to_owned()));
    };
    let sum = Sum { player: PlayerId::new(player_id.as_u128()), amount, currency };
    Ok(Some((Payment { id, sum }, state)))
}

/// Notes how a payment stands now.
pub async fn set_state(conn: &mut PgConnection, id: Uuid, state: PaymentState) -> Result<(), sqlx::Error> {
    sqlx::query(SET_PAYMENT).bind(id).bind(state as i16).execute(conn).await?;
    Ok(())
}

/// Notes what a provider has told; false if it was told before. A second one that is told at the same time waits for the first.
pub async fn note_provider_event(
    conn: &mut PgConnection,
    provider: &str,
    event_id: &str,
) -> Result<bool, sqlx::Error> {
    let noted = sqlx::query(NOTE_EVENT).bind(provider).bind(event_id).execute(conn).await?;
    Ok(noted.rows_affected() == 1)
}

/// An adjustment that waits, or waited.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct AdjustmentRow {
    /// Its id.
    pub adjustment_id: Uuid,
    /// Whose money.
    pub player_id: Uuid,
    /// In minor units; negative to take it off.
    pub amount: i64,
    /// The code.
    pub currency: String,
    /// Why.
    pub reason: String,
    /// Who asked for it.
    pub proposed_by: Uuid,
    /// When.
    pub proposed_at: OffsetDateTime,
    /// `stakemate.wallet.v1.AdjustmentState`.
    pub state: i16,
}

/// What is asked for in an adjustment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAdjustment {
    /// Its id.
    pub id: Uuid,
    /// Whose money.
    pub player: PlayerId,
    /// In minor units; negative to take it off.
    pub minor_signed: i64,
    /// In which currency.
    pub currency: Currency,
    /// Why.
    pub reason: String,
    /// Who asked for it.
    pub proposed_by: Uuid,
}

/// Notes an adjustment that waits for a second person.
pub async fn insert_adjustment(
    conn: &mut PgConnection,
    adjustment: &NewAdjustment,
) -> Result<(), sqlx::Error> {
    sqlx::query(INSERT_ADJUSTMENT)
        .bind(adjustment.id)
        .bind(player_uuid(adjustment.player))
        .bind(adjustment.minor_signed)
        .bind(adjustment.currency.as_str())
        .bind(&adjustment.reason)
        .bind(adjustment.proposed_by)
        .execute(conn)
        .await?;
    Ok(())
}

/// An adjustment, locked until the end of the transaction.
pub async fn lock_adjustment(
    conn: &mut PgConnection,
    id: Uuid,
) -> Result<Option<AdjustmentRow>, sqlx::Error> {
    sqlx::query_as(LOCK_ADJUSTMENT).bind(id).fetch_optional(conn).await
}

/// Notes how an adjustment stands now.
pub async fn set_adjustment(conn: &mut PgConnection, id: Uuid, state: i16) -> Result<(), sqlx::Error> {
    sqlx::query(SET_ADJUSTMENT).bind(id).bind(state).execute(conn).await?;
    Ok(())
}

/// Adjustments that wait, oldest first, behind a place.
pub async fn proposed(
    executor: impl PgExecutor<'_>,
    after: (OffsetDateTime, Uuid),
    limit: i64,
) -> Result<Vec<AdjustmentRow>, sqlx::Error> {
    sqlx::query_as(ADJUSTMENTS).bind(after.0).bind(after.1).bind(limit).fetch_all(executor).await
}

/// Notes that a transfer is reversed; false if it was before.
pub async fn note_reversal(
    conn: &mut PgConnection,
    transfer_id: Uuid,
    reversal_id: Uuid,
) -> Result<bool, sqlx::Error> {
    let noted = sqlx::query(NOTE_REVERSAL).bind(transfer_id).bind(reversal_id).execute(conn).await?;
    Ok(noted.rows_affected() == 1)
}

/// What a player's transfer is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Booked {
    /// He has no such transfer.
    Unknown,
    /// It moved the money of a match, or undid something.
    NotReversible,
    /// A movement of his own money.
    Movement(Transfer),
}

/// A transfer of a player's, to be reversed.
pub async fn find_movement(
    conn: &mut PgConnection,
    player: PlayerId,
    transfer_id: Uuid,
) -> Result<Booked, sqlx::Error> {
    let line: Option<(i16, String)> = sqlx::query_as(TRANSFER)
        .bind(transfer_id)
        .bind(player_uuid(player))
        .fetch_optional(&mut *conn)
        .await?;
    let kind = match line {
        None => return Ok(Booked::Unknown),
        Some((1, _)) => TransferKind::Deposit,
        Some((6, _)) => TransferKind::Withdrawal,
        Some((7, _)) => TransferKind::Adjustment,
        Some(_) => return Ok(Booked::NotReversible),
    };
    let broken = |what: &str| sqlx::Error::Protocol(format!("transfer {transfer_id}: {what}"));
    let code = line.map(|(_, code)| code).unwrap_or_default();
    let currency = Currency::parse(&code).map_err(|_| broken("no currency"))?;
    let mut rows = entries::of_transfers(&mut *conn, &[transfer_id]).await?;
    // In the order in which such a transfer is made: what goes out comes first.
    rows.sort_by_key(|row| row.change);
    let stored: Option<Vec<Entry>> = rows
        .iter()
        .map(|row| {
            let key = AccountKey { kind: row.kind, owner_id: row.owner_id };
            Some(Entry { account: key.account()?, minor_signed: row.change })
        })
        .collect();
    let parts = TransferParts {
        id: TransferId::new(transfer_id.as_u128()),
        kind,
        currency,
        entries: stored.ok_or_else(|| broken("an entry on no account"))?,
    };
    Transfer::new(parts).map(Booked::Movement).map_err(|error| broken(&error.to_string()))
}
