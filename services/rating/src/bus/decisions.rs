//! What fair play decides about a player: while a case stands confirmed, the games in which he took points count for nothing. Each
//! correction is an adjustment with the moderator and his reason, and a decision the other way takes it back (`RATING-9`).

use event_bus::{ConsumerConfig, HandleError, Handler, Message};
use proto::fairplay::v1::{CaseDecided, CaseDecision};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::app::correction::{REASON_CHARS_MAX, Ruling};
use crate::app::ended_game::{GameId, PlayerId};
use crate::app::game_record::{CaseStanding, Refusal};
use crate::corrections::{CorrectError, Wish, correct_in};
use crate::store::record::{self, RecordError};

/// The consumer's durable name.
pub const CONSUMER: &str = "rating_decisions";

/// How the consumer runs.
#[must_use]
pub fn consumer_config() -> ConsumerConfig {
    ConsumerConfig::new(CONSUMER, "fairplay", "player")
}

/// Handles fair play's player streams.
#[derive(Debug, Clone, Copy)]
pub struct DecisionHandler;

impl Handler for DecisionHandler {
    async fn handle(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        if message.kind != "CaseDecided" {
            return Ok(());
        }
        let event: CaseDecided = message.decode()?;
        let standing = match event.decision() {
            CaseDecision::Confirmed => CaseStanding::Confirmed,
            CaseDecision::Cleared => CaseStanding::Cleared,
            CaseDecision::Unspecified => return Ok(()),
        };
        let subject = PlayerId(id("player_id", &event.player_id)?);
        let decided_by = id("decided_by", &event.decided_by)?;
        for game_id in &event.game_ids {
            let game_id = id("game_ids", game_id)?;
            let case = Case { event: &event, standing, subject, decided_by, cause: message.event_id };
            case.correct_game(conn, game_id).await?;
        }
        Ok(())
    }
}

struct Case<'a> {
    event: &'a CaseDecided,
    standing: CaseStanding,
    subject: PlayerId,
    decided_by: Uuid,
    cause: Uuid,
}

impl Case<'_> {
    /// The beginning of the reason of every correction because of this case.
    fn mark(&self) -> String {
        format!("case {}: ", self.event.case_id)
    }

    /// A game that was not rated, or that somebody has voided, stays as it is.
    async fn correct_game(&self, conn: &mut PgConnection, game_id: Uuid) -> Result<(), HandleError> {
        let Some(record) = record::load(conn, game_id).await.map_err(of_record)? else { return Ok(()) };
        let mark = self.mark();
        for (player, points) in record.owed(self.subject, self.standing, &mark) {
            let reason: String =
                mark.chars().chain(self.event.reason.chars()).take(REASON_CHARS_MAX).collect();
            let ruling = Ruling {
                actor_id: self.decided_by,
                request_id: Uuid::new_v5(
                    &self.cause,
                    &[game_id.as_bytes().as_slice(), player.0.as_bytes().as_slice()].concat()[..],
                ),
                reason,
                at_ms: self.event.decided_at_ms,
            };
            match correct_in(conn, GameId(game_id), Wish::Adjust { player, points }, ruling).await {
                Ok(_) | Err(CorrectError::Refused(Refusal::Voided)) => {}
                Err(error) => return Err(of_correct(error)),
            }
        }
        Ok(())
    }
}

fn id(field: &str, value: &str) -> Result<Uuid, HandleError> {
    Uuid::parse_str(value).map_err(|_| HandleError::Permanent(format!("{field} is no UUID: {value:?}")))
}

fn of_record(error: RecordError) -> HandleError {
    match error {
        RecordError::Store(error) => error.into(),
        other => HandleError::Permanent(other.to_string()),
    }
}

fn of_correct(error: CorrectError) -> HandleError {
    match error {
        CorrectError::Book(error) => error.into(),
        CorrectError::Record(error) => of_record(error),
        other => HandleError::Permanent(other.to_string()),
    }
}
