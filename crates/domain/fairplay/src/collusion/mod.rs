//! Signs that two persons play for each other rather than against each other. A sign is for a person to look at and changes no
//! level; so many things are tested on a day that chance alone would raise some, so what is raised is limited as a whole.
//!
//! Everything is looked at over [`WINDOW_DAYS`] days. Shared devices and shared means of payment would be signs too; the platform
//! keeps neither, so neither is tested.

mod chance;
mod company;
mod meetings;

use std::collections::BTreeMap;

use crate::pairs::PersonId;

pub use chance::{at_least, benjamini_hochberg, normal_tail};

/// Days that a test looks back on.
pub const WINDOW_DAYS: i64 = 7;
/// Days of an account within which it is young.
pub const YOUNG_DAYS: i64 = 14;
/// The share of raised signs that may be chance.
pub const FALSE_DISCOVERIES: f64 = 0.05;
/// From this probability downwards a sign is to be looked at, not only watched.
const REPORT_P: f64 = 1e-4;

/// A staked game, as far as it can be a sign.
#[derive(Clone, Debug, PartialEq)]
pub struct StakedGame {
    /// The game, by the bits of its id.
    pub game_id: u128,
    /// When it ended, in milliseconds since the Unix epoch.
    pub ended_at_ms: i64,
    /// Where opponents are found for each other: city and clock.
    pub pool: String,
    /// What each staked, in minor units.
    pub stake: f64,
    /// In which currency.
    pub currency: String,
    /// Half-moves.
    pub plies: usize,
    /// The first moves, if there are enough of them to compare.
    pub opening: Option<String>,
    /// White and Black.
    pub seats: [Seat; 2],
}

/// A person's part in a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seat {
    /// Who.
    pub person: PersonId,
    /// His points: 1, 0.5 or 0.
    pub score: f64,
    /// What both ratings would have him score.
    pub expected: f64,
    /// What his moves gave away on average, in points of win chance, once the game is analysed.
    pub mean_loss: Option<f64>,
    /// His win chance in the last position, in percent, once the game is analysed.
    pub last_chance: Option<f64>,
    /// The share of his time at the start that was left after his last move.
    pub left_share: f64,
    /// He resigned, or let his time run out.
    pub gave_up: bool,
    /// His account was young.
    pub is_young: bool,
}

/// A kind of sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Money went one way, against the ratings.
    MoneyFlow,
    /// Errors far above one's own in games lost to this opponent.
    Throwing,
    /// Given up while better and with time left.
    GivenUpWhileBetter,
    /// Wins within eight turns.
    ShortWins,
    /// The same first twenty plies again.
    SameLine,
    /// More than half of at least ten games against one opponent.
    OneOpponent,
    /// Paired more often than chance would.
    PairedAboveChance,
    /// One account fed by at least four young ones.
    FedByYoung,
}

/// How strong a sign is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Strength {
    /// To be watched.
    Warn,
    /// To be looked at.
    Report,
}

/// Something that was tested.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// What.
    pub kind: Kind,
    /// Whom it is about, who gains first.
    pub persons: Vec<PersonId>,
    /// In which games, the oldest first.
    pub games: Vec<u128>,
    /// What was seen.
    pub observed: f64,
    /// What would be expected by chance.
    pub expected: f64,
    /// The probability of as much or more by chance.
    pub p_value: f64,
    /// How strong a sign it would be; `None` below the least of its kind.
    pub strength: Option<Strength>,
}

/// Tests everything that there is to test in the games of a window. The order of the games does not matter.
#[must_use]
pub fn tests(games: &[StakedGame]) -> Vec<Test> {
    let mut games: Vec<&StakedGame> = games.iter().collect();
    games.sort_by_key(|game| (game.ended_at_ms, game.game_id));
    let mut pairs: BTreeMap<[PersonId; 2], Vec<&StakedGame>> = BTreeMap::new();
    for game in &games {
        let mut pair = game.seats.map(|seat| seat.person);
        pair.sort_unstable();
        pairs.entry(pair).or_default().push(game);
    }
    let mut tests = Vec::new();
    for (pair, met) in &pairs {
        tests.extend(meetings::money_flow(*pair, met));
        tests.extend(meetings::same_line(*pair, met));
        for [gains, gives] in [[pair[0], pair[1]], [pair[1], pair[0]]] {
            tests.extend(meetings::throwing([gains, gives], met, &games));
            tests.extend(meetings::given_up_while_better([gains, gives], met));
            tests.extend(meetings::short_wins([gains, gives], met));
        }
    }
    tests.extend(company::tests(&games, &pairs));
    tests
}

/// The signs to raise: those that reach the least of their kind and are left when no more than [`FALSE_DISCOVERIES`] of what is
/// raised may be chance.
#[must_use]
pub fn signs(tests: &[Test]) -> Vec<&Test> {
    let p_values: Vec<f64> = tests.iter().map(|test| test.p_value).collect();
    let accepted = benjamini_hochberg(&p_values, FALSE_DISCOVERIES);
    tests
        .iter()
        .zip(accepted)
        .filter(|(test, accepted)| *accepted && test.strength.is_some())
        .map(|(test, _)| test)
        .collect()
}

impl StakedGame {
    /// A person's seat.
    fn seat(&self, person: PersonId) -> &Seat {
        &self.seats[usize::from(self.seats[0].person != person)]
    }

    /// His opponent's.
    fn other(&self, person: PersonId) -> &Seat {
        &self.seats[usize::from(self.seats[0].person == person)]
    }

    fn has(&self, person: PersonId) -> bool {
        self.seats.iter().any(|seat| seat.person == person)
    }
}

/// The strength that a probability alone gives.
fn strength_of(p_value: f64) -> Strength {
    if p_value <= REPORT_P { Strength::Report } else { Strength::Warn }
}

fn ids<'a>(games: impl IntoIterator<Item = &'a &'a StakedGame>) -> Vec<u128> {
    games.into_iter().map(|game| game.game_id).collect()
}
