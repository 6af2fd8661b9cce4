//! The table of the five rule sets, one row here for each of its cells.

use domain_chess::{
    ClockStart, ColourPolicy, DrawOfferPolicy, DrawRule, LagCredit, LeavingPolicy, MaterialRule, MatingRule,
    RatingPolicy, Refusal, ResignationRule, RuleSet, StakePolicy, Standing, TableLeaving, TimeControl,
};

use crate::given::{Given, start};

/// The columns: city, table, match, solo, fide.
fn sets() -> [RuleSet; 5] {
    [RuleSet::city(), RuleSet::table(), RuleSet::friendly(), RuleSet::solo(), RuleSet::fide()]
}

/// Asserts one line of the table.
fn line<T: PartialEq + std::fmt::Debug>(cell: impl Fn(&RuleSet) -> T, expected: [T; 5]) {
    for (set, expected) in sets().iter().zip(expected) {
        assert_eq!(cell(set), expected, "{}", set.name);
    }
}

#[test]
fn names() {
    line(|set| set.name.clone(), ["city", "table", "match", "solo", "fide"].map(str::to_owned));
}

#[test]
fn time_controls() {
    let any = [true; 6];
    line(
        |set| {
            let controls = [(180, 2), (300, 0), (600, 0), (600, 5), (60, 0)];
            let allowed = controls.map(|(base_s, increment_s)| {
                set.time_controls.allows(Some(TimeControl::new(base_s * 1_000, increment_s * 1_000)))
            });
            let [a, b, c, d, e] = allowed;
            [a, b, c, d, e, set.time_controls.allows(None)]
        },
        [
            [true, true, true, false, false, false],
            [true, false, false, true, false, true],
            any,
            [false, false, false, false, false, true],
            any,
        ],
    );
}

#[test]
fn clock_start() {
    let free = ClockStart::FirstMovesFree { due_ms: 20_000 };
    let with_game = ClockStart::WithGame;
    line(|set| set.clock_start, [free, with_game, with_game, ClockStart::Never, with_game]);
}

#[test]
fn network_delay_credit() {
    line(|set| set.lag_credit, [Some(LagCredit::STANDARD), None, None, None, None]);
    assert_eq!(
        LagCredit::STANDARD,
        LagCredit {
            per_move_ms_max: 1_000,
            allowance_start_ms: 3_000,
            allowance_gain_ms: 1_000,
            allowance_ms_max: 7_000,
            reference: TimeControl::new(180_000, 2_000),
        }
    );
}

#[test]
fn repetition_and_quiet_moves() {
    let (automatic, by_claim) = (DrawRule::Automatic, DrawRule::ByClaim);
    line(|set| set.draws, [automatic, automatic, automatic, automatic, by_claim]);
}

#[test]
fn insufficient_material() {
    let (m1, m2) = (MaterialRule::M1, MaterialRule::M2);
    line(|set| set.insufficient_material, [m1, m1, m1, m2, m1]);
}

#[test]
fn flag() {
    // No flag can fall in `solo`, so its cell is empty in the table.
    let cell = |set: &RuleSet| (set.clock_start != ClockStart::Never).then_some(set.flag);
    let [f1, f2, f3, f4] = [MatingRule::F1, MatingRule::F2, MatingRule::F3, MatingRule::F4].map(Some);
    line(cell, [f1, f2, f3, None, f4]);
}

#[test]
fn resignation() {
    let loses = ResignationRule::Loses;
    let table = ResignationRule::DrawWhenOpponentCannotMate(MatingRule::F2);
    line(|set| set.resignation, [loses, table, loses, loses, loses]);
}

#[test]
fn draw_offers() {
    let offers = |per_player_max, first_after_own_moves, own_moves_between| DrawOfferPolicy {
        per_player_max,
        first_after_own_moves,
        own_moves_between,
    };
    let free = offers(None, 0, 0);
    line(|set| set.draw_offers, [offers(Some(3), 0, 0), offers(None, 1, 5), free, free, free]);
}

#[test]
fn leaving() {
    let leaving = |gone_timed_ms, gone_untimed_rated_ms, table| LeavingPolicy {
        gone_timed_ms,
        gone_untimed_rated_ms,
        table,
        leaving_spares_material: false,
    };
    let clock_only = leaving(None, None, TableLeaving::NoTable);
    line(
        |set| set.leaving,
        [
            leaving(Some(60_000), None, TableLeaving::NoTable),
            leaving(None, Some(180_000), TableLeaving::Loses),
            clock_only,
            clock_only,
            clock_only,
        ],
    );
}

#[test]
fn colours() {
    let swapped = ColourPolicy::DrawnThenSwapped;
    line(
        |set| set.colours,
        [ColourPolicy::RandomEvened, swapped, swapped, ColourPolicy::PlayersChoice, swapped],
    );
}

#[test]
fn rated_and_staked() {
    line(
        |set| (set.rating, set.stakes),
        [
            (RatingPolicy::Always, StakePolicy::Staked),
            (RatingPolicy::WhenBothArePeople, StakePolicy::Unstaked),
            (RatingPolicy::Never, StakePolicy::Unstaked),
            (RatingPolicy::Never, StakePolicy::Unstaked),
            (RatingPolicy::Chosen, StakePolicy::Unstaked),
        ],
    );
}

#[test]
fn a_game_outside_of_its_rule_set_is_not_started() {
    let refused = |rules: RuleSet, control, standing| {
        let start = domain_chess::Start { standing, ..start(rules, control) };
        let mut given = Given { game: domain_chess::Game::new(), events: Vec::new(), now_ms: 0, lag_ms: 0 };
        given.attempt(domain_chess::Command::Start(Box::new(start))) == Err(Refusal::NotAllowedByRuleSet)
    };
    let blitz = Some(crate::given::BLITZ);
    assert!(refused(RuleSet::city(), None, Standing::Rated));
    assert!(refused(RuleSet::city(), blitz, Standing::Casual));
    assert!(refused(RuleSet::city(), Some(TimeControl::new(60_000, 0)), Standing::Rated));
    assert!(refused(RuleSet::solo(), blitz, Standing::Casual));
    assert!(refused(RuleSet::friendly(), None, Standing::Rated));
    assert!(refused(RuleSet::friendly(), Some(TimeControl::new(0, 2_000)), Standing::Casual));
    assert!(refused(RuleSet::friendly(), Some(TimeControl::new(u32::MAX, 0)), Standing::Casual));
    assert!(!refused(RuleSet::city(), blitz, Standing::Rated));
}

#[test]
fn a_later_change_of_a_preset_does_not_touch_a_game_already_begun() {
    // CHESS-8: the name is the same, the fields of the game's own first event count.
    let changed = RuleSet { draws: DrawRule::ByClaim, rating: RatingPolicy::Chosen, ..RuleSet::city() };
    let mut given = crate::given::game(changed, Some(crate::given::BLITZ));
    given.play_all(crate::lists::L4);
    assert_eq!(given.end(), None);
}
