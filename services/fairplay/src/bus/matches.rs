//! Matches: a place in the pair's day is asked for, or given back.

use event_bus::{HandleError, Handler, Message};
use proto::matchmaking::v1::{MatchCancelled, MatchProposed};
use sqlx::PgConnection;

use super::{metadata, own_id, player_id};
use crate::app::pairs::{self, Proposal};
use crate::store::staked_games::{self, Stake};

/// Consumes matchmaking's match streams.
#[derive(Debug, Clone, Copy)]
pub struct MatchEvents;

impl Handler for MatchEvents {
    async fn handle(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        match message.kind.as_str() {
            "MatchProposed" => {
                let event: MatchProposed = message.decode()?;
                let proposal = Proposal {
                    match_id: own_id("match_id", &event.match_id, message)?,
                    white_id: player_id("white", event.white.as_ref())?,
                    black_id: player_id("black", event.black.as_ref())?,
                    proposed_at_ms: event.proposed_at_ms,
                };
                pairs::reserve(conn, &proposal, metadata(message)).await?;
                if let Some(stake) = event.stake {
                    let stake = Stake { minor_units: stake.minor_units, currency: stake.currency };
                    staked_games::put_stake(conn, proposal.match_id, &stake).await?;
                }
            }
            "MatchCancelled" => {
                let event: MatchCancelled = message.decode()?;
                let match_id = own_id("match_id", &event.match_id, message)?;
                pairs::release(conn, match_id, metadata(message)).await?;
            }
            _ => {}
        }
        Ok(())
    }
}
