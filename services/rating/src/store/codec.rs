//! `RatingsChanged` as the bytes that stand in the log, and back.

use domain_glicko::{Pair, Rating, RawRating, Score};
use event_store::RecordedEvent;
use prost::Message as _;
use proto::rating::v1::{PlayerRatingChange, RatingRecord, RatingsChanged};
use uuid::Uuid;

use crate::app::ended_game::{EndedGame, GameId, GameParts, PlayerId, find_pool};
use crate::app::rate_game::{PlayerChange, RatedGame, Standing};

/// The stable name of the one event of this service.
pub const RATINGS_CHANGED: &str = "RatingsChanged";
/// The version of its data.
pub const SCHEMA: i16 = 1;

/// An event of the log is not one of ours, or is damaged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("event {kind} (schema {schema}) of stream {stream_id}: {reason}")]
pub struct CodecError {
    /// Its name.
    pub kind: String,
    /// The version of its data.
    pub schema: i16,
    /// Its stream: the game.
    pub stream_id: Uuid,
    /// What is wrong with it.
    pub reason: String,
}

/// Writes what a game did.
#[must_use]
pub fn write(rated: &RatedGame) -> Vec<u8> {
    let players = rated.game.players();
    RatingsChanged {
        game_id: rated.game.game_id().0.to_string(),
        pool: rated.game.pool().id.to_owned(),
        white: Some(player_change(players.white, &rated.changes.white)),
        black: Some(player_change(players.black, &rated.changes.black)),
        white_score: rated.game.white_score().points(),
        ended_at_ms: rated.game.ended_at_ms(),
        pool_sequence: rated.sequence,
    }
    .encode_to_vec()
}

fn player_change(player: PlayerId, change: &PlayerChange) -> PlayerRatingChange {
    PlayerRatingChange {
        player_id: player.0.to_string(),
        before: Some(record(&change.before)),
        after: Some(record(&change.after)),
        idle_days: change.idle_days,
    }
}

fn record(standing: &Standing) -> RatingRecord {
    let raw = standing.rating.raw();
    RatingRecord {
        rating: raw.rating,
        deviation: raw.deviation,
        volatility: raw.volatility,
        games: standing.games,
    }
}

/// Reads what a game did. When a player's former game ended is not in the event, so it is nothing in the standings.
///
/// # Errors
/// Names the event and what is wrong with it.
pub fn read(event: &RecordedEvent) -> Result<RatedGame, CodecError> {
    parse(event).map_err(|reason| CodecError {
        kind: event.kind.clone(),
        schema: event.schema,
        stream_id: event.stream_id,
        reason: reason.0,
    })
}

/// What is wrong with an event, in words.
struct Reason(String);

impl<E: std::error::Error> From<E> for Reason {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

fn parse(event: &RecordedEvent) -> Result<RatedGame, Reason> {
    if event.kind != RATINGS_CHANGED || event.schema != SCHEMA {
        return Err(Reason("unknown event or schema".to_owned()));
    }
    let message = RatingsChanged::decode(event.data.as_slice())?;
    let pool = find_pool(&message.pool).ok_or_else(|| Reason("unknown pool".to_owned()))?;
    let white = part(message.white.as_ref())?;
    let black = part(message.black.as_ref())?;
    let game = EndedGame::new(GameParts {
        game_id: GameId(message.game_id.parse()?),
        pool,
        players: Pair {
            white: PlayerId(white.player_id.parse()?),
            black: PlayerId(black.player_id.parse()?),
        },
        white_score: score(message.white_score)?,
        ended_at_ms: message.ended_at_ms,
    })?;
    Ok(RatedGame {
        game,
        sequence: message.pool_sequence,
        changes: Pair { white: read_change(white)?, black: read_change(black)? },
    })
}

fn read_change(message: &PlayerRatingChange) -> Result<PlayerChange, Reason> {
    Ok(PlayerChange {
        before: read_record(part(message.before.as_ref())?)?,
        idle_days: message.idle_days,
        after: read_record(part(message.after.as_ref())?)?,
    })
}

fn read_record(message: &RatingRecord) -> Result<Standing, Reason> {
    let rating = Rating::new(RawRating {
        rating: message.rating,
        deviation: message.deviation,
        volatility: message.volatility,
    })?;
    Ok(Standing { rating, games: message.games, last_game_at_ms: None })
}

fn part<T>(message: Option<&T>) -> Result<&T, Reason> {
    message.ok_or_else(|| Reason("a part is missing".to_owned()))
}

fn score(points: f64) -> Result<Score, Reason> {
    [Score::Win, Score::Draw, Score::Loss]
        .into_iter()
        .find(|score| score.points() == points)
        .ok_or_else(|| Reason("no such score".to_owned()))
}

#[cfg(test)]
mod tests;
