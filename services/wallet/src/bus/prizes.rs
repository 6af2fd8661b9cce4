//! Fair play's holds over the prizes of players (`WALLET-14`). Nothing that was paid before is touched.

use event_bus::{HandleError, Handler, Message};
use event_store::Metadata;
use proto::fairplay::v1::{PrizeHoldPlaced, PrizeHoldReleased};
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::parse;
use crate::SERVICE;
use crate::prizes::release_hold;
use crate::store::prizes;

/// The consumer's durable name.
pub const CONSUMER: &str = "wallet_prizes";

/// No prize is withheld for longer, whatever a hold says: 72 hours.
pub const HOLD_MS_MAX: i64 = 72 * 3_600_000;

/// Handles fair play's events of players.
#[derive(Debug, Default)]
pub struct PrizeHandler;

impl Handler for PrizeHandler {
    async fn handle(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        match message.kind.as_str() {
            "PrizeHoldPlaced" => {
                let placed: PrizeHoldPlaced = message.decode()?;
                let until_ms = placed.until_ms.min(placed.placed_at_ms.saturating_add(HOLD_MS_MAX));
                let until_at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(until_ms) * 1_000_000)
                    .map_err(|_| HandleError::Permanent("until_ms is no time".to_owned()))?;
                let hold_id = parse::uuid("hold_id", &placed.hold_id)?;
                let player = parse::player("player_id", &placed.player_id)?;
                prizes::place(conn, hold_id, player, until_at).await?;
            }
            "PrizeHoldReleased" => {
                let released: PrizeHoldReleased = message.decode()?;
                let hold_id = parse::uuid("hold_id", &released.hold_id)?;
                prizes::end(&mut *conn, hold_id).await?;
                release_hold(conn, hold_id, &Metadata::caused_by(message, SERVICE)).await?;
            }
            _ => {}
        }
        Ok(())
    }
}
