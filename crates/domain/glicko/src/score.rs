//! The result of a game and the two sides of it.

/// The result of a game as one player sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Score {
    /// The player won.
    Win,
    /// Neither won.
    Draw,
    /// The player lost.
    Loss,
}

impl Score {
    /// The result as the other player sees it.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Win => Self::Loss,
            Self::Draw => Self::Draw,
            Self::Loss => Self::Win,
        }
    }

    /// The result that gives so many points, if one does.
    #[must_use]
    pub fn of_points(points: f64) -> Option<Self> {
        [Self::Win, Self::Draw, Self::Loss].into_iter().find(|score| score.points() == points)
    }

    /// The points of the result: 1, ½ or 0.
    #[must_use]
    pub const fn points(self) -> f64 {
        match self {
            Self::Win => 1.0,
            Self::Draw => 0.5,
            Self::Loss => 0.0,
        }
    }
}

/// What belongs to each of the two players of one game, so that the two can never be swapped by position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pair<T> {
    /// White's.
    pub white: T,
    /// Black's.
    pub black: T,
}
