//! Who may deposit, play and withdraw: each rule by itself.

use std::collections::BTreeSet;

use domain_ledger::eligibility::{
    Action, BirthDate, DAY_MS, EXCLUSION_MS_MIN, Exclusion, Identity, Ineligible, LimitKind, Policy, Region,
    Regions, Standing, StandingRefusal, Usage,
};

use crate::scenario::amount;

/// 2026-03-01T00:00:00Z.
const NOW_MS: i64 = 1_772_323_200_000;

fn known() -> Usage {
    Usage {
        deposited_day_minor: Some(0),
        deposited_week_minor: Some(0),
        deposited_month_minor: Some(0),
        lost_day_minor: Some(0),
        at_stake_minor: Some(0),
    }
}

fn deposit(minor: i64) -> Action {
    Action::Deposit(amount(minor))
}

fn play(minor: i64) -> Action {
    Action::Play(amount(minor))
}

fn withdraw(minor: i64) -> Action {
    Action::Withdraw(amount(minor))
}

fn person(born: &str, region: &str) -> Standing {
    let born = BirthDate::parse(born).unwrap();
    let region = Region::parse(region).unwrap();
    Standing { identity: Some(Identity { born, region }), ..Standing::default() }
}

fn limited(kind: LimitKind, minor: i64) -> Standing {
    let standing = Standing::default();
    let event = standing.set_limit(kind, Some(minor), NOW_MS).unwrap();
    standing.evolve(&event)
}

#[test]
fn play_money_asks_nothing_of_anybody() {
    let policy = Policy::default();
    for action in [deposit(i64::MAX), play(i64::MAX), withdraw(i64::MAX)] {
        assert_eq!(policy.ask(&Standing::default(), &Usage::default(), action, NOW_MS), Ok(()));
    }
}

#[test]
fn without_a_verified_identity_nothing_goes_where_one_is_needed() {
    // LEDGER-9: age and region cannot be told without it either.
    let regions = Regions::Only(BTreeSet::from([Region::parse("GB").unwrap()]));
    for policy in [
        Policy { needs_identity: true, ..Policy::default() },
        Policy { age_years_min: Some(18), ..Policy::default() },
        Policy { regions, ..Policy::default() },
    ] {
        for action in [deposit(1), play(1), withdraw(1)] {
            let answer = policy.ask(&Standing::default(), &known(), action, NOW_MS);
            assert_eq!(answer, Err(Ineligible::IdentityUnknown), "{policy:?} {action:?}");
        }
        assert_eq!(policy.ask(&person("1990-01-01", "GB"), &known(), play(1), NOW_MS), Ok(()));
    }
}

#[test]
fn nobody_plays_or_deposits_a_day_too_young_and_everybody_may_have_his_money() {
    let policy = Policy { age_years_min: Some(18), ..Policy::default() };
    let ask = |born: &str, action| policy.ask(&person(born, "GB"), &known(), action, NOW_MS);
    assert_eq!(ask("2008-03-01", play(1)), Ok(()));
    assert_eq!(ask("2008-03-02", play(1)), Err(Ineligible::TooYoung));
    assert_eq!(ask("2008-03-02", deposit(1)), Err(Ineligible::TooYoung));
    assert_eq!(ask("2008-03-02", withdraw(1)), Ok(()));
    // Born on a leap day: eighteen on 1 March.
    assert_eq!(ask("2008-02-29", play(1)), Ok(()));
    let day_before = policy.ask(&person("2008-02-29", "GB"), &known(), play(1), NOW_MS - 1);
    assert_eq!(day_before, Err(Ineligible::TooYoung));
    assert_eq!(ask("2030-01-01", play(1)), Err(Ineligible::TooYoung));
}

