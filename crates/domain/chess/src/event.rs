//! What happened in a game. The log of these is all that a replay needs (CHESS-1).

use std::sync::Arc;

use shakmaty::{Color, san::SanPlus, uci::UciMove};

use crate::{
    clock::Clocks,
    outcome::{EndReason, Outcome},
    position::StartPosition,
    rule_set::{RuleSet, Standing},
    time_control::{TimeControl, TimeScale},
};

/// What happened in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The game began. Always the first event.
    Started(Box<Started>),
    /// A move was played.
    MovePlayed(MovePlayed),
    /// A draw was offered. The offer is open until the other player moves or answers.
    DrawOffered {
        /// Who offered.
        by: Color,
        /// When, on the server's clock.
        at_ms: i64,
    },
    /// The open offer was declined.
    DrawDeclined {
        /// Who declined.
        by: Color,
        /// When, on the server's clock.
        at_ms: i64,
    },
    /// A player went away.
    PlayerGone {
        /// Who went.
        by: Color,
        /// When, on the server's clock.
        at_ms: i64,
    },
    /// A player came back.
    PlayerBack {
        /// Who came back.
        by: Color,
        /// When, on the server's clock.
        at_ms: i64,
    },
    /// The game goes on after nobody ran it. All running times are put off by `stood_still_ms`.
    Resumed {
        /// When, on the server's clock.
        at_ms: i64,
        /// How long the game stood still.
        stood_still_ms: i64,
    },
    /// The game is over. Always the last event.
    Ended(Ended),
}

/// The facts of a game's beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Started {
    /// The rules it is played by.
    pub rule_set: Arc<RuleSet>,
    /// The clocks, or none.
    pub time_control: Option<TimeControl>,
    /// Where the pieces stand.
    pub start_position: StartPosition,
    /// Whether the game is rated.
    pub standing: Standing,
    /// How much quicker than real time its running clocks run.
    pub time_scale: TimeScale,
    /// When, on the server's clock.
    pub at_ms: i64,
}

/// The facts of a played move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MovePlayed {
    /// The half-move number; the first move of the game is 1.
    pub ply: u32,
    /// The move in UCI notation, castling as the king's move (`e1g1`).
    pub uci: UciMove,
    /// The move in SAN with its check or mate sign.
    pub san: SanPlus,
    /// The server's time of receipt.
    pub received_at_ms: i64,
    /// The time since the opponent's move, as the server measured it.
    pub elapsed_ms: i64,
    /// What was taken from the mover's clock, in clock time: (elapsed − credit) × time scale; 0 while no clock ran.
    pub charged_ms: i64,
    /// The network delay credited.
    pub lag_credit_ms: i64,
    /// Both clocks after the move, increment included; `None` in a game without clocks.
    pub clocks: Option<Clocks>,
}

/// The facts of a game's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// What it is worth.
    pub outcome: Outcome,
    /// Why it ended.
    pub reason: EndReason,
    /// When, on the server's clock. For a deadline this is the deadline itself, however late its timer fired.
    pub at_ms: i64,
    /// Both clocks at the end; `None` in a game without clocks.
    pub clocks: Option<Clocks>,
}

impl Event {
    /// When it happened, on the server's clock.
    pub fn at_ms(&self) -> i64 {
        match self {
            Event::Started(started) => started.at_ms,
            Event::MovePlayed(played) => played.received_at_ms,
            Event::DrawOffered { at_ms, .. }
            | Event::DrawDeclined { at_ms, .. }
            | Event::PlayerGone { at_ms, .. }
            | Event::PlayerBack { at_ms, .. }
            | Event::Resumed { at_ms, .. } => *at_ms,
            Event::Ended(ended) => ended.at_ms,
        }
    }
}
