//! The four games of the demonstration.

use proto::game::v1::EndReason;
use proto::types::v1::TimeControl;

/// A game to be played: where, what, and how it is to end.
#[derive(Debug)]
pub struct Script {
    /// What the story calls it.
    pub name: &'static str,
    /// The city.
    pub city_id: &'static str,
    /// Minutes at the start.
    pub minutes: i64,
    /// Seconds a move.
    pub increment_seconds: i64,
    /// The moves in UCI notation, White's first.
    pub moves: &'static [&'static str],
    /// What ends it.
    pub end_reason: EndReason,
    /// What the reader should know before it begins.
    pub introduction: &'static str,
}

impl Script {
    /// The clock.
    pub fn time_control(&self) -> TimeControl {
        TimeControl { base_ms: self.minutes * 60_000, increment_ms: self.increment_seconds * 1_000 }
    }

    /// The rating pool.
    pub fn pool(&self) -> String {
        format!("{}+{}", self.minutes, self.increment_seconds)
    }
}

/// Morphy against the Duke of Brunswick and Count Isouard, Paris 1858.
const OPERA_GAME: &[&str] = &[
    "e2e4", "e7e5", "g1f3", "d7d6", "d2d4", "c8g4", "d4e5", "g4f3", "d1f3", "d6e5", "f1c4", "g8f6", "f3b3",
    "d8e7", "b1c3", "c7c6", "c1g5", "b7b5", "c3b5", "c6b5", "c4b5", "b8d7", "e1c1", "a8d8", "d1d7", "d8d7",
    "h1d1", "e7e6", "b5d7", "f6d7", "b3b8", "d7b8", "d1d8",
];

/// Both sides bring their knights out and home again until the start position stands a third time.
const KNIGHTS_OUT_AND_HOME: &[&str] = &["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8"];

/// The demonstration, in order. Each rated game has a pool of its own: two players of whom one has just beaten the other
/// are too far apart to be paired in the same pool again.
pub const SCRIPTS: &[Script] = &[
    Script {
        name: "Opera Game, Paris 1858",
        city_id: "paris",
        minutes: 5,
        increment_seconds: 0,
        moves: OPERA_GAME,
        end_reason: EndReason::Checkmate,
        introduction: "thirty-three plies that end in mate",
    },
    Script {
        name: "Threefold repetition",
        city_id: "paris",
        minutes: 10,
        increment_seconds: 0,
        moves: KNIGHTS_OUT_AND_HOME,
        end_reason: EndReason::Threefold,
        introduction: "a draw: both stakes go back, without a fee",
    },
    Script {
        name: "No first move",
        city_id: "paris",
        minutes: 10,
        increment_seconds: 0,
        moves: &["e2e4"],
        end_reason: EndReason::AbortedNoFirstMove,
        introduction: "Black never moves: after twenty seconds the game is aborted and nobody pays",
    },
    Script {
        name: "Lost on time",
        city_id: "greenwich",
        minutes: 3,
        increment_seconds: 2,
        moves: &["e2e4", "e7e5", "g1f3", "b8c6"],
        end_reason: EndReason::Time,
        introduction: "White stops moving; the server lets the flag fall by its own timer",
    },
];
