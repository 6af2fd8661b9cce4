//! Fair play's decisions of cases: what the house makes good, and what it does not any more (`WALLET-15`).

use domain_ledger::{Amount, Claim, Currency, MatchId, PlayerId, RestitutionPolicy};
use event_bus::{HandleError, Handler, Message};
use event_store::Metadata;
use proto::fairplay::v1::{CaseDecided, CaseDecision, LostStake};
use proto::wallet::v1::VictimRefundState;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::parse;
use crate::SERVICE;
use crate::app::posting::Ruling;
use crate::store::victims::{self, Loss};
use crate::victims::pay;

/// The consumer's durable name.
pub const CONSUMER: &str = "wallet_cases";

/// Handles fair play's events of players, as far as they are decisions of cases. It is a consumer of its own, so that a decision that
/// cannot be read does not keep prizes from being withheld or released.
#[derive(Debug, Default)]
pub struct CaseHandler {
    /// What the house makes good.
    pub policy: RestitutionPolicy,
}

impl Handler for CaseHandler {
    async fn handle(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        if message.kind != "CaseDecided" {
            return Ok(());
        }
        let event: CaseDecided = message.decode()?;
        let ruling = Ruling {
            case: parse::uuid("case_id", &event.case_id)?,
            decided_by: parse::uuid("decided_by", &event.decided_by)?,
            reason: event.reason.clone(),
        };
        let decided_at =
            OffsetDateTime::from_unix_timestamp_nanos(i128::from(event.decided_at_ms) * 1_000_000)
                .map_err(|_| HandleError::Permanent("decided_at_ms is no time".to_owned()))?;
        match event.decision() {
            CaseDecision::Unspecified => {}
            // What was paid stays with the victims: it was not their mistake.
            CaseDecision::Cleared => victims::withdraw(conn, &ruling, decided_at).await?,
            CaseDecision::Confirmed => {
                let winner = parse::player("player_id", &event.player_id)?;
                let losses: Result<Vec<Loss>, HandleError> =
                    event.lost_stakes.iter().map(|lost| self.loss(winner, lost)).collect();
                victims::note(conn, winner, (&ruling, decided_at), &losses?).await?;
                let owed = victims::owed_of_case(conn, ruling.case).await?;
                pay(conn, &owed, &Metadata::caused_by(message, SERVICE)).await?;
            }
        }
        Ok(())
    }
}

impl CaseHandler {
    fn loss(&self, winner: PlayerId, lost: &LostStake) -> Result<Loss, HandleError> {
        let malformed = |what: &str| HandleError::Permanent(format!("lost_stakes: {what}"));
        let stake = lost.stake.as_ref().ok_or_else(|| malformed("a stake is missing"))?;
        let claim = Claim {
            victim: parse::player("lost_stakes.player_id", &lost.player_id)?,
            winner,
            stake: Amount::new(stake.minor_units).map_err(|_| malformed("a stake is nothing"))?,
            currency: Currency::parse(&stake.currency).map_err(|_| malformed("no currency"))?,
        };
        let match_id = match lost.match_id.as_str() {
            "" => None,
            text => Some(MatchId::new(parse::uuid("lost_stakes.match_id", text)?.as_u128())),
        };
        let (state, note) = if !self.policy.covers(claim.currency) {
            (VictimRefundState::NotCovered, "the policy does not cover it")
        } else if match_id.is_none() {
            (VictimRefundState::Refused, "fair play does not know the match: adjust the balance by hand")
        } else {
            (VictimRefundState::Owed, "")
        };
        Ok(Loss { game: parse::game(&lost.game_id)?, match_id, claim, state, note: note.to_owned() })
    }
}
