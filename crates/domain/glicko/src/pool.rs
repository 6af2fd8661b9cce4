//! The rating pools, as data: a pool more is a row more.

/// How a pool rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum System {
    /// [`crate::glicko2`], one game a period.
    Glicko2,
    /// [`crate::elo`].
    Elo,
}

/// Which clocks of a rule set's games count in a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Clocks {
    /// The one that the pool is called after.
    Named,
    /// Any, and games without one.
    Any,
}

/// A set of games whose results are comparable; a player has one rating in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pool {
    /// The stable name, stored with every rating: a staked pool is called after its time control (base minutes + increment
    /// seconds).
    pub id: &'static str,
    /// How it rates.
    pub system: System,
    /// The rule set whose games count in it.
    pub rule_set: &'static str,
    /// Which clocks of these games count in it.
    pub clocks: Clocks,
}

/// Every pool there is: one for each staked time control, and the house tables.
pub const POOLS: [Pool; 4] = [staked("3+2"), staked("5+0"), staked("10+0"), TABLE];

const TABLE: Pool = Pool { id: "table", system: System::Elo, rule_set: "table", clocks: Clocks::Any };

const fn staked(id: &'static str) -> Pool {
    Pool { id, system: System::Glicko2, rule_set: "city", clocks: Clocks::Named }
}

impl Pool {
    /// The pool of that name.
    #[must_use]
    pub fn find(id: &str) -> Option<Self> {
        POOLS.into_iter().find(|pool| pool.id == id)
    }

    /// The pool in which games of that rule set and clock count, if there is one. `clock` is the clock's name in whole
    /// minutes and seconds, as `3+2`; nothing for a game without a clock or with another one.
    #[must_use]
    pub fn of_game(rule_set: &str, clock: Option<&str>) -> Option<Self> {
        POOLS
            .into_iter()
            .find(|pool| pool.rule_set == rule_set && (pool.clocks == Clocks::Any || clock == Some(pool.id)))
    }
}
