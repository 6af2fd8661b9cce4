//! Games: the stakes are paid to the winner, or go back.

use domain_ledger::RefundReason;
use event_bus::{HandleError, Handler, Message};
use proto::game::v1::{GameAborted, GameEnded, GameResult};
use sqlx::PgConnection;

use super::parse;
use super::settle::settle;
use crate::app::match_money::Order;

/// The consumer's durable name.
pub const CONSUMER: &str = "wallet_games";

/// Handles the events of games.
#[derive(Debug, Default)]
pub struct GameHandler;

impl Handler for GameHandler {
    async fn handle(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        let (match_id, order) = match message.kind.as_str() {
            "GameEnded" => {
                let ended: GameEnded = message.decode()?;
                if ended.match_id.is_empty() {
                    // Played for nothing.
                    return Ok(());
                }
                let order = order_of(&ended)?;
                (ended.match_id, order)
            }
            "GameAborted" => {
                let aborted: GameAborted = message.decode()?;
                if aborted.match_id.is_empty() {
                    return Ok(());
                }
                let order =
                    Order::Refund { game: parse::game(&aborted.game_id)?, reason: RefundReason::Aborted };
                (aborted.match_id, order)
            }
            _ => return Ok(()),
        };
        settle(conn, parse::match_id(&match_id)?, &order, message).await
    }
}

fn order_of(ended: &GameEnded) -> Result<Order, HandleError> {
    let game = parse::game(&ended.game_id)?;
    let winner = match ended.result() {
        GameResult::WhiteWins => &ended.white,
        GameResult::BlackWins => &ended.black,
        GameResult::Draw => {
            return Ok(Order::Refund { game, reason: RefundReason::Drawn });
        }
        GameResult::Unspecified => {
            return Err(HandleError::Permanent("the game ended without a result".to_owned()));
        }
    };
    let Some(winner) = winner else {
        return Err(HandleError::Permanent("the winner's seat is empty".to_owned()));
    };
    Ok(Order::Pay { game, winner: parse::player("winner", &winner.player_id)? })
}
