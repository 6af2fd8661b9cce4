//! A rule set as it is stored with a game: one code word a field, so that a preset changed later changes no game already
//! played, and a record can be read without our code.
//!
//! The words are kept for ever. A new field of the domain gets a new word here, and a default for records without it.

use std::collections::BTreeMap;

use domain_chess::{
    ClockStart, ColourPolicy, DrawOfferPolicy, DrawRule, LagCredit, LeavingPolicy, MaterialRule, MatingRule,
    RatingPolicy, ResignationRule, RuleSet, StakePolicy, TableLeaving, TimeControl, TimeControlPolicy,
    TimedControls, UntimedGames,
};
use proto::game::v1::RuleSetRecord;

const NONE: &str = "none";

const UNTIMED: [(&str, UntimedGames); 2] =
    [("allowed", UntimedGames::Allowed), ("refused", UntimedGames::Refused)];
const DRAWS: [(&str, DrawRule); 2] = [("automatic", DrawRule::Automatic), ("by_claim", DrawRule::ByClaim)];
const MATERIAL: [(&str, MaterialRule); 2] = [("m1", MaterialRule::M1), ("m2", MaterialRule::M2)];
const MATING: [(&str, MatingRule); 4] =
    [("f1", MatingRule::F1), ("f2", MatingRule::F2), ("f3", MatingRule::F3), ("f4", MatingRule::F4)];
const RESIGNATION: [(&str, ResignationRule); 5] = [
    ("loses", ResignationRule::Loses),
    ("draws_by_f1", ResignationRule::DrawWhenOpponentCannotMate(MatingRule::F1)),
    ("draws_by_f2", ResignationRule::DrawWhenOpponentCannotMate(MatingRule::F2)),
    ("draws_by_f3", ResignationRule::DrawWhenOpponentCannotMate(MatingRule::F3)),
    ("draws_by_f4", ResignationRule::DrawWhenOpponentCannotMate(MatingRule::F4)),
];
const TABLE: [(&str, TableLeaving); 2] =
    [("loses", TableLeaving::Loses), ("no_table", TableLeaving::NoTable)];
const SPARES: [(&str, bool); 2] = [("yes", true), ("no", false)];
const COLOURS: [(&str, ColourPolicy); 3] = [
    ("random_evened", ColourPolicy::RandomEvened),
    ("drawn_then_swapped", ColourPolicy::DrawnThenSwapped),
    ("players_choice", ColourPolicy::PlayersChoice),
];
const RATING: [(&str, RatingPolicy); 4] = [
    ("always", RatingPolicy::Always),
    ("when_both_are_people", RatingPolicy::WhenBothArePeople),
    ("chosen", RatingPolicy::Chosen),
    ("never", RatingPolicy::Never),
];
const STAKES: [(&str, StakePolicy); 2] =
    [("staked", StakePolicy::Staked), ("unstaked", StakePolicy::Unstaked)];

/// Why a stored rule set cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleSetFault {
    /// A field that should be there is not.
    #[error("the field {0} is missing")]
    Missing(&'static str),
    /// A field has a word that is not known.
    #[error("the field {field} cannot be {word:?}")]
    Word {
        /// The field.
        field: &'static str,
        /// What it says.
        word: String,
    },
    /// A field is not known: the record is from a later version of this service.
    #[error("the field {0:?} is not known")]
    Unknown(String),
}