#[test]
fn only_real_dates_and_region_codes_are_read() {
    for bad in [
        "2001-02-29",
        "2001-13-01",
        "2001-00-10",
        "1899-01-01",
        "2001-1-1",
        "+001-01-01",
        "",
        "2001-01-01-01",
    ] {
        assert_eq!(BirthDate::parse(bad), None, "{bad}");
    }
    assert_eq!(BirthDate::parse("2000-02-29").unwrap().parts(), (2000, 2, 29));
    for bad in ["", "G", "gb", "GBR", "US-", "US-ABCD", "US-ny", "US_NY", "US-N-Y"] {
        assert!(Region::parse(bad).is_err(), "{bad}");
    }
    for good in ["GB", "US-NY", "FR-75", "DE-B"] {
        assert_eq!(Region::parse(good).unwrap().code(), good);
    }
}

#[test]
fn a_country_stands_for_its_parts_and_a_part_for_itself() {
    let regions = ["GB", "US-NY"].map(|code| Region::parse(code).unwrap());
    let policy = Policy { regions: Regions::Only(regions.into()), ..Policy::default() };
    let ask = |region: &str| policy.ask(&person("1990-01-01", region), &known(), play(1), NOW_MS);
    for good in ["GB", "GB-SCT", "US-NY"] {
        assert_eq!(ask(good), Ok(()), "{good}");
    }
    for bad in ["US", "US-WA", "IN"] {
        assert_eq!(ask(bad), Err(Ineligible::Region), "{bad}");
    }
}

#[test]
fn an_exclusion_begins_at_once_lasts_six_months_and_is_never_shortened() {
    // LEDGER-8
    let standing = Standing::default();
    let short = Exclusion::Until(NOW_MS + EXCLUSION_MS_MIN - 1);
    assert_eq!(standing.exclude(short, NOW_MS), Err(StandingRefusal::TooShort));
    let until_ms = NOW_MS + EXCLUSION_MS_MIN + 10 * DAY_MS;
    let excluded = standing.evolve(&standing.exclude(Exclusion::Until(until_ms), NOW_MS).unwrap());
    let policy = Policy::default();
    for action in [deposit(1), play(1)] {
        assert_eq!(policy.ask(&excluded, &known(), action, NOW_MS), Err(Ineligible::Excluded));
        assert_eq!(policy.ask(&excluded, &known(), action, until_ms - 1), Err(Ineligible::Excluded));
        assert_eq!(policy.ask(&excluded, &known(), action, until_ms), Ok(()));
    }
    assert_eq!(policy.ask(&excluded, &known(), withdraw(1), NOW_MS), Ok(()));
    let earlier = Exclusion::Until(until_ms - 1);
    assert_eq!(excluded.exclude(earlier, NOW_MS), Err(StandingRefusal::Shortens));
    let longer = Exclusion::Until(until_ms + 1);
    assert!(excluded.exclude(longer, NOW_MS).is_ok());
    let for_ever = excluded.evolve(&excluded.exclude(Exclusion::ForEver, NOW_MS).unwrap());
    assert_eq!(for_ever.exclude(longer, NOW_MS), Err(StandingRefusal::Shortens));
    assert_eq!(policy.ask(&for_ever, &known(), play(1), i64::MAX), Err(Ineligible::Excluded));
    // Once it is over a new one is a new one.
    let new = Exclusion::Until(until_ms + EXCLUSION_MS_MIN);
    assert!(excluded.exclude(new, until_ms).is_ok());
}

#[test]
fn the_strictest_deposit_limit_wins() {
    let mut standing = Standing::default();
    for (kind, minor) in
        [(LimitKind::DepositDay, 100), (LimitKind::DepositWeek, 250), (LimitKind::DepositMonth, 300)]
    {
        standing = standing.evolve(&standing.set_limit(kind, Some(minor), NOW_MS).unwrap());
    }
    let ask = |usage: Usage, minor| Policy::default().ask(&standing, &usage, deposit(minor), NOW_MS);
    let used = |day, week, month| Usage {
        deposited_day_minor: Some(day),
        deposited_week_minor: Some(week),
        deposited_month_minor: Some(month),
        ..known()
    };
    assert_eq!(ask(used(0, 0, 0), 100), Ok(()));
    let refused = |kind, left_minor| Err(Ineligible::Limit { kind, left_minor });
    assert_eq!(ask(used(0, 0, 0), 101), refused(LimitKind::DepositDay, 100));
    assert_eq!(ask(used(0, 200, 200), 51), refused(LimitKind::DepositWeek, 50));
    assert_eq!(ask(used(0, 0, 260), 41), refused(LimitKind::DepositMonth, 40));
    assert_eq!(ask(used(0, 0, 999), 1), refused(LimitKind::DepositMonth, 0));
    // Limits of deposits keep nobody from playing or from his money.
    assert_eq!(Policy::default().ask(&standing, &used(100, 250, 300), play(1_000), NOW_MS), Ok(()));
    assert_eq!(Policy::default().ask(&standing, &used(100, 250, 300), withdraw(1_000), NOW_MS), Ok(()));
}

