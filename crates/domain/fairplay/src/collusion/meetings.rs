//! Signs in the games that two persons played against each other.

use std::collections::BTreeMap;

use super::chance::{at_least, normal_tail};
use super::{Kind, StakedGame, Strength, Test, ids, strength_of};
use crate::accuracy::count;
use crate::pairs::PersonId;

/// Games without which money says nothing.
const FLOW_GAMES_MIN: usize = 4;
/// Lost games against this opponent, and against others, without which errors say nothing.
const THROWN_GAMES_MIN: usize = 3;
const OTHER_LOST_GAMES_MIN: usize = 5;
/// Nobody's errors are taken to vary less between games, in points of win chance.
const LOSS_DEVIATION_MIN: f64 = 1.5;
/// A win chance from which one is better, and a share of the time from which there is time left.
const BETTER_CHANCE: f64 = 70.0;
const TIME_LEFT: f64 = 0.2;
/// How often people give such a game up.
const GIVEN_UP_SHARE: f64 = 0.02;
const GIVEN_UP_MIN: usize = 2;
/// Eight turns.
const SHORT_PLIES: usize = 16;
/// The last games that short wins are counted in; wins of them to warn, and to report.
const SHORT_OF: usize = 7;
const SHORT_WARN: usize = 3;
const SHORT_REPORT: usize = 4;
/// How often a staked game is over within eight turns.
const SHORT_SHARE: f64 = 0.03;
/// How often two persons come to the same twenty plies once more.
const SAME_LINE_SHARE: f64 = 0.03;
const SAME_LINE_MIN: usize = 2;

/// Whether money went one way against the ratings, in each currency.
pub(super) fn money_flow(pair: [PersonId; 2], met: &[&StakedGame]) -> Vec<Test> {
    let mut currencies: BTreeMap<&str, Vec<&StakedGame>> = BTreeMap::new();
    for game in met {
        currencies.entry(game.currency.as_str()).or_default().push(game);
    }
    let played = currencies.into_values().filter(|games| games.len() >= FLOW_GAMES_MIN);
    played.filter_map(|games| flow(pair, &games)).collect()
}

fn flow(pair: [PersonId; 2], games: &[&StakedGame]) -> Option<Test> {
    let (mut surplus, mut variance, mut won, mut expected) = (0.0, 0.0, 0.0, 0.0);
    for game in games {
        let seat = game.seat(pair[0]);
        surplus += game.stake * (seat.score - seat.expected);
        variance += game.stake * game.stake * seat.expected * (1.0 - seat.expected);
        won += game.stake * (2.0 * seat.score - 1.0);
        expected += game.stake * (2.0 * seat.expected - 1.0);
    }
    if variance <= 0.0 {
        return None;
    }
    let z = surplus / variance.sqrt();
    let (persons, sign) = if z >= 0.0 { (pair, 1.0) } else { ([pair[1], pair[0]], -1.0) };
    let p_value = (2.0 * normal_tail(z.abs())).min(1.0);
    Some(Test {
        kind: Kind::MoneyFlow,
        persons: persons.to_vec(),
        games: ids(games),
        observed: sign * won,
        expected: sign * expected,
        p_value,
        strength: Some(strength_of(p_value)),
    })
}

/// Whether `gives` errs more in games that he loses to `gains` than in those that he loses to others.
pub(super) fn throwing(
    [gains, gives]: [PersonId; 2],
    met: &[&StakedGame],
    all: &[&StakedGame],
) -> Option<Test> {
    let lost = |game: &&&StakedGame| game.seat(gives).score < 0.25;
    let here: Vec<&StakedGame> = met.iter().filter(lost).copied().collect();
    let losses: Vec<f64> = here.iter().filter_map(|game| game.seat(gives).mean_loss).collect();
    let others: Vec<f64> = all
        .iter()
        .filter(|game| game.has(gives) && !game.has(gains))
        .filter(lost)
        .filter_map(|game| game.seat(gives).mean_loss)
        .collect();
    if losses.len() < THROWN_GAMES_MIN || others.len() < OTHER_LOST_GAMES_MIN {
        return None;
    }
    let (mean, other_mean) = (mean(&losses), mean(&others));
    let squares: f64 = others.iter().map(|loss| (loss - other_mean) * (loss - other_mean)).sum();
    let deviation = (squares / count(others.len() - 1)).sqrt().max(LOSS_DEVIATION_MIN);
    let z =
        (mean - other_mean) / (deviation * (1.0 / count(losses.len()) + 1.0 / count(others.len())).sqrt());
    let p_value = normal_tail(z);
    Some(Test {
        kind: Kind::Throwing,
        persons: vec![gains, gives],
        games: ids(&here),
        observed: mean,
        expected: other_mean,
        p_value,
        strength: Some(strength_of(p_value)),
    })
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / count(values.len().max(1))
}

