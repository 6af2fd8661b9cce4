//! From standings and rows to messages.

use domain_glicko::rating::PROVISIONAL_DEVIATION_MIN;
use proto::rating::v1::{Rating, RatingChange};

use crate::app::rate_game::Standing;
use crate::store::history::HistoryRow;

/// A standing with the deviation grown until `now_ms`; nothing is stored by reading (`RATING-5`).
pub(super) fn current_rating(pool: &str, standing: &Standing, now_ms: i64) -> Rating {
    let raw = standing.grown(now_ms).raw();
    rating(pool, [raw.rating, raw.deviation, raw.volatility], standing.games)
}

pub(super) fn rating_change(row: &HistoryRow) -> RatingChange {
    let before = [row.rating_before, row.deviation_before, row.volatility_before];
    let after = [row.rating_after, row.deviation_after, row.volatility_after];
    let games_before = u32::try_from(row.games_before).unwrap_or_default();
    RatingChange {
        game_id: row.game_id.to_string(),
        opponent_id: row.opponent_id.to_string(),
        score: row.score,
        before: Some(rating(&row.pool, before, games_before)),
        after: Some(rating(&row.pool, after, games_before + 1)),
        ended_at_ms: row.ended_at_ms,
    }
}

fn rating(pool: &str, [rating, deviation, volatility]: [f64; 3], games: u32) -> Rating {
    Rating {
        pool: pool.to_owned(),
        rating,
        deviation,
        volatility,
        games,
        provisional: deviation > PROVISIONAL_DEVIATION_MIN,
    }
}
