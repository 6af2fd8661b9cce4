use super::*;

const HOUR_MS: i64 = 3_600_000;
/// Midnight of some day.
const DAY_MS: i64 = 20_000 * 24 * HOUR_MS;

#[test]
fn production_has_no_city_with_a_time_scale() {
    assert!(production().iter().all(|city| city.time_scale == 1 && city.id != "greenwich"));
    assert!(development().iter().any(|city| city.time_scale > 1 && city.id == "greenwich"));
}

#[test]
fn pools_are_named_in_minutes_and_seconds() {
    assert_eq!(STAKED_CLOCKS.map(TimeControl::pool), ["3+2", "5+0", "10+0"]);
}

#[test]
fn open_hours_begin_with_their_first_minute_and_may_go_over_midnight() {
    let day = OpenHours { opens_minute: 8 * 60, closes_minute: 20 * 60 };
    let night = OpenHours { opens_minute: 20 * 60, closes_minute: 8 * 60 };
    for (hour_ms, is_day) in
        [(0, false), (8 * HOUR_MS - 1, false), (8 * HOUR_MS, true), (20 * HOUR_MS - 1, true)]
    {
        assert_eq!(day.contain(DAY_MS + hour_ms), is_day, "{hour_ms}");
        assert_eq!(night.contain(DAY_MS + hour_ms), !is_day, "{hour_ms}");
    }
    assert!(!day.contain(DAY_MS + 20 * HOUR_MS) && night.contain(DAY_MS + 20 * HOUR_MS));
}

#[test]
fn whoever_queued_under_other_terms_is_turned_away_and_says_why() {
    let paris = production().remove(0);
    let terms = paris.settings.terms.clone();
    let clock = STAKED_CLOCKS[0];
    assert_eq!(paris.turns_away(&terms, clock, DAY_MS), None);
    let dearer = Terms { stake_minor_units: 501, ..terms.clone() };
    assert_eq!(paris.turns_away(&dearer, clock, DAY_MS), Some(CancelReason::CityChanged));
    let unplayed = TimeControl::minutes_plus_seconds(1, 0);
    assert_eq!(paris.turns_away(&terms, unplayed, DAY_MS), Some(CancelReason::CityChanged));
    let disabled = City { settings: Settings { is_enabled: false, ..paris.settings.clone() }, ..paris };
    assert_eq!(disabled.turns_away(&terms, clock, DAY_MS), Some(CancelReason::CityClosed));
}
