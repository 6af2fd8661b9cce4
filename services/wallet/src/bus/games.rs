//! Games: the stakes are paid to the winner, or go back.

use domain_ledger::RefundReason;
use domain_ledger::eligibility::Policy;
use event_bus::{HandleError, Handler, Message};
use proto::game::v1::{GameAborted, GameEnded, GameResult};
use sqlx::PgConnection;

use super::parse;
use super::settle::{BATCH_ORDERS_MAX, Task, settle, settle_all};
use crate::app::match_money::Order;

/// The consumer's durable name.
pub const CONSUMER: &str = "wallet_games";

/// Handles the events of games. Whoever has staked gets what is his: no policy is asked at the end of a game.
#[derive(Debug, Default)]
pub struct GameHandler;

impl Handler for GameHandler {
    async fn handle(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        match task(message)? {
            Some(task) => settle(conn, task, &Policy::default()).await,
            None => Ok(()),
        }
    }

    fn batch_max(&self) -> usize {
        BATCH_ORDERS_MAX
    }

    async fn handle_batch(
        &self,
        conn: &mut PgConnection,
        messages: &[&Message],
    ) -> Result<Vec<Result<(), HandleError>>, HandleError> {
        let mut answers: Vec<Result<(), HandleError>> = Vec::with_capacity(messages.len());
        let (mut places, mut tasks) = (Vec::new(), Vec::new());
        for (place, message) in messages.iter().enumerate() {
            answers.push(match task(message) {
                Ok(Some(task)) => {
                    places.push(place);
                    tasks.push(task);
                    Ok(())
                }
                Ok(None) => Ok(()),
                Err(error) => Err(error),
            });
        }
        for (place, answer) in places.into_iter().zip(settle_all(conn, &tasks, &Policy::default()).await?) {
            answers[place] = answer;
        }
        Ok(answers)
    }
}

/// What the event of a game asks of the money of its match; nothing when it asks nothing, or the game is played for nothing.
fn task(message: &Message) -> Result<Option<Task<'_>>, HandleError> {
    let (match_id, order) = match message.kind.as_str() {
        "GameEnded" => {
            let ended: GameEnded = message.decode()?;
            if ended.match_id.is_empty() {
                return Ok(None);
            }
            let order = order_of(&ended)?;
            (ended.match_id, order)
        }
        "GameAborted" => {
            let aborted: GameAborted = message.decode()?;
            if aborted.match_id.is_empty() {
                return Ok(None);
            }
            let game = parse::game(&aborted.game_id)?;
            (aborted.match_id, Order::Refund { game, reason: RefundReason::Aborted })
        }
        _ => return Ok(None),
    };
    Ok(Some(Task { match_id: parse::match_id(&match_id)?, order, cause: message }))
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
