//! The parts that both events have.

use domain_glicko::{Pool, PoolRating, RawRating};
use proto::rating::v1::RatingRecord;

use super::Reason;
use crate::app::rate_game::Standing;

pub(super) fn write(standing: &Standing) -> RatingRecord {
    let raw = standing.rating.raw();
    RatingRecord {
        rating: raw.rating,
        deviation: raw.deviation,
        volatility: raw.volatility,
        games: standing.games,
    }
}

pub(super) fn read(pool: Pool, message: Option<&RatingRecord>) -> Result<Standing, Reason> {
    let message = part(message)?;
    let rating = PoolRating::new(
        pool,
        RawRating { rating: message.rating, deviation: message.deviation, volatility: message.volatility },
    )?;
    Ok(Standing { rating, games: message.games, last_game_at_ms: None })
}

pub(super) fn pool(name: &str) -> Result<Pool, Reason> {
    Pool::find(name).ok_or_else(|| Reason("unknown pool".to_owned()))
}

pub(super) fn part<T>(message: Option<&T>) -> Result<&T, Reason> {
    message.ok_or_else(|| Reason("a part is missing".to_owned()))
}
