//! Classes of clocks: people choose differently with less time.

/// Seconds that a game of forty moves gives a player, from which each class but the fastest begins; the limits are
/// lichess's.
const BEGINS_S: [f64; 3] = [180.0, 480.0, 1500.0];

/// Moves that the increment is counted for.
const MOVES: f64 = 40.0;

/// How fast a game is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TimeClass {
    /// Less than three minutes.
    Bullet,
    /// Less than eight minutes.
    Blitz,
    /// Less than twenty-five minutes.
    Rapid,
    /// Anything slower.
    Classical,
}

impl TimeClass {
    /// All classes, the fastest first.
    pub const ALL: [Self; 4] = [Self::Bullet, Self::Blitz, Self::Rapid, Self::Classical];

    /// The class of a clock.
    #[must_use]
    pub fn of(clock: Clock) -> Self {
        let seconds = clock.base_s + MOVES * clock.increment_s;
        let passed = BEGINS_S.iter().filter(|begin| seconds >= **begin).count();
        Self::ALL[passed]
    }

    /// Its stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bullet => "bullet",
            Self::Blitz => "blitz",
            Self::Rapid => "rapid",
            Self::Classical => "classical",
        }
    }

    /// The class with this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }
}

/// A clock as it stands at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// Time on each clock, in seconds.
    pub base_s: f64,
    /// Added after every move, in seconds.
    pub increment_s: f64,
}
