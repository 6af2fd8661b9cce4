//! A rating in any pool, whichever system the pool has.

use crate::glicko2::STEP_MAX;
use crate::rating::{DEVIATION_BOUNDS, OutOfBounds, RATING_BOUNDS, VOLATILITY_BOUNDS};
use crate::{Elo, Pair, Pool, Rating, RawRating, Score, System, after_idle_days, elo, glicko2};

/// A player's rating in a pool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PoolRating {
    /// In a pool of [`System::Glicko2`].
    Glicko2(Rating),
    /// In a pool of [`System::Elo`]; it has neither deviation nor volatility.
    Elo(Elo),
}

/// By how much somebody moves a rating by hand: finite, not nothing, at most [`STEP_MAX`] either way, like a game.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Points(f64);

impl Points {
    /// Checks the points; nothing when they are none, too many, or not a number.
    #[must_use]
    pub fn new(points: f64) -> Option<Self> {
        (points != 0.0 && points.abs() <= STEP_MAX).then_some(Self(points))
    }

    /// As a number.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl PoolRating {
    /// What a player starts with in the pool.
    #[must_use]
    pub const fn fresh(pool: Pool) -> Self {
        match pool.system {
            System::Glicko2 => Self::Glicko2(Rating::FRESH),
            System::Elo => Self::Elo(Elo::FRESH),
        }
    }

    /// Checks the numbers of a rating in the pool.
    ///
    /// # Errors
    /// Names the first number that a rating of this pool cannot have.
    pub fn new(pool: Pool, raw: RawRating) -> Result<Self, OutOfBounds> {
        match pool.system {
            System::Glicko2 => Rating::new(raw).map(Self::Glicko2),
            System::Elo if raw.deviation != 0.0 => Err(OutOfBounds::Deviation(raw.deviation)),
            System::Elo if raw.volatility != 0.0 => Err(OutOfBounds::Volatility(raw.volatility)),
            System::Elo => Elo::new(raw.rating).map(Self::Elo).map_err(|_| OutOfBounds::Rating(raw.rating)),
        }
    }

    /// The numbers, to be stored or sent; deviation and volatility are 0 where the system has none.
    #[must_use]
    pub const fn raw(&self) -> RawRating {
        match self {
            Self::Glicko2(rating) => rating.raw(),
            Self::Elo(elo) => RawRating { rating: elo.rating(), deviation: 0.0, volatility: 0.0 },
        }
    }

    /// The numbers bit for bit: as numbers, 0 and -0 would be the same.
    #[must_use]
    pub const fn bits(&self) -> [u64; 3] {
        let raw = self.raw();
        [raw.rating.to_bits(), raw.deviation.to_bits(), raw.volatility.to_bits()]
    }

    /// Whether too little is known about the player to list the rating.
    #[must_use]
    pub fn is_provisional(&self) -> bool {
        match self {
            Self::Glicko2(rating) => rating.is_provisional(),
            Self::Elo(_) => false,
        }
    }

    /// After `days` without a game.
    #[must_use]
    pub fn after_idle_days(self, days: f64) -> Self {
        match self {
            Self::Glicko2(rating) => Self::Glicko2(after_idle_days(rating, days)),
            Self::Elo(_) => self,
        }
    }

    /// With the points added; inside the bounds.
    #[must_use]
    pub fn moved(self, points: f64) -> Self {
        match self {
            Self::Glicko2(rating) => {
                Self::Glicko2(Rating::clamped(RawRating { rating: rating.rating() + points, ..rating.raw() }))
            }
            Self::Elo(elo) => Self::Elo(elo.moved(points)),
        }
    }
}

/// Rates one game, both players from the ratings before it (`GLICKO-2`). Idle time is added by the caller first.
///
/// # Panics
/// When the two are ratings of different systems, and so not of one pool.
#[must_use]
pub fn update_pair(before: Pair<PoolRating>, score_for_white: Score) -> Pair<PoolRating> {
    match (before.white, before.black) {
        (PoolRating::Glicko2(white), PoolRating::Glicko2(black)) => {
            let after = glicko2::update_pair(Pair { white, black }, score_for_white);
            Pair { white: PoolRating::Glicko2(after.white), black: PoolRating::Glicko2(after.black) }
        }
        (PoolRating::Elo(white), PoolRating::Elo(black)) => {
            let after = elo::update_pair(Pair { white, black }, score_for_white);
            Pair { white: PoolRating::Elo(after.white), black: PoolRating::Elo(after.black) }
        }
        (white, black) => panic!("the players of a game are rated in one pool: {white:?}, {black:?}"),
    }
}

// The bounds of Glicko-2 leave no room for the zeros that stand for "has none".
const _: () = assert!(DEVIATION_BOUNDS.min > 0.0 && VOLATILITY_BOUNDS.min > 0.0 && RATING_BOUNDS.min > 0.0);
