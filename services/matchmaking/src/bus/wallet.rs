//! Whether the stakes are held: the answer to `StakesRequested`. And what the players can stake.

use event_bus::{HandleError, Handler, Message};
use proto::wallet::v1::{
    AccountKind, LedgerTransfer, MoneyAdjusted, MoneyDeposited, MoneyWithdrawn, PotPaid, PrizeReleased,
    PrizeWithheld, RefusalReason, StakesHeld, StakesRefunded, StakesRefused, TransferReversed,
    VictimRefunded,
};
use sqlx::PgConnection;

use super::{advance, id};
use crate::app::match_process::{Input, StakesRefusal};
use crate::app::queue::Queue;
use crate::store::players::{self, BalanceNow};

/// Consumes the wallet's match streams.
#[derive(Debug)]
pub struct WalletEvents {
    /// Told of matches that took a step.
    pub queue: Queue,
}

/// Consumes the wallet's account streams.
#[derive(Debug)]
pub struct AccountEvents;

impl Handler for WalletEvents {
    async fn handle(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        match message.kind.as_str() {
            "StakesHeld" => {
                let event: StakesHeld = message.decode()?;
                put_balances(conn, message, &event.transfers).await?;
                advance(conn, message, message.stream_id, Input::StakesHeld).await?;
            }
            "StakesRefused" => {
                let event: StakesRefused = message.decode()?;
                let cause = match event.reason() {
                    RefusalReason::InsufficientFunds => StakesRefusal::InsufficientFunds,
                    _ => StakesRefusal::Other,
                };
                let player =
                    if event.player_id.is_empty() { None } else { Some(id("player_id", &event.player_id)?) };
                advance(conn, message, message.stream_id, Input::StakesRefused { player, cause }).await?;
            }
            "PotPaid" => put_balances(conn, message, &message.decode::<PotPaid>()?.transfers).await?,
            "PrizeWithheld" => {
                put_balances(conn, message, &message.decode::<PrizeWithheld>()?.transfers).await?;
            }
            "PrizeReleased" => {
                put_balances(conn, message, &message.decode::<PrizeReleased>()?.transfers).await?;
            }
            "VictimRefunded" => {
                put_balances(conn, message, &message.decode::<VictimRefunded>()?.transfers).await?;
            }
            "StakesRefunded" => {
                put_balances(conn, message, &message.decode::<StakesRefunded>()?.transfers).await?;
            }
            _ => {}
        }
        Ok(())
    }

    fn committed(&self, message: &Message) {
        if matches!(message.kind.as_str(), "StakesHeld" | "StakesRefused") {
            self.queue.match_changed_soon(message.stream_id);
        }
    }
}

impl Handler for AccountEvents {
    async fn handle(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        let transfer = match message.kind.as_str() {
            "MoneyDeposited" => message.decode::<MoneyDeposited>()?.transfer,
            "MoneyWithdrawn" => message.decode::<MoneyWithdrawn>()?.transfer,
            "MoneyAdjusted" => message.decode::<MoneyAdjusted>()?.transfer,
            "TransferReversed" => message.decode::<TransferReversed>()?.transfer,
            _ => None,
        };
        put_balances(conn, message, transfer.as_slice()).await
    }
}

async fn put_balances(
    conn: &mut PgConnection,
    message: &Message,
    transfers: &[LedgerTransfer],
) -> Result<(), HandleError> {
    let mut balances = Vec::new();
    for transfer in transfers {
        for entry in &transfer.entries {
            if let (AccountKind::Available, Some(available)) =
                (entry.account(), entry.balance_after_minor_units)
            {
                let player_id = id("owner_id", &entry.owner_id)?;
                let currency = transfer.currency.as_str();
                balances.push(BalanceNow { player_id, currency, available, as_of: message.recorded_at });
            }
        }
    }
    // Rows are taken in the order of their ids, so that two matches of one pair cannot wait for each other in a circle. The
    // sort is stable: of two entries of one player the later counts.
    balances.sort_by_key(|balance| balance.player_id);
    for balance in balances {
        players::put_balance(&mut *conn, balance).await?;
    }
    Ok(())
}
