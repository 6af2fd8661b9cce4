//! The update of a rating period and the growth of the deviation with idle time.

use crate::rating::{DEVIATION_BOUNDS, VOLATILITY_BOUNDS};
use crate::volatility::{TAU, VolatilityStep};
use crate::{Pair, Rating, RawRating, Score};

/// Points of the familiar scale in one unit of the Glicko-2 scale.
pub const SCALE: f64 = 173.7178;

/// The most points one game moves a rating. The bounds of deviation and volatility alone allow about 707; the cap is a
/// guard against a broken input, not a shaping rule, and no ordinary game meets it: the first win of a fresh player
/// against an equal moves 162 points.
pub const STEP_MAX: f64 = 700.0;

/// The middle of the familiar scale, which is the zero of the Glicko-2 scale.
const CENTRE: f64 = 1500.0;

/// Rates one game as a rating period of its own, both players from the ratings before it (`GLICKO-2`). What the two
/// ratings do not include yet (idle time) is added by the caller first, with [`after_idle_days`].
#[must_use]
pub fn update_pair(before: Pair<Rating>, score_for_white: Score) -> Pair<Rating> {
    Pair {
        white: after_one_game(before.white, before.black, score_for_white),
        black: after_one_game(before.black, before.white, score_for_white.reversed()),
    }
}

/// Rates a whole period of games at once, as in Glickman's worked example. Without any game only the deviation grows.
#[must_use]
pub fn update(player: Rating, games: &[(Rating, Score)]) -> Rating {
    let phi = player.deviation() / SCALE;
    let Some(evidence) = Evidence::of(player, games) else {
        return with_deviation(player, joined(phi, player.volatility()) * SCALE);
    };
    let step = VolatilityStep {
        phi,
        sigma: player.volatility(),
        delta: evidence.v * evidence.surprise,
        v: evidence.v,
        tau: TAU,
    };
    // The clamp comes before step 6, so that an unbounded volatility never reaches the deviation and the rating.
    let sigma = VOLATILITY_BOUNDS.clamp(step.new_sigma());
    let phi_star = joined(phi, sigma);
    let phi_squared = 1.0 / (1.0 / (phi_star * phi_star) + 1.0 / evidence.v);
    Rating::clamped(RawRating {
        rating: player.rating() + SCALE * phi_squared * evidence.surprise,
        deviation: SCALE * libm::sqrt(phi_squared),
        volatility: sigma,
    })
}

/// The rating after `days` without a game: the deviation grows to √(φ² + σ² · days), at most to that of a fresh player.
/// The time that has passed is measured by clocks that may disagree, so less than no time (or not a number) counts as none.
#[must_use]
pub fn after_idle_days(rating: Rating, days: f64) -> Rating {
    if days.is_nan() || days <= 0.0 {
        return rating;
    }
    let phi = rating.deviation() / SCALE;
    let growth = rating.volatility() * libm::sqrt(days);
    let grown = joined(phi, growth) * SCALE;
    with_deviation(rating, grown.min(DEVIATION_BOUNDS.max))
}

fn after_one_game(player: Rating, opponent: Rating, score: Score) -> Rating {
    let after = update(player, &[(opponent, score)]);
    let step = (after.rating() - player.rating()).clamp(-STEP_MAX, STEP_MAX);
    Rating::clamped(RawRating { rating: player.rating() + step, ..after.raw() })
}

fn with_deviation(rating: Rating, deviation: f64) -> Rating {
    Rating::clamped(RawRating { deviation, ..rating.raw() })
}

/// What the games of a period say about a player.
struct Evidence {
    /// The estimated variance of the player's rating from the results alone (step 3).
    v: f64,
    /// Σ g(φⱼ)(sⱼ − E): how much better the results were than expected.
    surprise: f64,
}

impl Evidence {
    /// Nothing when there is no game.
    fn of(player: Rating, games: &[(Rating, Score)]) -> Option<Self> {
        if games.is_empty() {
            return None;
        }
        let mu = on_scale(player);
        let mut precision = 0.0;
        let mut surprise = 0.0;
        for (opponent, score) in games {
            let g = weight(opponent.deviation() / SCALE);
            let expected = 1.0 / (1.0 + libm::exp(-g * (mu - on_scale(*opponent))));
            precision += g * g * expected * (1.0 - expected);
            surprise += g * (score.points() - expected);
        }
        Some(Self { v: 1.0 / precision, surprise })
    }
}

fn on_scale(rating: Rating) -> f64 {
    (rating.rating() - CENTRE) / SCALE
}

/// g(φ): how much a result against an opponent of this deviation says.
fn weight(phi: f64) -> f64 {
    1.0 / libm::sqrt(1.0 + 3.0 * phi * phi / (std::f64::consts::PI * std::f64::consts::PI))
}

/// The root of a sum of two squares, from operations that round the same way everywhere.
fn joined(phi: f64, sigma: f64) -> f64 {
    libm::sqrt(phi * phi + sigma * sigma)
}