#[test]
fn a_limit_is_lowered_at_once_and_raised_after_a_day() {
    // LEDGER-8
    let kind = LimitKind::DepositWeek;
    let standing = limited(kind, 100);
    let set = |standing: Standing, limit, now_ms| {
        standing.evolve(&standing.set_limit(kind, limit, now_ms).unwrap())
    };
    let lowered = set(standing, Some(50), NOW_MS);
    assert_eq!(lowered.limits.at(kind, NOW_MS), Some(50));
    for higher in [Some(200), None] {
        let raised = set(standing, higher, NOW_MS);
        assert_eq!(raised.limits.at(kind, NOW_MS + DAY_MS - 1), Some(100));
        assert_eq!(raised.limits.waiting(kind, NOW_MS), Some((higher, NOW_MS + DAY_MS)));
        assert_eq!(raised.limits.at(kind, NOW_MS + DAY_MS), higher);
        // A lower one meanwhile ends the waiting.
        let changed_his_mind = set(raised, Some(10), NOW_MS + 1);
        assert_eq!(changed_his_mind.limits.at(kind, NOW_MS + 2 * DAY_MS), Some(10));
        // Asking again begins the waiting anew.
        let asked_again = set(raised, Some(150), NOW_MS + DAY_MS - 1);
        assert_eq!(asked_again.limits.at(kind, NOW_MS + DAY_MS), Some(100));
        assert_eq!(asked_again.limits.at(kind, NOW_MS + 2 * DAY_MS - 1), Some(150));
    }
    let none = Standing::default().set_limit(kind, Some(-1), NOW_MS);
    assert_eq!(none, Err(StandingRefusal::NegativeLimit));
}

#[test]
fn what_is_at_stake_counts_as_lost_until_the_game_is_over() {
    let standing = limited(LimitKind::LossDay, 100);
    let ask = |lost, at_stake, stake| {
        let usage = Usage { lost_day_minor: Some(lost), at_stake_minor: Some(at_stake), ..known() };
        Policy::default().ask(&standing, &usage, play(stake), NOW_MS)
    };
    assert_eq!(ask(0, 0, 100), Ok(()));
    let left = |left_minor| Err(Ineligible::Limit { kind: LimitKind::LossDay, left_minor });
    assert_eq!(ask(60, 0, 41), left(40));
    assert_eq!(ask(0, 60, 41), left(40));
    assert_eq!(ask(60, 60, 1), left(0));
    // What was won today may be lost again.
    assert_eq!(ask(-50, 0, 150), Ok(()));
    assert_eq!(ask(i64::MAX, i64::MAX, i64::MAX), left(0));
}

#[test]
fn a_limit_refuses_when_what_was_used_of_it_is_not_known() {
    // LEDGER-9
    for (kind, action) in [
        (LimitKind::DepositDay, deposit(1)),
        (LimitKind::DepositWeek, deposit(1)),
        (LimitKind::DepositMonth, deposit(1)),
        (LimitKind::LossDay, play(1)),
    ] {
        let answer = Policy::default().ask(&limited(kind, 1_000), &Usage::default(), action, NOW_MS);
        assert_eq!(answer, Err(Ineligible::Undecidable), "{kind:?}");
    }
}
