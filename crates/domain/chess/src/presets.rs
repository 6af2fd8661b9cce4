//! The five rule sets in use, field by field as in the table of the rules of play.

use crate::{
    rule_set::{
        ClockStart, ColourPolicy, DrawOfferPolicy, DrawRule, LagCredit, LeavingPolicy, MaterialRule,
        MatingRule, RatingPolicy, ResignationRule, RuleSet, StakePolicy, TableLeaving, TimeControlPolicy,
        TimedControls, UntimedGames,
    },
    time_control::TimeControl,
};

/// How long a first move of `city` may take.
const FIRST_MOVE_DUE_MS: u32 = 20_000;
/// How long a player of `city` may be gone while on move.
const GONE_TIMED_MS: u32 = 60_000;
/// How long a player of a rated, untimed `table` game may be gone on his turn.
const GONE_UNTIMED_RATED_MS: u32 = 180_000;
/// How many draw offers a player of `city` has.
const CITY_DRAW_OFFERS_MAX: u32 = 3;

const OFFERS_WITHOUT_LIMIT: DrawOfferPolicy =
    DrawOfferPolicy { per_player_max: None, first_after_own_moves: 0, own_moves_between: 0 };

const CLOCK_ONLY: LeavingPolicy = LeavingPolicy {
    gone_timed_ms: None,
    gone_untimed_rated_ms: None,
    table: TableLeaving::NoTable,
    leaving_spares_material: false,
};

impl LagCredit {
    /// At most 1 s a move out of an allowance of 3 s that gains 1 s a move up to 7 s, for 3+2 and slower.
    pub const STANDARD: LagCredit = LagCredit {
        per_move_ms_max: 1_000,
        allowance_start_ms: 3_000,
        allowance_gain_ms: 1_000,
        allowance_ms_max: 7_000,
        reference: TimeControl::new(180_000, 2_000),
    };
}

impl RuleSet {
    /// All five, in the order in which people are told of them.
    pub fn presets() -> [RuleSet; 5] {
        [RuleSet::city(), RuleSet::table(), RuleSet::friendly(), RuleSet::solo(), RuleSet::fide()]
    }

    /// Staked and ranked games.
    pub fn city() -> RuleSet {
        RuleSet {
            name: "city".to_owned(),
            time_controls: TimeControlPolicy {
                timed: TimedControls::Listed(vec![
                    TimeControl::new(180_000, 2_000),
                    TimeControl::new(300_000, 0),
                    TimeControl::new(600_000, 0),
                ]),
                untimed: UntimedGames::Refused,
            },
            clock_start: ClockStart::FirstMovesFree { due_ms: FIRST_MOVE_DUE_MS },
            lag_credit: Some(LagCredit::STANDARD),
            draws: DrawRule::Automatic,
            insufficient_material: MaterialRule::M1,
            flag: MatingRule::F1,
            resignation: ResignationRule::Loses,
            draw_offers: DrawOfferPolicy {
                per_player_max: Some(CITY_DRAW_OFFERS_MAX),
                first_after_own_moves: 0,
                own_moves_between: 0,
            },
            leaving: LeavingPolicy { gone_timed_ms: Some(GONE_TIMED_MS), ..CLOCK_ONLY },
            colours: ColourPolicy::RandomEvened,
            rating: RatingPolicy::Always,
            stakes: StakePolicy::Staked,
        }
    }

    /// House tables.
    pub fn table() -> RuleSet {
        RuleSet {
            name: "table".to_owned(),
            time_controls: TimeControlPolicy {
                timed: TimedControls::Listed(vec![
                    TimeControl::new(180_000, 2_000),
                    TimeControl::new(600_000, 5_000),
                ]),
                untimed: UntimedGames::Allowed,
            },
            clock_start: ClockStart::WithGame,
            lag_credit: None,
            draws: DrawRule::Automatic,
            insufficient_material: MaterialRule::M1,
            flag: MatingRule::F2,
            resignation: ResignationRule::DrawWhenOpponentCannotMate(MatingRule::F2),
            draw_offers: DrawOfferPolicy {
                per_player_max: None,
                first_after_own_moves: 1,
                own_moves_between: 5,
            },
            leaving: LeavingPolicy {
                gone_untimed_rated_ms: Some(GONE_UNTIMED_RATED_MS),
                table: TableLeaving::Loses,
                ..CLOCK_ONLY
            },
            colours: ColourPolicy::DrawnThenSwapped,
            rating: RatingPolicy::WhenBothArePeople,
            stakes: StakePolicy::Unstaked,
        }
    }

    /// Friendly games, as they are unless the players set `draws` or `lag_credit` otherwise.
    pub fn friendly() -> RuleSet {
        RuleSet {
            name: "match".to_owned(),
            time_controls: TimeControlPolicy { timed: TimedControls::Any, untimed: UntimedGames::Allowed },
            clock_start: ClockStart::WithGame,
            lag_credit: None,
            draws: DrawRule::Automatic,
            insufficient_material: MaterialRule::M1,
            flag: MatingRule::F3,
            resignation: ResignationRule::Loses,
            draw_offers: OFFERS_WITHOUT_LIMIT,
            leaving: CLOCK_ONLY,
            colours: ColourPolicy::DrawnThenSwapped,
            rating: RatingPolicy::Never,
            stakes: StakePolicy::Unstaked,
        }
    }

    /// Games against the computer, or of two people on one device.
    pub fn solo() -> RuleSet {
        RuleSet {
            name: "solo".to_owned(),
            time_controls: TimeControlPolicy {
                timed: TimedControls::Refused,
                untimed: UntimedGames::Allowed,
            },
            clock_start: ClockStart::Never,
            lag_credit: None,
            draws: DrawRule::Automatic,
            insufficient_material: MaterialRule::M2,
            // No flag can fall without a clock; the field has to hold something.
            flag: MatingRule::F4,
            resignation: ResignationRule::Loses,
            draw_offers: OFFERS_WITHOUT_LIMIT,
            leaving: CLOCK_ONLY,
            colours: ColourPolicy::PlayersChoice,
            rating: RatingPolicy::Never,
            stakes: StakePolicy::Unstaked,
        }
    }

    /// The Laws of Chess to the letter.
    pub fn fide() -> RuleSet {
        RuleSet {
            name: "fide".to_owned(),
            time_controls: TimeControlPolicy { timed: TimedControls::Any, untimed: UntimedGames::Allowed },
            clock_start: ClockStart::WithGame,
            lag_credit: None,
            draws: DrawRule::ByClaim,
            insufficient_material: MaterialRule::M1,
            flag: MatingRule::F4,
            resignation: ResignationRule::Loses,
            draw_offers: OFFERS_WITHOUT_LIMIT,
            leaving: CLOCK_ONLY,
            colours: ColourPolicy::DrawnThenSwapped,
            rating: RatingPolicy::Chosen,
            stakes: StakePolicy::Unstaked,
        }
    }
}
