//! Players: whoever signs up has an account.

use domain_ledger::Balances;
use event_bus::{HandleError, Handler, Message};
use event_store::Metadata;
use proto::gateway::v1::PlayerRegistered;
use sqlx::PgConnection;

use super::parse;
use crate::app::opening::{OpeningDeposit, open_account, opening_deposit};
use crate::app::player_uuid;
use crate::store::posting::{Place, post};
use crate::store::{balances, log};
use crate::{SERVICE, telemetry};

/// The consumer's durable name.
pub const CONSUMER: &str = "wallet_players";

/// Handles the events of players.
#[derive(Debug)]
pub struct PlayerHandler {
    opening_deposit: Option<OpeningDeposit>,
}

impl PlayerHandler {
    /// With the play money that every new account is given, in development only (`WALLET-7`).
    #[must_use]
    pub fn new(opening_deposit: Option<OpeningDeposit>) -> Self {
        Self { opening_deposit }
    }

    async fn registered(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        let registered: PlayerRegistered = message.decode()?;
        let player = parse::player("player_id", &registered.player_id)?;
        let stream_id = player_uuid(player);
        log::lock_streams(conn, &[stream_id]).await?;
        if event_store::head(&mut *conn, stream_id).await? > 0 {
            return Ok(());
        }
        let mut drafts = vec![open_account(player, registered.name)];
        let mut locked = Balances::new();
        if let Some(deposit) = self.opening_deposit {
            locked = balances::lock_player(conn, player, deposit.currency).await?;
            let draft = opening_deposit(player, deposit, &locked)
                .map_err(|refusal| HandleError::Permanent(refusal.to_string()))?;
            drafts.push(draft);
        }
        let place = Place { expected: 0, metadata: Metadata::caused_by(message, SERVICE) };
        post(conn, drafts, locked, place).await?;
        metrics::counter!(telemetry::POSTINGS, "event" => "account_opened").increment(1);
        Ok(())
    }
}

impl Handler for PlayerHandler {
    async fn handle(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        match message.kind.as_str() {
            "PlayerRegistered" => self.registered(conn, message).await,
            _ => Ok(()),
        }
    }
}
