//! An assessment in full: every figure behind a level, and what would change it.

use std::collections::BTreeMap;

use domain_fairplay::Level;
use domain_fairplay::assessment::Totals;
use domain_fairplay::calibration::{Calibration, Rate};
use domain_fairplay::expectation::{Channel, Spread};
use domain_fairplay::levels::Measured;
use proto::fairplay::v1 as wire;
use time::OffsetDateTime;

use super::standing::{Subject, unix_ms};
use crate::store::evidence::{ScoredGame, channel_to_wire, count};

/// Telling moves that an assessment shows.
const TELLING_MOVES_MAX: usize = 5;

/// What a player's games sum to.
#[derive(Debug, Clone, Copy)]
pub struct Sums<'a> {
    /// The staked ones.
    pub totals: &'a Totals,
    /// Those without a stake, which they are held against.
    pub history: &'a Totals,
}

/// The assessment of a player in a time class.
#[must_use]
pub fn explain(
    calibration: &Calibration,
    subject: Subject<'_>,
    level: Level,
    measured: &Measured,
    Sums { totals, history }: Sums<'_>,
    games: &[ScoredGame],
) -> wire::Assessment {
    let bayes = totals.bayes_factor();
    let [low, high] = calibration.human_correlation;
    wire::Assessment {
        player_id: subject.player_id.to_string(),
        time_class: subject.time_class.to_owned(),
        level: self::level(level).into(),
        log_bayes: bayes.log,
        engine_share: bayes.share,
        stronger_by: bayes.shift,
        matches: Some(channel(&totals.matches, &totals.matches_stronger, calibration.match_spread)),
        spared: Some(channel(&totals.spared, &totals.spared_stronger, calibration.loss_spread)),
        games: count(measured.games),
        moves: count(measured.moves),
        time_games: count(measured.time_games),
        timed_moves: count(measured.timed_moves),
        correlation: measured.correlation,
        human_correlation_low: low,
        human_correlation_high: high,
        even_games: count(measured.even_games),
        excluded: excluded(games),
        telling: telling(games),
        false_alarms: false_alarms(calibration, level)
            .map(|rate| wire::FalseAlarmRate { share: rate.share, upper: rate.upper }),
        engine: calibration.basis.engine.clone(),
        nodes: calibration.basis.accepted_nodes.iter().copied().min().unwrap_or_default(),
        second_pass_games: count(games.iter().filter(|game| game.pass == 2).count()),
        calibration_id: calibration.id.clone(),
        what_would_change_it: what_would_change_it(calibration, level, measured),
        assessed_at_ms: unix_ms(OffsetDateTime::now_utc()),
        history_z: measured.history_z,
        history_games: count(history.games),
    }
}

/// A level on the wire.
#[must_use]
pub fn level(level: Level) -> wire::EvidenceLevel {
    match level {
        Level::NotEnoughData => wire::EvidenceLevel::NotEnoughData,
        Level::Clean => wire::EvidenceLevel::Clean,
        Level::Review => wire::EvidenceLevel::Review,
        Level::Hold => wire::EvidenceLevel::Hold,
        Level::Flag => wire::EvidenceLevel::Flag,
    }
}

/// The stable word for a level.
#[must_use]
pub fn word(level: Level) -> &'static str {
    match level {
        Level::NotEnoughData => "not_enough_data",
        Level::Clean => "clean",
        Level::Review => "review",
        Level::Hold => "hold",
        Level::Flag => "flag",
    }
}

fn channel(sums: &Channel, stronger: &Channel, spread: Spread) -> wire::ChannelStanding {
    wire::ChannelStanding {
        sums: Some(channel_to_wire(sums)),
        deviation: sums.deviation(spread),
        z: sums.z(spread),
        z_stronger: stronger.z(spread),
    }
}

fn excluded(games: &[ScoredGame]) -> BTreeMap<String, u32> {
    let mut sums = BTreeMap::new();
    for (reason, number) in games.iter().flat_map(|game| &game.side.excluded) {
        *sums.entry(reason.clone()).or_default() += number;
    }
    sums
}

fn telling(games: &[ScoredGame]) -> Vec<wire::TellingGameMove> {
    let mut moves: Vec<wire::TellingGameMove> = games
        .iter()
        .flat_map(|game| {
            let telling = game.side.evidence.iter().flat_map(|evidence| &evidence.telling);
            telling.map(|told| wire::TellingGameMove {
                game_id: game.game_id.to_string(),
                r#move: Some(told.clone()),
            })
        })
        .collect();
    let weight = |told: &wire::TellingGameMove| told.r#move.as_ref().map_or(0.0, |told| told.weight);
    // The sort is stable and the games come in their order, so that equals stay in it.
    moves.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
    moves.truncate(TELLING_MOVES_MAX);
    moves
}

fn false_alarms(calibration: &Calibration, level: Level) -> Option<Rate> {
    match level {
        Level::NotEnoughData | Level::Clean => None,
        Level::Review => Some(calibration.false_alarms.review),
        Level::Hold => Some(calibration.false_alarms.hold),
        Level::Flag => Some(calibration.false_alarms.flag),
    }
}

fn what_would_change_it(calibration: &Calibration, level: Level, measured: &Measured) -> String {
    let limits = &calibration.limits;
    match level {
        Level::NotEnoughData => format!(
            "{} more moves that count, in at least {} games",
            limits.review_moves_min.saturating_sub(measured.moves),
            limits.games_min
        ),
        Level::Clean => format!(
            "review begins at a log Bayes factor of {} (now {:.2}) or {} deviations (now {:.2})",
            limits.review_log_bayes,
            measured.log_bayes,
            limits.review_z,
            measured.match_z.max(measured.loss_z)
        ),
        Level::Review | Level::Hold => format!(
            "games whose moves and times are a person's: the level is left when every limit is undercut by a factor of {}",
            limits.hysteresis
        ),
        Level::Flag => "the decision of a person".to_owned(),
    }
}
