//! The state of one game, and how it is read.

use std::sync::Arc;

use shakmaty::{ByColor, ByRole, Chess, Color, Position as _, uci::UciMove};

use crate::{
    clock::{Clocks, LagLimits, RunningClock},
    event::{Ended, Event, Started},
    notation,
    position::{self, Board, StartPosition},
    refusal::Misfit,
    rule_set::{ClockStart, RuleSet, Standing},
    time_control::{TimeControl, TimeScale},
};

/// One game at one point of its log.
///
/// A game begins empty, is changed by events only (see `apply.rs`), and is asked by [`crate::decide`].
#[derive(Clone, Debug)]
pub struct Game {
    pub(crate) facts: Facts,
    pub(crate) phase: Phase,
}

/// What is known of a game in every phase.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) started: Started,
    pub(crate) lag_limits: Option<LagLimits>,
    pub(crate) board: Board,
    pub(crate) ply: u32,
    pub(crate) moves_made: ByColor<u32>,
    pub(crate) clocks: Option<Clocks>,
    pub(crate) lag_allowance_ms: ByColor<i64>,
    pub(crate) offers: ByColor<Offers>,
    pub(crate) last_event_at_ms: i64,
}

/// The draw offers that one player has made.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Offers {
    pub(crate) made: u32,
    /// How many own moves the player had made when he last offered.
    pub(crate) last_after_own_moves: Option<u32>,
}

/// What exists only in one phase of a game.
#[derive(Clone, Debug)]
pub(crate) enum Phase {
    NotStarted,
    Playing(Turn),
    Ended(Ended),
}

/// What exists only while a game is played.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    /// When the turn of the side to move began, put off by whatever time the game stood still.
    pub(crate) began_at_ms: i64,
    /// Whose draw offer is open.
    pub(crate) offer: Option<Color>,
    /// Since when each player has been gone, put off in the same way.
    pub(crate) gone_since_ms: ByColor<Option<i64>>,
}

impl Default for Game {
    fn default() -> Game {
        Game::new()
    }
}

impl Game {
    /// A game that has not begun.
    pub fn new() -> Game {
        let started = Started {
            rule_set: Arc::new(RuleSet::solo()),
            time_control: None,
            start_position: StartPosition::default(),
            standing: Standing::Casual,
            time_scale: TimeScale::REAL,
            at_ms: 0,
        };
        Game { facts: Facts::new(&started), phase: Phase::NotStarted }
    }

