//! What the events of a game say about ratings.

use domain_glicko::{Pair, Pool, Score};
use event_bus::{HandleError, Message};
use proto::game::v1::{GameAborted, GameEnded, GameResult, GameStarted};
use proto::types::v1::{Player, TimeControl as WireTimeControl};
use uuid::Uuid;

use crate::app::ended_game::{EndedGame, GameId, GameParts, PlayerId, STAKED_RULE_SET, TimeControl, pool_of};
use crate::store::games_apart::GameApart;

/// What an event means here.
pub(super) enum Told {
    /// Nothing: another event, or the start of a staked game, which its end says everything about.
    Nothing,
    /// A game that is not staked has begun.
    StartedApart(GameApart),
    /// A game ended without a result.
    Aborted { game_id: Uuid },
    /// A game ended with one.
    Ended(Box<Ending>),
}

impl Told {
    /// The game that is over.
    pub(super) fn over(&self) -> Option<Uuid> {
        match self {
            Self::Nothing | Self::StartedApart(_) => None,
            Self::Aborted { game_id } => Some(*game_id),
            Self::Ended(ending) => Some(ending.game_id),
        }
    }
}

/// The end of a game whose pool is not known yet; what does not count anywhere need not be right.
pub(super) struct Ending {
    pub(super) game_id: Uuid,
    message: GameEnded,
}

/// Reads an event. What cannot be read never will be, so the error is permanent.
pub(super) fn told(message: &Message) -> Result<Told, HandleError> {
    match message.kind.as_str() {
        "GameStarted" => Ok(started(message.stream_id, &message.decode()?)),
        "GameAborted" => {
            let _: GameAborted = message.decode()?;
            Ok(Told::Aborted { game_id: message.stream_id })
        }
        "GameEnded" => {
            let ended: GameEnded = message.decode()?;
            if Uuid::parse_str(&ended.game_id) != Ok(message.stream_id) {
                return Err(HandleError::Permanent(
                    "the event speaks of another game than its stream's".to_owned(),
                ));
            }
            Ok(Told::Ended(Box::new(Ending { game_id: message.stream_id, message: ended })))
        }
        _ => Ok(Told::Nothing),
    }
}

fn started(game_id: Uuid, message: &GameStarted) -> Told {
    let rule_set = message.rule_set.as_ref().map_or(STAKED_RULE_SET, |rule_set| rule_set.name.as_str());
    if rule_set == STAKED_RULE_SET && !message.casual {
        return Told::Nothing;
    }
    let pool = if message.casual { None } else { pool_of(rule_set, control(message.time_control)) };
    Told::StartedApart(GameApart { game_id, pool })
}

impl Ending {
    /// The pool of a staked game, by its clock.
    pub(super) fn staked_pool(&self) -> Option<Pool> {
        pool_of(STAKED_RULE_SET, control(self.message.time_control))
    }

    /// The game in its pool, and its players' names.
    pub(super) fn rated_in(self, pool: Pool) -> Result<(EndedGame, [(Uuid, String); 2]), String> {
        let message = self.message;
        let white_score = match message.result() {
            GameResult::WhiteWins => Score::Win,
            GameResult::BlackWins => Score::Loss,
            GameResult::Draw => Score::Draw,
            GameResult::Unspecified => return Err("the game ended without a result".to_owned()),
        };
        let white = player("white", message.white)?;
        let black = player("black", message.black)?;
        let game = EndedGame::new(GameParts {
            game_id: GameId(self.game_id),
            pool,
            players: Pair { white: PlayerId(white.0), black: PlayerId(black.0) },
            white_score,
            ended_at_ms: message.ended_at_ms,
        })
        .map_err(|alone| alone.to_string())?;
        Ok((game, [white, black]))
    }
}

fn control(control: Option<WireTimeControl>) -> Option<TimeControl> {
    control.map(|control| TimeControl { base_ms: control.base_ms, increment_ms: control.increment_ms })
}

fn player(field: &str, player: Option<Player>) -> Result<(Uuid, String), String> {
    let player = player.ok_or_else(|| format!("{field} is missing"))?;
    let id = Uuid::parse_str(&player.player_id).map_err(|_| format!("{field} is not a UUID"))?;
    Ok((id, player.name))
}