/// The stored form.
pub fn encode(rules: &RuleSet) -> RuleSetRecord {
    let mut fields = vec![
        format!("time_controls={}", timed_word(&rules.time_controls.timed)),
        format!("untimed={}", word(&UNTIMED, rules.time_controls.untimed)),
        format!("clock_start={}", clock_start_word(rules.clock_start)),
    ];
    fields.extend(lag_credit_fields(rules.lag_credit));
    fields.extend([
        format!("draws={}", word(&DRAWS, rules.draws)),
        format!("insufficient_material={}", word(&MATERIAL, rules.insufficient_material)),
        format!("flag={}", word(&MATING, rules.flag)),
        format!("resignation={}", word(&RESIGNATION, rules.resignation)),
        format!("draw_offers.per_player_max={}", optional_word(rules.draw_offers.per_player_max)),
        format!("draw_offers.first_after_own_moves={}", rules.draw_offers.first_after_own_moves),
        format!("draw_offers.own_moves_between={}", rules.draw_offers.own_moves_between),
        format!("leaving.gone_timed_ms={}", optional_word(rules.leaving.gone_timed_ms)),
        format!("leaving.gone_untimed_rated_ms={}", optional_word(rules.leaving.gone_untimed_rated_ms)),
        format!("leaving.table={}", word(&TABLE, rules.leaving.table)),
        format!("leaving.spares_material={}", word(&SPARES, rules.leaving.leaving_spares_material)),
        format!("colours={}", word(&COLOURS, rules.colours)),
        format!("rating={}", word(&RATING, rules.rating)),
        format!("stakes={}", word(&STAKES, rules.stakes)),
    ]);
    RuleSetRecord { name: rules.name.clone(), fields }
}

/// Reads the stored form.
pub fn decode(record: &RuleSetRecord) -> Result<RuleSet, RuleSetFault> {
    let mut fields = Fields::of(record);
    let rules = RuleSet {
        name: record.name.clone(),
        time_controls: TimeControlPolicy {
            timed: fields.parsed("time_controls", timed)?,
            untimed: fields.one_of("untimed", &UNTIMED)?,
        },
        clock_start: fields.parsed("clock_start", clock_start)?,
        lag_credit: lag_credit(&mut fields)?,
        draws: fields.one_of("draws", &DRAWS)?,
        insufficient_material: fields.one_of("insufficient_material", &MATERIAL)?,
        flag: fields.one_of("flag", &MATING)?,
        resignation: fields.one_of("resignation", &RESIGNATION)?,
        draw_offers: DrawOfferPolicy {
            per_player_max: fields.parsed("draw_offers.per_player_max", optional)?,
            first_after_own_moves: fields.parsed("draw_offers.first_after_own_moves", number)?,
            own_moves_between: fields.parsed("draw_offers.own_moves_between", number)?,
        },
        leaving: LeavingPolicy {
            gone_timed_ms: fields.parsed("leaving.gone_timed_ms", optional)?,
            gone_untimed_rated_ms: fields.parsed("leaving.gone_untimed_rated_ms", optional)?,
            table: fields.one_of("leaving.table", &TABLE)?,
            leaving_spares_material: fields.one_of("leaving.spares_material", &SPARES)?,
        },
        colours: fields.one_of("colours", &COLOURS)?,
        rating: fields.one_of("rating", &RATING)?,
        stakes: fields.one_of("stakes", &STAKES)?,
    };
    fields.all_read()?;
    Ok(rules)
}

/// The fields that have not been read yet.
struct Fields<'a>(BTreeMap<&'a str, &'a str>);