/// Whether `gives` gave games up in which he was better and had time.
pub(super) fn given_up_while_better([gains, gives]: [PersonId; 2], met: &[&StakedGame]) -> Option<Test> {
    let lost: Vec<&StakedGame> = met
        .iter()
        .filter(|game| game.seat(gives).score < 0.25 && game.seat(gives).last_chance.is_some())
        .copied()
        .collect();
    let is_given_up = |game: &&StakedGame| {
        let seat = game.seat(gives);
        seat.gave_up
            && seat.left_share >= TIME_LEFT
            && seat.last_chance.is_some_and(|chance| chance >= BETTER_CHANCE)
    };
    let given_up: Vec<&StakedGame> = lost.iter().filter(|game| is_given_up(game)).copied().collect();
    if lost.is_empty() {
        return None;
    }
    let p_value = at_least(given_up.len(), lost.len(), GIVEN_UP_SHARE);
    Some(Test {
        kind: Kind::GivenUpWhileBetter,
        persons: vec![gains, gives],
        games: ids(&given_up),
        observed: count(given_up.len()),
        expected: GIVEN_UP_SHARE * count(lost.len()),
        p_value,
        strength: (given_up.len() >= GIVEN_UP_MIN).then(|| strength_of(p_value)),
    })
}

/// Whether `gains` won several of the last games within eight turns.
pub(super) fn short_wins([gains, gives]: [PersonId; 2], met: &[&StakedGame]) -> Option<Test> {
    let last = &met[met.len().saturating_sub(SHORT_OF)..];
    let is_short = |game: &&&StakedGame| game.plies <= SHORT_PLIES && game.seat(gains).score > 0.75;
    let short: Vec<&StakedGame> = last.iter().filter(is_short).copied().collect();
    let p_value = at_least(short.len(), last.len(), SHORT_SHARE);
    let strength = match short.len() {
        wins if wins >= SHORT_REPORT => Some(Strength::Report),
        wins if wins >= SHORT_WARN => Some(Strength::Warn),
        _ => None,
    };
    Some(Test {
        kind: Kind::ShortWins,
        persons: vec![gains, gives],
        games: ids(&short),
        observed: count(short.len()),
        expected: SHORT_SHARE * count(last.len()),
        p_value,
        strength,
    })
}

/// Whether the two came to the same first plies again and again.
pub(super) fn same_line(pair: [PersonId; 2], met: &[&StakedGame]) -> Option<Test> {
    let mut lines: BTreeMap<&str, Vec<&StakedGame>> = BTreeMap::new();
    for game in met {
        if let Some(opening) = &game.opening {
            lines.entry(opening).or_default().push(game);
        }
    }
    let compared: usize = lines.values().map(Vec::len).sum();
    if compared < 2 {
        return None;
    }
    let again = compared - lines.len();
    let mut games: Vec<&StakedGame> = lines.into_values().filter(|games| games.len() > 1).flatten().collect();
    games.sort_by_key(|game| (game.ended_at_ms, game.game_id));
    let p_value = at_least(again, compared - 1, SAME_LINE_SHARE);
    Some(Test {
        kind: Kind::SameLine,
        persons: pair.to_vec(),
        games: ids(&games),
        observed: count(again),
        expected: SAME_LINE_SHARE * count(compared - 1),
        p_value,
        strength: (again >= SAME_LINE_MIN).then(|| strength_of(p_value)),
    })
}
