//! What can be asked of a game. Every command carries the server's time, so deciding needs no clock (CHESS-2).

use std::sync::Arc;

use shakmaty::{Color, uci::UciMove};

use crate::{
    position::StartPosition,
    rule_set::{RuleSet, Standing},
    time_control::{TimeControl, TimeScale},
};

/// What can be asked of a game.
///
/// `now_ms` is the server's time of receipt in milliseconds. Any origin will do as long as one game always uses the same.
#[derive(Clone, Debug)]
pub enum Command {
    /// Begin.
    Start(Box<Start>),
    /// Play a move.
    PlayMove {
        /// Who plays it.
        by: Color,
        /// The move, parsed by [`crate::parse_uci`].
        uci: UciMove,
        /// The half-move number that this move is meant to get: [`crate::Game::ply`] + 1 as the player saw it.
        expected_ply: u32,
        /// The server's time of receipt.
        now_ms: i64,
        /// The mover's measured round trip, offered for credit (see [`crate::LagMeter`]); 0 when there is none.
        lag_ms: u32,
    },
    /// Give up.
    Resign {
        /// Who gives up.
        by: Color,
        /// The server's time of receipt.
        now_ms: i64,
    },
    /// Offer a draw, or accept the one that the opponent has just offered (crossing offers agree).
    OfferDraw {
        /// Who offers.
        by: Color,
        /// The server's time of receipt.
        now_ms: i64,
    },
    /// Accept the opponent's open offer.
    AcceptDraw {
        /// Who accepts.
        by: Color,
        /// The server's time of receipt.
        now_ms: i64,
    },
    /// Decline the opponent's open offer.
    DeclineDraw {
        /// Who declines.
        by: Color,
        /// The server's time of receipt.
        now_ms: i64,
    },
    /// Claim a draw for the position on the board.
    ClaimDraw {
        /// Who claims.
        by: Color,
        /// The server's time of receipt.
        now_ms: i64,
    },
    /// The service's single timer went off: see [`crate::next_deadline_ms`]. Firing early decides nothing.
    TimerFired {
        /// The server's time.
        now_ms: i64,
        /// The measured round trip of the side to move, as in [`Command::PlayMove`].
        lag_ms: u32,
    },
    /// A player's last stream closed.
    PlayerGone {
        /// Who went.
        by: Color,
        /// When it closed, on the server's clock. It may lie before the last event: a player who is back at once never went,
        /// so it is said with a delay.
        now_ms: i64,
    },
    /// A player opened a stream again.
    PlayerBack {
        /// Who came back.
        by: Color,
        /// The server's time.
        now_ms: i64,
    },
    /// Get up from the table.
    LeaveTable {
        /// Who leaves.
        by: Color,
        /// The server's time of receipt.
        now_ms: i64,
    },
    /// A new owner runs the game after nobody did.
    Resume {
        /// The server's time.
        now_ms: i64,
        /// Until when the game is known to have been run. `None`, or an earlier time than the last event's, means since
        /// the last event: the players are given what they thought since then.
        alive_until_ms: Option<i64>,
    },
    /// Give the game up for reasons of the server's own.
    AbortByServer {
        /// The server's time.
        now_ms: i64,
    },
}

/// What a game begins with.
#[derive(Clone, Debug)]
pub struct Start {
    /// The rules to play by.
    pub rule_set: Arc<RuleSet>,
    /// The clocks, or none.
    pub time_control: Option<TimeControl>,
    /// Where the pieces stand; [`StartPosition::default`] outside of tests and friendly games.
    pub start_position: StartPosition,
    /// Whether the game is rated.
    pub standing: Standing,
    /// [`TimeScale::REAL`] outside of development.
    pub time_scale: TimeScale,
    /// The server's time.
    pub now_ms: i64,
}

impl Start {
    /// A game from the usual position in real time, rated when the rule set rates every game.
    pub fn new(rule_set: Arc<RuleSet>, time_control: Option<TimeControl>, now_ms: i64) -> Start {
        let standing =
            if rule_set.rating.allows(Standing::Casual) { Standing::Casual } else { Standing::Rated };
        Start {
            rule_set,
            time_control,
            start_position: StartPosition::default(),
            standing,
            time_scale: TimeScale::REAL,
            now_ms,
        }
    }
}

impl Command {
    /// The server's time that the command carries.
    pub fn now_ms(&self) -> i64 {
        match self {
            Command::Start(start) => start.now_ms,
            Command::PlayMove { now_ms, .. }
            | Command::Resign { now_ms, .. }
            | Command::OfferDraw { now_ms, .. }
            | Command::AcceptDraw { now_ms, .. }
            | Command::DeclineDraw { now_ms, .. }
            | Command::ClaimDraw { now_ms, .. }
            | Command::TimerFired { now_ms, .. }
            | Command::PlayerGone { now_ms, .. }
            | Command::PlayerBack { now_ms, .. }
            | Command::LeaveTable { now_ms, .. }
            | Command::Resume { now_ms, .. }
            | Command::AbortByServer { now_ms } => *now_ms,
        }
    }
}
