//! From standings and rows to messages, and the fields that several requests have.

use domain_glicko::rating::PROVISIONAL_DEVIATION_MIN;
use domain_glicko::{Pool, RawRating};
use proto::rating::v1::{LeaderboardEntry, Rating, RatingChange, RatingChangeKind};
use proto::types::v1::Player;
use service_kit::fields::Violations;

use crate::app::rate_game::Standing;
use crate::store::history::{ADJUSTED, HistoryRow, TimeRange, VOIDED};
use crate::store::leaderboard::Line;

/// A standing with the deviation grown until `now_ms`; nothing is stored by reading (`RATING-5`).
pub(super) fn current_rating(pool: Pool, standing: &Standing, now_ms: i64) -> Rating {
    rating(pool, standing.grown(now_ms).raw(), standing.games)
}

/// A standing as it is stored.
pub(super) fn stored_rating(pool: Pool, standing: &Standing) -> Rating {
    rating(pool, standing.rating.raw(), standing.games)
}

pub(super) fn rating_change(pool: Pool, row: &HistoryRow) -> RatingChange {
    let before = RawRating {
        rating: row.rating_before,
        deviation: row.deviation_before,
        volatility: row.volatility_before,
    };
    let after = RawRating {
        rating: row.rating_after,
        deviation: row.deviation_after,
        volatility: row.volatility_after,
    };
    let games_before = u32::try_from(row.games_before).unwrap_or_default();
    let kind = match row.kind.as_str() {
        VOIDED => RatingChangeKind::Voided,
        ADJUSTED => RatingChangeKind::Adjusted,
        _ => RatingChangeKind::Game,
    };
    let games_after = games_before + u32::from(kind == RatingChangeKind::Game);
    RatingChange {
        game_id: row.game_id.to_string(),
        opponent_id: row.opponent_id.to_string(),
        score: row.score.unwrap_or_default(),
        before: Some(rating(pool, before, games_before)),
        after: Some(rating(pool, after, games_after)),
        ended_at_ms: row.ended_at_ms,
        kind: kind as i32,
    }
}

/// Lines with their places.
pub(super) fn entries(
    pool: Pool,
    placed: Vec<(u64, Line)>,
    now_ms: i64,
) -> Result<Vec<LeaderboardEntry>, sqlx::Error> {
    placed
        .into_iter()
        .map(|(place, line)| {
            let standing = line.row.standing(pool)?;
            let player = Player { player_id: line.row.player_id.to_string(), name: line.name };
            let rating = Some(current_rating(pool, &standing, now_ms));
            Ok(LeaderboardEntry { place, player: Some(player), rating })
        })
        .collect()
}

/// A range of times of which both ends may be left out as 0; nothing, and a violation, when it is empty or before the epoch.
pub(super) fn time_range(from_ms: i64, to_ms: i64, violations: &mut Violations) -> Option<TimeRange> {
    if from_ms < 0 {
        violations.add("from_ms", "must not be negative");
        return None;
    }
    if to_ms < 0 || (to_ms != 0 && to_ms <= from_ms) {
        violations.add("to_ms", "must be after from_ms");
        return None;
    }
    let open = TimeRange::ALWAYS;
    Some(TimeRange {
        from_ms: if from_ms == 0 { open.from_ms } else { from_ms },
        to_ms: if to_ms == 0 { open.to_ms } else { to_ms },
    })
}

/// A number of things to answer that may be left out as 0; nothing, and a violation, when it is too large.
pub(super) fn limit(
    field: &str,
    wanted: u32,
    default: u32,
    max: u32,
    violations: &mut Violations,
) -> Option<u32> {
    match wanted {
        0 => Some(default),
        wanted if wanted <= max => Some(wanted),
        _ => {
            violations.add(field, format!("must be from 1 to {max}"));
            None
        }
    }
}

fn rating(pool: Pool, raw: RawRating, games: u32) -> Rating {
    Rating {
        pool: pool.id.to_owned(),
        rating: raw.rating,
        deviation: raw.deviation,
        volatility: raw.volatility,
        games,
        provisional: games == 0 || raw.deviation > PROVISIONAL_DEVIATION_MIN,
    }
}
