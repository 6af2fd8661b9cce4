//! What a player has deposited and lost lately, for the eligibility policy.

use domain_ledger::eligibility::{DAY_MS, Usage};
use domain_ledger::{Currency, PlayerId};
use sqlx::PgExecutor;
use time::OffsetDateTime;

use crate::app::opening::OPENING_DEPOSIT;
use crate::app::{player_uuid, step_uuid};

const USAGE: &str = include_str!("queries/usage.sql");

#[derive(sqlx::FromRow)]
struct UsageRow {
    deposited_day: i64,
    deposited_week: i64,
    deposited_month: i64,
    lost_day: i64,
    at_stake: i64,
}

/// What happened to a player's money in a currency until now.
pub async fn of(
    executor: impl PgExecutor<'_>,
    player: PlayerId,
    currency: Currency,
    now: OffsetDateTime,
) -> Result<Usage, sqlx::Error> {
    let player_id = player_uuid(player);
    let days = |count: i64| now - time::Duration::milliseconds(count * DAY_MS);
    let row: UsageRow = sqlx::query_as(USAGE)
        .bind(player_id)
        .bind(currency.as_str())
        .bind(days(1))
        .bind(days(7))
        .bind(days(30))
        .bind(step_uuid(player_id, OPENING_DEPOSIT))
        .fetch_one(executor)
        .await?;
    Ok(Usage {
        deposited_day_minor: Some(row.deposited_day),
        deposited_week_minor: Some(row.deposited_week),
        deposited_month_minor: Some(row.deposited_month),
        lost_day_minor: Some(row.lost_day),
        at_stake_minor: Some(row.at_stake),
    })
}
