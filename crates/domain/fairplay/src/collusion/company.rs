//! Signs in whom a person meets at all, among all who play.

use std::collections::{BTreeMap, BTreeSet};

use super::chance::at_least;
use super::{Kind, StakedGame, Test, ids, strength_of};
use crate::accuracy::count;
use crate::pairs::PersonId;

/// Games from which one opponent may be too many of them.
const CONCENTRATION_GAMES_MIN: usize = 10;
/// Even a person with few partners meets one of them in a quarter of his games at most, as far as chance goes.
const ONE_OPPONENT_SHARE: f64 = 0.25;
/// Games of a pair from which chance may be asked.
const MET_MIN: usize = 4;
/// Young accounts that lost to one.
const YOUNG_MIN: usize = 4;
/// The share of opponents who are young and lose is never taken to be less.
const YOUNG_SHARE_MIN: f64 = 0.1;

type Pairs<'a> = BTreeMap<[PersonId; 2], Vec<&'a StakedGame>>;

/// Seats of each person in each pool, and of all.
struct Seats<'a> {
    of_person: BTreeMap<(&'a str, PersonId), usize>,
    of_all: BTreeMap<&'a str, usize>,
    games: BTreeMap<PersonId, Vec<&'a StakedGame>>,
}

pub(super) fn tests(games: &[&StakedGame], pairs: &Pairs<'_>) -> Vec<Test> {
    let seats = Seats::of(games);
    let mut tests = Vec::new();
    for (pair, met) in pairs {
        tests.extend(seats.paired(*pair, met));
        for [person, opponent] in [[pair[0], pair[1]], [pair[1], pair[0]]] {
            tests.extend(seats.one_opponent(person, opponent, met));
        }
    }
    tests.extend(fed_by_young(pairs));
    tests
}

impl<'a> Seats<'a> {
    fn of(games: &[&'a StakedGame]) -> Self {
        let mut seats = Self { of_person: BTreeMap::new(), of_all: BTreeMap::new(), games: BTreeMap::new() };
        for game in games {
            for seat in &game.seats {
                *seats.of_person.entry((&game.pool, seat.person)).or_default() += 1;
                *seats.of_all.entry(&game.pool).or_default() += 1;
                seats.games.entry(seat.person).or_default().push(game);
            }
        }
        seats
    }

    /// How often chance would have given a person this opponent, of all who sat in the same pools.
    fn chance(&self, person: PersonId, opponent: PersonId) -> f64 {
        let games = &self.games[&person];
        let share = |game: &&StakedGame| {
            let of = |who| self.of_person.get(&(game.pool.as_str(), who)).copied().unwrap_or(0);
            let others = self.of_all[game.pool.as_str()] - of(person);
            count(of(opponent)) / count(others.max(1))
        };
        games.iter().map(share).sum::<f64>() / count(games.len())
    }

    /// Whether two met more often than chance would have it, for the one of them of whom it says less.
    fn paired(&self, pair: [PersonId; 2], met: &[&StakedGame]) -> Option<Test> {
        if met.len() < MET_MIN {
            return None;
        }
        let of = |person: PersonId, opponent: PersonId| {
            let (number, chance) = (self.games[&person].len(), self.chance(person, opponent));
            (at_least(met.len(), number, chance), chance * count(number))
        };
        let (one, other) = (of(pair[0], pair[1]), of(pair[1], pair[0]));
        let (p_value, expected) = if one.0 >= other.0 { one } else { other };
        Some(Test {
            kind: Kind::PairedAboveChance,
            persons: pair.to_vec(),
            games: ids(met),
            observed: count(met.len()),
            expected,
            p_value,
            strength: Some(strength_of(p_value)),
        })
    }

    /// Whether more than half of a person's games were against one opponent.
    fn one_opponent(&self, person: PersonId, opponent: PersonId, met: &[&StakedGame]) -> Option<Test> {
        let number = self.games[&person].len();
        if number < CONCENTRATION_GAMES_MIN {
            return None;
        }
        let chance = self.chance(person, opponent).max(ONE_OPPONENT_SHARE);
        let p_value = at_least(met.len(), number, chance);
        Some(Test {
            kind: Kind::OneOpponent,
            persons: vec![person, opponent],
            games: ids(met),
            observed: count(met.len()),
            expected: chance * count(number),
            p_value,
            strength: (2 * met.len() > number).then(|| strength_of(p_value)),
        })
    }
}

/// Whether several young accounts lost their money to one person.
fn fed_by_young(pairs: &Pairs<'_>) -> Vec<Test> {
    let mut opponents: BTreeMap<PersonId, usize> = BTreeMap::new();
    let mut feeders: BTreeMap<PersonId, BTreeSet<PersonId>> = BTreeMap::new();
    for (pair, met) in pairs {
        for [person, other] in [[pair[0], pair[1]], [pair[1], pair[0]]] {
            *opponents.entry(person).or_default() += 1;
            let won: f64 = met.iter().map(|game| game.stake * (2.0 * game.seat(person).score - 1.0)).sum();
            if won > 0.0 && met.iter().any(|game| game.other(person).is_young) {
                feeders.entry(person).or_default().insert(other);
            }
        }
    }
    let relations: usize = opponents.values().sum();
    let feeding: usize = feeders.values().map(BTreeSet::len).sum();
    let share = (count(feeding) / count(relations.max(1))).max(YOUNG_SHARE_MIN);
    let tests = feeders.into_iter().map(|(person, young)| {
        let p_value = at_least(young.len(), opponents[&person], share);
        let fed = young.iter().flat_map(|other| {
            let mut pair = [person, *other];
            pair.sort_unstable();
            &pairs[&pair]
        });
        Test {
            kind: Kind::FedByYoung,
            games: ids(fed),
            observed: count(young.len()),
            expected: share * count(opponents[&person]),
            p_value,
            strength: (young.len() >= YOUNG_MIN).then(|| strength_of(p_value)),
            persons: std::iter::once(person).chain(young).collect(),
        }
    });
    tests.collect()
}