impl<'a> Fields<'a> {
    fn of(record: &'a RuleSetRecord) -> Fields<'a> {
        Fields(record.fields.iter().map(|field| field.split_once('=').unwrap_or((field, ""))).collect())
    }

    fn take(&mut self, field: &'static str) -> Result<&'a str, RuleSetFault> {
        self.0.remove(field).ok_or(RuleSetFault::Missing(field))
    }

    fn parsed<T>(&mut self, field: &'static str, parse: fn(&str) -> Option<T>) -> Result<T, RuleSetFault> {
        let text = self.take(field)?;
        parse(text).ok_or_else(|| RuleSetFault::Word { field, word: text.to_owned() })
    }

    fn one_of<T: Copy>(&mut self, field: &'static str, table: &[(&str, T)]) -> Result<T, RuleSetFault> {
        let text = self.take(field)?;
        let found = table.iter().find(|(word, _)| *word == text);
        found.map(|(_, value)| *value).ok_or_else(|| RuleSetFault::Word { field, word: text.to_owned() })
    }

    fn all_read(self) -> Result<(), RuleSetFault> {
        match self.0.into_keys().next() {
            None => Ok(()),
            Some(field) => Err(RuleSetFault::Unknown(field.to_owned())),
        }
    }
}

fn word<T: PartialEq>(table: &[(&'static str, T)], value: T) -> &'static str {
    let found = table.iter().find(|(_, known)| *known == value);
    found.map(|(word, _)| *word).expect("every value of the domain stands in its table, which a test holds")
}

fn optional_word(value: Option<u32>) -> String {
    value.map_or_else(|| NONE.to_owned(), |value| value.to_string())
}

fn optional(text: &str) -> Option<Option<u32>> {
    if text == NONE { Some(None) } else { number(text).map(Some) }
}

fn number(text: &str) -> Option<u32> {
    text.parse().ok()
}

fn control_word(control: TimeControl) -> String {
    format!("{}+{}", control.base_ms, control.increment_ms)
}

fn control(text: &str) -> Option<TimeControl> {
    let (base_ms, increment_ms) = text.split_once('+')?;
    Some(TimeControl::new(number(base_ms)?, number(increment_ms)?))
}

fn timed_word(timed: &TimedControls) -> String {
    match timed {
        TimedControls::Refused => "refused".to_owned(),
        TimedControls::Any => "any".to_owned(),
        TimedControls::Listed(controls) => {
            let controls: Vec<String> = controls.iter().copied().map(control_word).collect();
            format!("list:{}", controls.join(","))
        }
    }
}

fn timed(text: &str) -> Option<TimedControls> {
    match text {
        "refused" => Some(TimedControls::Refused),
        "any" => Some(TimedControls::Any),
        "list:" => Some(TimedControls::Listed(Vec::new())),
        _ => text
            .strip_prefix("list:")?
            .split(',')
            .map(control)
            .collect::<Option<_>>()
            .map(TimedControls::Listed),
    }
}

fn clock_start_word(start: ClockStart) -> String {
    match start {
        ClockStart::FirstMovesFree { due_ms } => format!("first_moves_free:{due_ms}"),
        ClockStart::WithGame => "with_game".to_owned(),
        ClockStart::Never => "never".to_owned(),
    }
}

fn clock_start(text: &str) -> Option<ClockStart> {
    match text {
        "with_game" => Some(ClockStart::WithGame),
        "never" => Some(ClockStart::Never),
        _ => Some(ClockStart::FirstMovesFree { due_ms: number(text.strip_prefix("first_moves_free:")?)? }),
    }
}

fn lag_credit_fields(credit: Option<LagCredit>) -> Vec<String> {
    let Some(credit) = credit else { return vec![format!("lag_credit={NONE}")] };
    vec![
        "lag_credit=limited".to_owned(),
        format!("lag_credit.per_move_ms_max={}", credit.per_move_ms_max),
        format!("lag_credit.allowance_start_ms={}", credit.allowance_start_ms),
        format!("lag_credit.allowance_gain_ms={}", credit.allowance_gain_ms),
        format!("lag_credit.allowance_ms_max={}", credit.allowance_ms_max),
        format!("lag_credit.reference={}", control_word(credit.reference)),
    ]
}

fn lag_credit(fields: &mut Fields<'_>) -> Result<Option<LagCredit>, RuleSetFault> {
    if fields.one_of("lag_credit", &[(NONE, false), ("limited", true)])? {
        Ok(Some(LagCredit {
            per_move_ms_max: fields.parsed("lag_credit.per_move_ms_max", number)?,
            allowance_start_ms: fields.parsed("lag_credit.allowance_start_ms", number)?,
            allowance_gain_ms: fields.parsed("lag_credit.allowance_gain_ms", number)?,
            allowance_ms_max: fields.parsed("lag_credit.allowance_ms_max", number)?,
            reference: fields.parsed("lag_credit.reference", control)?,
        }))
    } else {
        Ok(None)
    }
}
