//! `RatingsChanged`.

use domain_glicko::{Pair, Pool, Score};
use prost::Message as _;
use proto::rating::v1::{PlayerRatingChange, RatingsChanged};

use super::{Reason, record};
use crate::app::ended_game::{EndedGame, GameId, GameParts, PlayerId};
use crate::app::rate_game::{PlayerChange, RatedGame};

pub(super) fn write(rated: &RatedGame) -> Vec<u8> {
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
        before: Some(record::write(&change.before)),
        after: Some(record::write(&change.after)),
        idle_days: change.idle_days,
    }
}

pub(super) fn read(data: &[u8]) -> Result<RatedGame, Reason> {
    let message = RatingsChanged::decode(data)?;
    let pool = record::pool(&message.pool)?;
    let white = record::part(message.white.as_ref())?;
    let black = record::part(message.black.as_ref())?;
    let game = EndedGame::new(GameParts {
        game_id: GameId(message.game_id.parse()?),
        pool,
        players: Pair {
            white: PlayerId(white.player_id.parse()?),
            black: PlayerId(black.player_id.parse()?),
        },
        white_score: Score::of_points(message.white_score)
            .ok_or_else(|| Reason("no such score".to_owned()))?,
        ended_at_ms: message.ended_at_ms,
    })?;
    Ok(RatedGame {
        game,
        sequence: message.pool_sequence,
        changes: Pair { white: change(pool, white)?, black: change(pool, black)? },
    })
}

fn change(pool: Pool, message: &PlayerRatingChange) -> Result<PlayerChange, Reason> {
    Ok(PlayerChange {
        before: record::read(pool, message.before.as_ref())?,
        idle_days: message.idle_days,
        after: record::read(pool, message.after.as_ref())?,
    })
}
