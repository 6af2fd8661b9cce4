//! The cities that an installation begins with. They are written to the log at the first start; from then on operators decide.

use super::{City, Settings, Terms, TimeControl};

/// The three clocks of staked play (rules.md, set `city`): those that have a rating pool.
pub const STAKED_CLOCKS: [TimeControl; 3] = [
    TimeControl::minutes_plus_seconds(3, 2),
    TimeControl::minutes_plus_seconds(5, 0),
    TimeControl::minutes_plus_seconds(10, 0),
];

/// Play money, two decimals.
const PLAY_MONEY: &str = "XPL";

/// How much faster the clocks of the time-lapse city run, so that a demonstration need not wait three minutes for a flag.
const TIME_LAPSE: u32 = 30;

/// What every installation begins with.
#[must_use]
pub fn production() -> Vec<City> {
    vec![
        city("paris", "Paris", 500, 500),
        city("havana", "Havana", 2_500, 400),
        city("reykjavik", "Reykjavik", 10_000, 300),
        city("monte-carlo", "Monte Carlo", 5_000_000, 200),
    ]
}

/// The same and the time-lapse city.
#[must_use]
pub fn development() -> Vec<City> {
    let mut cities = production();
    let greenwich = city("greenwich", "Greenwich", 500, 500);
    cities.push(City { time_scale: TIME_LAPSE, ..greenwich });
    cities
}

fn city(id: &str, name: &str, stake_minor_units: i64, fee_basis_points: u32) -> City {
    let terms = Terms { stake_minor_units, currency: PLAY_MONEY.to_owned(), fee_basis_points };
    let settings = Settings {
        name: name.to_owned(),
        terms,
        time_controls: STAKED_CLOCKS.to_vec(),
        open_hours: None,
        is_enabled: true,
    };
    City { id: id.to_owned(), version: 0, time_scale: 1, settings }
}
