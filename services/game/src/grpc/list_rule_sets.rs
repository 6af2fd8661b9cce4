//! The rule sets as data, field by field as the domain has them.

use domain_chess::{
    ClockStart, ColourPolicy, DrawRule, LagCredit, MaterialRule, MatingRule, RatingPolicy, ResignationRule,
    RuleSet, StakePolicy, TableLeaving, TimedControls, UntimedGames,
};
use proto::game::v1 as pb;

use crate::wire;

pub(super) fn handle() -> pb::ListRuleSetsResponse {
    pb::ListRuleSetsResponse { rule_sets: RuleSet::presets().iter().map(rule_set).collect() }
}

/// How repetitions and quiet moves end a game.
pub(super) fn draws(rule: DrawRule) -> pb::DrawsSetting {
    match rule {
        DrawRule::Automatic => pb::DrawsSetting::Automatic,
        DrawRule::ByClaim => pb::DrawsSetting::ByClaim,
    }
}

/// How long each side's first move may take while no clock runs for it; 0 where one does, or none ever runs.
pub(super) fn first_move_due_ms(rules: &RuleSet) -> u32 {
    match rules.clock_start {
        ClockStart::FirstMovesFree { due_ms } => due_ms,
        ClockStart::WithGame | ClockStart::Never => 0,
    }
}

/// Whether getting up from the table loses a running game.
pub(super) fn leaving_table_loses(rules: &RuleSet) -> bool {
    rules.leaving.table == TableLeaving::Loses
}

fn rule_set(rules: &RuleSet) -> pb::RuleSet {
    let listed = match &rules.time_controls.timed {
        TimedControls::Listed(listed) => listed.as_slice(),
        TimedControls::Any | TimedControls::Refused => &[],
    };
    let resignation = match rules.resignation {
        ResignationRule::Loses => pb::MatingRule::Unspecified,
        ResignationRule::DrawWhenOpponentCannotMate(rule) => mating(rule),
    };
    pb::RuleSet {
        name: rules.name.clone(),
        time_controls: listed.iter().copied().map(wire::time_control).collect(),
        any_time_control: rules.time_controls.timed == TimedControls::Any,
        untimed: rules.time_controls.untimed == UntimedGames::Allowed,
        first_move_due_ms: first_move_due_ms(rules),
        lag_credit: rules.lag_credit.map(lag_credit),
        draws: draws(rules.draws) as i32,
        insufficient_material: material(rules.insufficient_material) as i32,
        // A set without clocks has no flag that could fall.
        flag: match rules.clock_start {
            ClockStart::Never => pb::MatingRule::Unspecified,
            ClockStart::WithGame | ClockStart::FirstMovesFree { .. } => mating(rules.flag),
        } as i32,
        resignation: resignation as i32,
        draw_offers_max: rules.draw_offers.per_player_max,
        draw_offer_first_after_moves: rules.draw_offers.first_after_own_moves,
        draw_offer_moves_between: rules.draw_offers.own_moves_between,
        gone_timed_ms: rules.leaving.gone_timed_ms.unwrap_or(0),
        gone_untimed_rated_ms: rules.leaving.gone_untimed_rated_ms.unwrap_or(0),
        leaving_table_loses: leaving_table_loses(rules),
        colors: colours(rules.colours) as i32,
        rating: rating(rules.rating) as i32,
        staked: rules.stakes == StakePolicy::Staked,
        at_tables: rules.stakes == StakePolicy::Unstaked,
    }
}

fn lag_credit(credit: LagCredit) -> pb::LagCreditRule {
    pb::LagCreditRule {
        per_move_ms_max: credit.per_move_ms_max,
        allowance_start_ms: credit.allowance_start_ms,
        allowance_gain_ms: credit.allowance_gain_ms,
        allowance_ms_max: credit.allowance_ms_max,
    }
}

fn material(rule: MaterialRule) -> pb::MaterialRule {
    match rule {
        MaterialRule::M1 => pb::MaterialRule::M1,
        MaterialRule::M2 => pb::MaterialRule::M2,
    }
}

fn mating(rule: MatingRule) -> pb::MatingRule {
    match rule {
        MatingRule::F1 => pb::MatingRule::F1,
        MatingRule::F2 => pb::MatingRule::F2,
        MatingRule::F3 => pb::MatingRule::F3,
        MatingRule::F4 => pb::MatingRule::F4,
    }
}

fn colours(policy: ColourPolicy) -> pb::ColorPolicy {
    match policy {
        ColourPolicy::RandomEvened => pb::ColorPolicy::RandomEvened,
        ColourPolicy::DrawnThenSwapped => pb::ColorPolicy::DrawnThenSwapped,
        ColourPolicy::PlayersChoice => pb::ColorPolicy::PlayersChoice,
    }
}

fn rating(policy: RatingPolicy) -> pb::RatingPolicy {
    match policy {
        RatingPolicy::Always => pb::RatingPolicy::Always,
        RatingPolicy::WhenBothArePeople => pb::RatingPolicy::WhenBothArePeople,
        RatingPolicy::Chosen => pb::RatingPolicy::Chosen,
        RatingPolicy::Never => pb::RatingPolicy::Never,
    }
}
