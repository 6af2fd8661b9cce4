//! Games: one with a result is rated, an aborted one is not (`RATING-3`).

use domain_glicko::{Pair, Score};
use event_bus::{ConsumerConfig, HandleError, Handler, Message};
use event_store::Metadata;
use proto::game::v1::{GameEnded, GameResult};
use proto::types::v1::Player;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::app::ended_game::{EndedGame, GameId, GameParts, PlayerId, TimeControl, pool_of};
use crate::app::rate_game::{Outcome, rate_game};
use crate::store::book::{BookError, PgBook};
use crate::{SERVICE, telemetry};

/// The consumer's durable name.
pub const CONSUMER: &str = "rating_games";

/// One lane: games are rated in the order in which they ended, each on the ratings that the former left.
#[must_use]
pub fn consumer_config() -> ConsumerConfig {
    ConsumerConfig { lanes: 1, ..ConsumerConfig::new(CONSUMER, "game", "game") }
}

/// Handles the events of games.
#[derive(Debug, Default)]
pub struct GameHandler;

impl Handler for GameHandler {
    async fn handle(&self, conn: &mut PgConnection, message: &Message) -> Result<(), HandleError> {
        if message.kind != "GameEnded" {
            return Ok(());
        }
        let game = ended_game(&message.decode()?)?;
        if game.game_id().0 != message.stream_id {
            return permanent("the event speaks of another game than its stream's");
        }
        let mut book = PgBook::new(conn, Metadata::caused_by(message, SERVICE));
        let outcome = match rate_game(&mut book, game).await? {
            Outcome::Rated(_) => "rated",
            Outcome::AlreadyRated => "repeated",
        };
        metrics::counter!(telemetry::GAMES, "pool" => game.pool().id, "outcome" => outcome).increment(1);
        Ok(())
    }
}

impl From<BookError> for HandleError {
    fn from(error: BookError) -> Self {
        match error {
            BookError::Store(error) => error.into(),
            BookError::Append(error) => error.into(),
        }
    }
}

/// Reads a game. What cannot be rated never will be, so the error is permanent.
fn ended_game(message: &GameEnded) -> Result<EndedGame, HandleError> {
    let Some(control) = message.time_control else {
        return permanent("an untimed game has no pool");
    };
    let control = TimeControl { base_ms: control.base_ms, increment_ms: control.increment_ms };
    let Some(pool) = pool_of(control) else {
        return permanent("the clock of the game has no pool");
    };
    let white_score = match message.result() {
        GameResult::WhiteWins => Score::Win,
        GameResult::BlackWins => Score::Loss,
        GameResult::Draw => Score::Draw,
        GameResult::Unspecified => return permanent("the game ended without a result"),
    };
    EndedGame::new(GameParts {
        game_id: GameId(uuid("game_id", &message.game_id)?),
        pool,
        players: Pair {
            white: player("white", message.white.as_ref())?,
            black: player("black", message.black.as_ref())?,
        },
        white_score,
        ended_at_ms: message.ended_at_ms,
    })
    .or_else(|alone| permanent(&alone.to_string()))
}

fn player(field: &str, player: Option<&Player>) -> Result<PlayerId, HandleError> {
    match player {
        Some(player) => Ok(PlayerId(uuid(field, &player.player_id)?)),
        None => permanent(&format!("{field} is missing")),
    }
}

fn uuid(field: &str, text: &str) -> Result<Uuid, HandleError> {
    Uuid::parse_str(text).or_else(|_| permanent(&format!("{field} is not a UUID")))
}

fn permanent<T>(what: &str) -> Result<T, HandleError> {
    Err(HandleError::Permanent(what.to_owned()))
}
