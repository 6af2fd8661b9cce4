//! Whether a pair may meet: the answer to `MatchProposed`.

use event_bus::{HandleError, Handler, Message};
use proto::fairplay::v1::{PairingRefused, PairingReleased, PairingReserved};
use sqlx::PgConnection;

use super::{advance, id};
use crate::app::match_process::Input;
use crate::app::queue::Queue;
use crate::store::{matches, players};

/// Consumes fair-play's pair streams.
#[derive(Debug)]
pub struct FairplayEvents {
    /// Told of matches that took a step.
    pub queue: Queue,
}

impl Handler for FairplayEvents {
    async fn handle(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        match message.kind.as_str() {
            "PairingReserved" => {
                let event: PairingReserved = message.decode()?;
                let match_id = id("match_id", &event.match_id)?;
                advance(conn, message, match_id, Input::PairingReserved).await?;
            }
            "PairingRefused" => {
                let event: PairingRefused = message.decode()?;
                let match_id = id("match_id", &event.match_id)?;
                let pair = players::PairDay {
                    first_id: id("first_player_id", &event.first_player_id)?,
                    second_id: id("second_player_id", &event.second_player_id)?,
                    day: event.day,
                };
                players::exhaust_pair(conn, pair).await?;
                advance(conn, message, match_id, Input::PairingRefused).await?;
            }
            "PairingReleased" => {
                let event: PairingReleased = message.decode()?;
                if let Some(row) = matches::find(&mut *conn, id("match_id", &event.match_id)?).await? {
                    players::free_pair(conn, row.white.player_id, row.black.player_id).await?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn committed(&self, message: &Message) {
        let match_id = match message.kind.as_str() {
            "PairingReserved" => message.decode::<PairingReserved>().map(|event| event.match_id),
            "PairingRefused" => message.decode::<PairingRefused>().map(|event| event.match_id),
            _ => return,
        };
        if let Ok(match_id) = match_id.and_then(|value| id("match_id", &value)) {
            self.queue.match_changed_soon(match_id);
        }
    }
}