    /// The game to which these events lead. Nothing but the events is needed, and the same events always lead to
    /// the same game (CHESS-1).
    pub fn replay<'a>(events: impl IntoIterator<Item = &'a Event>) -> Result<Game, Misfit> {
        let mut game = Game::new();
        for event in events {
            game.apply(event)?;
        }
        Ok(game)
    }

    /// Whether the game has begun and not ended.
    pub fn is_playing(&self) -> bool {
        matches!(self.phase, Phase::Playing(_))
    }

    /// How the game ended, once it has.
    pub fn end(&self) -> Option<&Ended> {
        match &self.phase {
            Phase::Ended(end) => Some(end),
            Phase::NotStarted | Phase::Playing(_) => None,
        }
    }

    /// How the game began, once it has.
    pub fn started(&self) -> Option<&Started> {
        match self.phase {
            Phase::NotStarted => None,
            Phase::Playing(_) | Phase::Ended(_) => Some(&self.facts.started),
        }
    }

    /// The rules the game is played by.
    pub fn rule_set(&self) -> &RuleSet {
        &self.facts.started.rule_set
    }

    /// The clocks the game is played with, if any.
    pub fn time_control(&self) -> Option<TimeControl> {
        self.facts.started.time_control
    }

    /// How many half-moves have been played.
    pub fn ply(&self) -> u32 {
        self.facts.ply
    }

    /// How many moves each player has made.
    pub fn moves_made(&self) -> ByColor<u32> {
        self.facts.moves_made
    }

    /// The side to move.
    pub fn side_to_move(&self) -> Color {
        self.facts.board.turn()
    }

    /// The position on the board.
    pub fn position(&self) -> &Chess {
        self.facts.board.position()
    }

    /// The FEN of the position, with an en-passant square only where a capture is legal.
    pub fn fen(&self) -> String {
        position::fen(self.position())
    }

    /// The half-moves since the last capture or pawn move.
    pub fn halfmoves(&self) -> u32 {
        self.position().halfmoves()
    }

    /// How often the position on the board has stood, this time included.
    pub fn repetitions(&self) -> usize {
        self.facts.board.repetitions()
    }

    /// Whether the side to move is in check.
    pub fn is_check(&self) -> bool {
        self.position().is_check()
    }

    /// The legal moves in UCI notation; none once the game is over.
    pub fn legal_moves(&self) -> Vec<UciMove> {
        if !self.is_playing() {
            return Vec::new();
        }
        self.position().legal_moves().iter().map(|m| UciMove::from_standard(*m)).collect()
    }

    /// The pieces of each colour that have been captured.
    pub fn captured(&self) -> &ByColor<ByRole<u8>> {
        self.facts.board.captured()
    }

    /// Whose draw offer is open.
    pub fn draw_offer(&self) -> Option<Color> {
        self.turn().and_then(|turn| turn.offer)
    }

    /// How many draws a player has offered.
    pub fn draw_offers_made(&self, player: Color) -> u32 {
        self.facts.offers.get(player).made
    }

    /// Since when a player has been gone, put off by whatever time the game stood still.
    pub fn gone_since_ms(&self, player: Color) -> Option<i64> {
        self.turn().and_then(|turn| *turn.gone_since_ms.get(player))
    }

    /// When the turn of the side to move began, put off by whatever time the game stood still; `None` unless playing.
    pub fn turn_began_at_ms(&self) -> Option<i64> {
        self.turn().map(|turn| turn.began_at_ms)
    }

    /// The time of the last event, on the server's clock.
    pub fn last_event_at_ms(&self) -> i64 {
        self.facts.last_event_at_ms
    }

    /// Both clocks as they stood after the last move, or at the end; `None` in a game without clocks.
    pub fn clocks(&self) -> Option<Clocks> {
        self.facts.clocks
    }

    /// Both clocks as they stand at `now_ms`, the running one counted down without any credit; never negative.
    pub fn clocks_at(&self, now_ms: i64) -> Option<Clocks> {
        let clocks = self.facts.clocks?;
        Some(match self.running_clock() {
            Some(running) => clocks.with(self.side_to_move(), running.shown_ms(now_ms)),
            None => clocks,
        })
    }

    /// Whose clock runs, if any does.
    pub fn clock_running(&self) -> Option<Color> {
        self.running_clock().map(|_| self.side_to_move())
    }

    /// `uci` with a queen named when it is a legal promotion that names no piece: what the preference `auto_queen` means.
    pub fn with_auto_queen(&self, uci: UciMove) -> UciMove {
        notation::with_queen(uci).filter(|queened| queened.to_move(self.position()).is_ok()).unwrap_or(uci)
    }

    pub(crate) fn turn(&self) -> Option<&Turn> {
        match &self.phase {
            Phase::Playing(turn) => Some(turn),
            Phase::NotStarted | Phase::Ended(_) => None,
        }
    }

    /// When the first move of the side to move is due, if it is one that has to come in time.
    pub(crate) fn first_move_due_at_ms(&self) -> Option<i64> {
        let turn = self.turn()?;
        match self.rule_set().clock_start {
            ClockStart::FirstMovesFree { due_ms } if *self.facts.moves_made.get(self.side_to_move()) == 0 => {
                Some(turn.began_at_ms.saturating_add(i64::from(due_ms)))
            }
            ClockStart::FirstMovesFree { .. } | ClockStart::WithGame | ClockStart::Never => None,
        }
    }

    /// The clock of the side to move, if it runs.
    pub(crate) fn running_clock(&self) -> Option<RunningClock> {
        let turn = self.turn()?;
        let runs = match self.rule_set().clock_start {
            ClockStart::FirstMovesFree { .. } => *self.facts.moves_made.get(self.side_to_move()) > 0,
            ClockStart::WithGame => true,
            ClockStart::Never => false,
        };
        if !runs {
            return None;
        }
        let mover = self.side_to_move();
        Some(RunningClock {
            remaining_ms: self.facts.clocks?[mover],
            started_at_ms: turn.began_at_ms,
            scale: self.facts.started.time_scale,
            lag: self.facts.lag_limits.map(|limits| (limits, *self.facts.lag_allowance_ms.get(mover))),
        })
    }
}
