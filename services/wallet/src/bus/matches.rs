//! Matches: stakes are asked for, or the match comes to nothing.

use std::time::Duration;

use domain_ledger::MatchId;
use domain_ledger::eligibility::Policy;
use event_bus::{HandleError, Handler, Message};
use proto::matchmaking::v1::{MatchCancelled, StakesRequested};
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::parse;
use super::settle::{Task, settle};
use crate::app::match_money::Order;
use crate::app::player_uuid;
use crate::store::accounts;

/// The consumer's durable name.
pub const CONSUMER: &str = "wallet_matches";

/// How long a request for the stakes of a player without an account is kept waiting: sign-ups arrive by another stream, and
/// somebody who has just made an account must not be told that he cannot pay.
pub const ACCOUNT_PATIENCE: Duration = Duration::from_secs(30);

/// Handles the events of matches.
#[derive(Debug)]
pub struct MatchHandler {
    account_patience: Duration,
    started_at: OffsetDateTime,
    policy: Policy,
}

impl MatchHandler {
    /// Starts the patience anew: after a stop of the service the sign-ups of meanwhile come in at the same time as the matches.
    #[must_use]
    pub fn new(account_patience: Duration, started_at: OffsetDateTime) -> Self {
        Self { account_patience, started_at, policy: Policy::default() }
    }

    /// Asks this policy whether the players may play for their stakes.
    #[must_use]
    pub fn with_policy(self, policy: Policy) -> Self {
        Self { policy, ..self }
    }

    async fn stakes_requested(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        let request: StakesRequested = message.decode()?;
        let match_id = parse::match_id(&request.match_id)?;
        check_stream(match_id, message)?;
        let order = parse::hold(match_id, &request)?;
        if let Order::Hold { hold, .. } = &order {
            let mut players = vec![player_uuid(hold.white), player_uuid(hold.black)];
            players.dedup();
            self.wait_for_accounts(conn, message, &players).await?;
        }
        settle(conn, Task { match_id, order, cause: message }, &self.policy).await
    }

    async fn wait_for_accounts(
        &self,
        conn: &mut PgConnection,
        message: &Message,
        players: &[uuid::Uuid],
    ) -> Result<(), HandleError> {
        let waited = OffsetDateTime::now_utc() - message.recorded_at.max(self.started_at);
        if waited >= self.account_patience || accounts::all_exist(conn, players).await? {
            return Ok(());
        }
        Err(HandleError::Unavailable("a player has no account yet".to_owned()))
    }
}

impl Handler for MatchHandler {
    async fn handle(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        match message.kind.as_str() {
            "StakesRequested" => self.stakes_requested(conn, message).await,
            "MatchCancelled" => {
                let cancelled: MatchCancelled = message.decode()?;
                let match_id = parse::match_id(&cancelled.match_id)?;
                check_stream(match_id, message)?;
                settle(conn, Task { match_id, order: Order::Cancel, cause: message }, &self.policy).await
            }
            _ => Ok(()),
        }
    }
}

/// The match an event speaks of is that of its stream; anything else would let one match move the money of another.
fn check_stream(match_id: MatchId, message: &Message) -> Result<(), HandleError> {
    if match_id.value() == message.stream_id.as_u128() {
        return Ok(());
    }
    Err(HandleError::Permanent("the event speaks of another match than its stream's".to_owned()))
}
