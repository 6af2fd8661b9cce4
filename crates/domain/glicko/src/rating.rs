//! A Glicko-2 rating that is always inside its bounds.

use thiserror::Error;

/// The lowest and the highest rating. They lie far outside what chess players reach; they exist so that no series of
/// results, however contrived, leaves a number that cannot be stored, shown or compared.
pub const RATING_BOUNDS: Bounds = Bounds { min: 100.0, max: 4000.0 };

/// The bounds of the deviation. The upper one is the deviation of somebody we know nothing about. The lower one is the
/// threshold Glickman proposes for Glicko, so that a rating never freezes; with one game a period and the usual volatility
/// the deviation settles near 60, so the floor is a guard that regular play does not meet.
pub const DEVIATION_BOUNDS: Bounds = Bounds { min: 30.0, max: 350.0 };

/// The bounds of the volatility. Without the upper one it drifts upwards over hundreds of thousands of games until the
/// arithmetic overflows; without the lower one it could come to rest at zero.
pub const VOLATILITY_BOUNDS: Bounds = Bounds { min: 0.01, max: 0.1 };

/// Above this deviation a rating is provisional and is not listed on a leaderboard.
pub const PROVISIONAL_DEVIATION_MIN: f64 = 110.0;

/// A closed range of finite numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// The smallest value allowed.
    pub min: f64,
    /// The largest value allowed.
    pub max: f64,
}

impl Bounds {
    /// Whether `value` is a number inside the bounds.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        (self.min..=self.max).contains(&value)
    }

    pub(crate) fn clamp(&self, value: f64) -> f64 {
        value.clamp(self.min, self.max)
    }
}

/// Three numbers that have not been looked at yet: what a store or a message holds. [`Rating::new`] makes a [`Rating`] of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RawRating {
    /// The rating, on the familiar scale around 1500.
    pub rating: f64,
    /// The rating deviation, on the same scale.
    pub deviation: f64,
    /// The volatility.
    pub volatility: f64,
}

/// A number of a rating lies outside its bounds, or is not a number.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum OutOfBounds {
    /// See [`RATING_BOUNDS`].
    #[error("rating {0} is not between {min} and {max}", min = RATING_BOUNDS.min, max = RATING_BOUNDS.max)]
    Rating(f64),
    /// See [`DEVIATION_BOUNDS`].
    #[error("rating deviation {0} is not between {min} and {max}", min = DEVIATION_BOUNDS.min, max = DEVIATION_BOUNDS.max)]
    Deviation(f64),
    /// See [`VOLATILITY_BOUNDS`].
    #[error("volatility {0} is not between {min} and {max}", min = VOLATILITY_BOUNDS.min, max = VOLATILITY_BOUNDS.max)]
    Volatility(f64),
}

/// A player's Glicko-2 rating in one pool. The private fields are inside [`RATING_BOUNDS`], [`DEVIATION_BOUNDS`] and
/// [`VOLATILITY_BOUNDS`] (`GLICKO-1`).
///
/// ```
/// use domain_glicko::{Pair, Rating, Score, update_pair};
///
/// let fresh = Rating::default();
/// let after = update_pair(Pair { white: fresh, black: fresh }, Score::Win);
/// assert_eq!(after.white.rating().round(), 1662.0);
/// assert_eq!(after.black.rating().round(), 1338.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rating {
    rating: f64,
    deviation: f64,
    volatility: f64,
}

impl Rating {
    /// What a player starts with: 1500 / 350 / 0.06.
    pub const FRESH: Self = Self { rating: 1500.0, deviation: 350.0, volatility: 0.06 };

    /// Checks the three numbers.
    ///
    /// # Errors
    /// Names the first number that is outside its bounds or is not a number.
    pub fn new(raw: RawRating) -> Result<Self, OutOfBounds> {
        if !RATING_BOUNDS.contains(raw.rating) {
            return Err(OutOfBounds::Rating(raw.rating));
        }
        if !DEVIATION_BOUNDS.contains(raw.deviation) {
            return Err(OutOfBounds::Deviation(raw.deviation));
        }
        if !VOLATILITY_BOUNDS.contains(raw.volatility) {
            return Err(OutOfBounds::Volatility(raw.volatility));
        }
        Ok(Self { rating: raw.rating, deviation: raw.deviation, volatility: raw.volatility })
    }

    /// The rating, on the familiar scale around 1500.
    #[must_use]
    pub const fn rating(&self) -> f64 {
        self.rating
    }

    /// The rating deviation: the player's strength is within two of these of the rating in 95 of 100 cases.
    #[must_use]
    pub const fn deviation(&self) -> f64 {
        self.deviation
    }

    /// The volatility: how much the player's strength is expected to wander in one period.
    #[must_use]
    pub const fn volatility(&self) -> f64 {
        self.volatility
    }

    /// The three numbers, to be stored or sent.
    #[must_use]
    pub const fn raw(&self) -> RawRating {
        RawRating { rating: self.rating, deviation: self.deviation, volatility: self.volatility }
    }

    /// Whether too little is known about the player to list the rating.
    #[must_use]
    pub fn is_provisional(&self) -> bool {
        self.deviation > PROVISIONAL_DEVIATION_MIN
    }

    /// The nearest rating that is inside the bounds. The arithmetic that leads here is finite for every valid input;
    /// a number that is not would be our bug.
    pub(crate) fn clamped(raw: RawRating) -> Self {
        assert!(
            raw.rating.is_finite() && raw.deviation.is_finite() && raw.volatility.is_finite(),
            "an update of valid ratings is finite: {raw:?}"
        );
        Self {
            rating: RATING_BOUNDS.clamp(raw.rating),
            deviation: DEVIATION_BOUNDS.clamp(raw.deviation),
            volatility: VOLATILITY_BOUNDS.clamp(raw.volatility),
        }
    }
}

impl Default for Rating {
    fn default() -> Self {
        Self::FRESH
    }
}
