//! Elo, for the pool of the house tables.
//!
//! The formulas are A. Elo's: the expected score is 1 ÷ (1 + 10^(−d ÷ 400)), and the rating moves by K times the surprise.

use thiserror::Error;

use crate::rating::{Bounds, RATING_BOUNDS};
use crate::{Pair, Score};

/// The most points one game moves a rating. One constant for everybody keeps the pool's sum unchanged.
pub const K_FACTOR: f64 = 32.0;

/// The bounds of an Elo rating, the same as those of the other pools.
pub const ELO_BOUNDS: Bounds = RATING_BOUNDS;

/// The rating is outside [`ELO_BOUNDS`], or is not a number.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error("elo rating {0} is not between {min} and {max}", min = ELO_BOUNDS.min, max = ELO_BOUNDS.max)]
pub struct OutOfBounds(f64);

/// A rating of the house-table pool, inside [`ELO_BOUNDS`].
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Elo(f64);

impl Elo {
    /// What a player starts with.
    pub const FRESH: Self = Self(1000.0);

    /// Checks a stored rating.
    ///
    /// # Errors
    /// When the number is outside the bounds or is not a number.
    pub fn new(rating: f64) -> Result<Self, OutOfBounds> {
        if ELO_BOUNDS.contains(rating) { Ok(Self(rating)) } else { Err(OutOfBounds(rating)) }
    }

    /// The rating as a number.
    #[must_use]
    pub const fn rating(self) -> f64 {
        self.0
    }

    pub(crate) fn moved(self, points: f64) -> Self {
        Self(ELO_BOUNDS.clamp(self.0 + points))
    }
}

impl Default for Elo {
    fn default() -> Self {
        Self::FRESH
    }
}

/// Rates one game. What one player gains the other loses, up to the last bits, unless a bound cuts it short for one of them.
/// Each side is computed by itself, so that it does not matter who had White (`GLICKO-2`).
#[must_use]
pub fn update_pair(before: Pair<Elo>, score_for_white: Score) -> Pair<Elo> {
    Pair {
        white: after_one_game(before.white, before.black, score_for_white),
        black: after_one_game(before.black, before.white, score_for_white.reversed()),
    }
}

fn after_one_game(player: Elo, opponent: Elo, score: Score) -> Elo {
    let expected = 1.0 / (1.0 + libm::pow(10.0, (opponent.0 - player.0) / 400.0));
    player.moved(K_FACTOR * (score.points() - expected))
}
