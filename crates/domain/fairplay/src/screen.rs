//! The first look at a finished game, before any engine: its length, its ending, the clocks, and what the pair has played lately.
//!
//! It takes microseconds, so every staked game has it in the moment in which its end is heard of. It decides nothing and is no part of
//! the evidence: what it notices says which games an engine looks at first, and is told with the game (`FAIR-9`).

use crate::eligibility::OPENING_MOVES;
use crate::timing::{TIMED_MOVES_MIN, flat_streak, is_plausible, variation};
use crate::{ByColor, Color};

/// A side's times vary less: as little as nobody's in the games of people.
pub const EVEN_VARIATION: f64 = 0.4;
/// So many moves in a row took nearly the same time.
pub const FLAT_MOVES_MIN: usize = 10;
/// A game that was given up within eight turns.
pub const GIVEN_UP_PLIES_MAX: usize = 16;
/// Games of a pair in the last days from which it is noticed that one side has won them all.
pub const ONE_SIDED_GAMES_MIN: usize = 3;

/// What is known of a game when it ends.
#[derive(Clone, Debug, PartialEq)]
pub struct EndedGame {
    /// Half-moves.
    pub plies: usize,
    /// Who lost, if anybody.
    pub loser: Option<Color>,
    /// How it ended.
    pub ending: Ending,
    /// Seconds of each move behind a side's first; empty when the clocks are not known.
    pub seconds: ByColor<Vec<f64>>,
    /// What the two have played in the last days, this game included.
    pub pair: PairRecord,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// The loser resigned, left, or let his time run out.
    GivenUp,
    /// On the board, or by agreement.
    PlayedOut,
}

/// What two players have played for a stake in the last days.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairRecord {
    /// Games.
    pub games: usize,
    /// Of those, won by who has White in this one, and by who has Black.
    pub won: ByColor<usize>,
}

/// What was noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// No move of it can count: it is over within the moves that are dropped.
    TooShort,
    /// A side's times hardly vary.
    EvenTimes,
    /// Many moves of a side in a row took nearly the same time.
    FlatTimes,
    /// It was given up before it had begun.
    GivenUpEarly,
    /// One of the two has won all their games of the last days.
    OneSidedPair,
}

/// Something that was noticed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Notice {
    /// What.
    pub kind: Kind,
    /// About whom; nobody when it is about the game.
    pub color: Option<Color>,
    /// What was measured: plies, variation, moves, or games.
    pub observed: f64,
}

/// Which games an engine looks at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Urgency {
    /// Something asks for a look.
    Early,
    /// In its turn.
    InTurn,
}

/// Looks at a game.
#[must_use]
pub fn screen(game: &EndedGame) -> Vec<Notice> {
    let mut notices = Vec::new();
    if game.plies <= 2 * OPENING_MOVES {
        let observed = crate::accuracy::count(game.plies);
        notices.push(Notice { kind: Kind::TooShort, color: None, observed });
    }
    for color in [Color::White, Color::Black] {
        notices.extend(clock_notices(color, game.seconds.get(color)));
    }
    if game.ending == Ending::GivenUp && game.loser.is_some() && game.plies <= GIVEN_UP_PLIES_MAX {
        let observed = crate::accuracy::count(game.plies);
        notices.push(Notice { kind: Kind::GivenUpEarly, color: game.loser, observed });
    }
    let PairRecord { games, won } = game.pair;
    let winner = [Color::White, Color::Black].into_iter().find(|color| *won.get(*color) == games);
    if games >= ONE_SIDED_GAMES_MIN && winner.is_some() {
        let observed = crate::accuracy::count(games);
        notices.push(Notice { kind: Kind::OneSidedPair, color: winner, observed });
    }
    notices
}

fn clock_notices(color: Color, seconds: &[f64]) -> Vec<Notice> {
    let mut notices = Vec::new();
    if seconds.len() < TIMED_MOVES_MIN || !is_plausible(seconds) {
        return notices;
    }
    if let Some(observed) = variation(seconds).filter(|variation| *variation < EVEN_VARIATION) {
        notices.push(Notice { kind: Kind::EvenTimes, color: Some(color), observed });
    }
    let streak = flat_streak(seconds);
    if streak >= FLAT_MOVES_MIN {
        let observed = crate::accuracy::count(streak);
        notices.push(Notice { kind: Kind::FlatTimes, color: Some(color), observed });
    }
    notices
}

/// When an engine looks at a game of which this was noticed. That a game is short is no reason to hurry.
#[must_use]
pub fn urgency(notices: &[Notice]) -> Urgency {
    if notices.iter().any(|notice| notice.kind != Kind::TooShort) { Urgency::Early } else { Urgency::InTurn }
}
