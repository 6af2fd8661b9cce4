//! The cities: what is staked where, under which clocks.

/// A chess clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimeControl {
    /// Time at the start, in milliseconds.
    pub base_ms: i64,
    /// Added after each move, in milliseconds.
    pub increment_ms: i64,
}

impl TimeControl {
    /// A control of whole minutes and seconds.
    #[must_use]
    pub const fn minutes_plus_seconds(minutes: i64, seconds: i64) -> Self {
        Self { base_ms: minutes * 60_000, increment_ms: seconds * 1_000 }
    }

    /// The name of its rating pool, as `3+2`.
    #[must_use]
    pub fn pool(self) -> String {
        format!("{}+{}", self.base_ms / 60_000, self.increment_ms / 1_000)
    }
}

/// A stake and the clocks it is played under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct City {
    /// Its id, as `paris`.
    pub id: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What each player stakes, in minor units.
    pub stake_minor_units: i64,
    /// ISO 4217 code of the stake.
    pub currency: &'static str,
    /// The house's fee on the pot.
    pub fee_basis_points: u32,
    /// The clocks played there.
    pub time_controls: &'static [TimeControl],
    /// How many times faster than real time the clocks run: always 1 outside development.
    pub time_scale: u32,
}

/// The three clocks of staked play (rules.md, set `city`).
const STAKED_CLOCKS: &[TimeControl] = &[
    TimeControl::minutes_plus_seconds(3, 2),
    TimeControl::minutes_plus_seconds(5, 0),
    TimeControl::minutes_plus_seconds(10, 0),
];

/// Play money, two decimals.
const PLAY_MONEY: &str = "XPL";

const CITIES: &[City] = &[
    City {
        id: "paris",
        name: "Paris",
        stake_minor_units: 500,
        currency: PLAY_MONEY,
        fee_basis_points: 500,
        time_controls: STAKED_CLOCKS,
        time_scale: 1,
    },
    City {
        id: "havana",
        name: "Havana",
        stake_minor_units: 2_500,
        currency: PLAY_MONEY,
        fee_basis_points: 400,
        time_controls: STAKED_CLOCKS,
        time_scale: 1,
    },
    City {
        id: "reykjavik",
        name: "Reykjavik",
        stake_minor_units: 10_000,
        currency: PLAY_MONEY,
        fee_basis_points: 300,
        time_controls: STAKED_CLOCKS,
        time_scale: 1,
    },
    City {
        id: "monte-carlo",
        name: "Monte Carlo",
        stake_minor_units: 5_000_000,
        currency: PLAY_MONEY,
        fee_basis_points: 200,
        time_controls: STAKED_CLOCKS,
        time_scale: 1,
    },
];

/// Its clocks run thirty times faster, so that a demonstration need not wait three minutes for a flag.
const TIME_LAPSE_CITY: City = City {
    id: "greenwich",
    name: "Greenwich (time lapse, development only)",
    stake_minor_units: 500,
    currency: PLAY_MONEY,
    fee_basis_points: 500,
    time_controls: STAKED_CLOCKS,
    time_scale: 30,
};

/// The cities that this installation plays in.
#[derive(Debug, Clone)]
pub struct Cities(Vec<City>);

impl Cities {
    /// What every installation has.
    #[must_use]
    pub fn production() -> Self {
        Self(CITIES.to_vec())
    }

    /// The same and the time-lapse city.
    #[must_use]
    pub fn development() -> Self {
        let mut cities = CITIES.to_vec();
        cities.push(TIME_LAPSE_CITY);
        Self(cities)
    }

    /// The city with this id.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<&City> {
        self.0.iter().find(|city| city.id == id)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &City> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn production_has_no_city_with_a_time_scale() {
        assert!(Cities::production().iter().all(|city| city.time_scale == 1));
        assert!(Cities::production().find("greenwich").is_none());
        assert!(Cities::development().find("greenwich").is_some());
    }

    #[test]
    fn pools_are_named_in_minutes_and_seconds() {
        let names: Vec<String> = STAKED_CLOCKS.iter().map(|clock| clock.pool()).collect();
        assert_eq!(names, ["3+2", "5+0", "10+0"]);
    }
}
