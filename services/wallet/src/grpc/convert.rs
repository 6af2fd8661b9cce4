//! From rows to messages.

use proto::types::v1::Money;
use proto::wallet::v1::{Balance, StatementLine};
use uuid::Uuid;

use crate::app::unix_ms;
use crate::store::balances::BalanceRow;
use crate::store::statement::LineRow;

pub(super) fn balance(row: BalanceRow) -> Balance {
    Balance {
        available: Some(money(row.available, &row.currency)),
        held: Some(money(row.held, &row.currency)),
        withheld: Some(money(row.withheld, &row.currency)),
    }
}

pub(super) fn line(row: LineRow) -> StatementLine {
    StatementLine {
        transfer_id: row.transfer_id.to_string(),
        kind: i32::from(row.kind),
        available_change: Some(money(row.available_change, &row.currency)),
        held_change: Some(money(row.held_change, &row.currency)),
        available_after: Some(money(row.available_after, &row.currency)),
        match_id: text(row.match_id),
        game_id: text(row.game_id),
        recorded_at_ms: unix_ms(row.recorded_at),
        fee: row.fee.map(|fee| money(fee, &row.currency)),
    }
}

fn text(id: Option<Uuid>) -> String {
    id.map(|id| id.to_string()).unwrap_or_default()
}

pub(super) fn money(minor_units: i64, currency: &str) -> Money {
    Money { minor_units, currency: currency.to_owned() }
}
