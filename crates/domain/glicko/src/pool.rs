//! The rating pools, as data: a pool more is a row more.

/// How a pool rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum System {
    /// [`crate::glicko2`], one game a period.
    Glicko2,
    /// [`crate::elo`].
    Elo,
}

/// A set of games whose results are comparable; a player has one rating in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pool {
    /// The stable name, stored with every rating: a staked pool is called after its time control (base minutes + increment
    /// seconds).
    pub id: &'static str,
    /// How it rates.
    pub system: System,
}

/// Every pool there is: one for each staked time control, and the house tables.
pub const POOLS: [Pool; 4] = [
    Pool { id: "3+2", system: System::Glicko2 },
    Pool { id: "5+0", system: System::Glicko2 },
    Pool { id: "10+0", system: System::Glicko2 },
    Pool { id: "table", system: System::Elo },
];

impl Pool {
    /// The pool of that name.
    #[must_use]
    pub fn find(id: &str) -> Option<Self> {
        POOLS.into_iter().find(|pool| pool.id == id)
    }
}
