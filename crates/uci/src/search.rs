//! What is asked of an engine, checked by replaying it; and what it answers.

use std::fmt::Write as _;
use std::sync::Arc;

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Move, Position};
use thiserror::Error;

use crate::config::EngineConfig;
use crate::error::Error;
use crate::protocol::{Identity, Score};

/// The longest FEN that is looked at.
pub const FEN_BYTES_MAX: usize = 128;
/// The longest game that is replayed.
pub const MOVES_MAX: usize = 12_000;
/// Beyond this the seventy-five-move rule has ended the game.
const HALF_MOVE_CLOCK_MAX: u32 = 150;
/// Beyond this no game goes, and engines multiply the number.
const MOVE_NUMBER_MAX: u32 = 9_999;

/// Where the moves of a search start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// The start position of standard chess.
    #[default]
    Standard,
    /// Any position, in Forsyth-Edwards notation.
    Fen(String),
}

/// A question to an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// Where the moves start.
    pub start: Start,
    /// The moves played from there, in UCI notation. They are sent too: repetitions depend on them.
    pub moves: Vec<String>,
    /// The node budget.
    pub nodes: u64,
    /// How many of the best moves to report.
    pub multi_pv: u16,
}

/// Why a position is not legal chess.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum IllegalPosition {
    /// The FEN cannot be read.
    #[error("the FEN cannot be read: {reason}")]
    Fen {
        /// Why.
        reason: String,
    },
    /// The FEN can be read, but no game leads there.
    #[error("the FEN describes no legal position: {reason}")]
    Impossible {
        /// Why.
        reason: String,
    },
    /// A move is not legal where it is played.
    #[error("move {uci:?} at index {index} is not legal")]
    Move {
        /// Index of the move, from 0.
        index: usize,
        /// The move as it was given.
        uci: String,
    },
    /// More moves than [`MOVES_MAX`].
    #[error("{count} moves are more than {MOVES_MAX}")]
    TooManyMoves {
        /// Moves given.
        count: usize,
    },
}

/// One of the best moves, with what follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Rank from 1.
    pub rank: u16,
    /// The moves in UCI notation, all legal, at least one.
    pub moves: Vec<String>,
    /// The score in the view of the side to move.
    pub score: Score,
    /// The depth in plies.
    pub depth: u32,
    /// Nodes searched when the line was final.
    pub nodes: u64,
}

/// An engine's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// The side to move, in whose view the scores are.
    pub turn: Color,
    /// The best moves of the last full depth, best first; as many as asked, or as there are legal moves.
    pub lines: Vec<Line>,
    /// The move the engine would play. It may come from the cut iteration after the last full depth.
    pub best_move: String,
    /// Nodes searched when the engine stopped.
    pub nodes: u64,
    /// Who answered.
    pub engine: Arc<Identity>,
}

/// A search that passed every check.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    pub(crate) position: Chess,
    pub(crate) position_command: String,
    pub(crate) nodes: u64,
    pub(crate) multi_pv: u16,
}

impl Prepared {
    /// Replays the search and checks it against the limits.
    pub(crate) fn new(search: &Search, config: &EngineConfig) -> Result<Self, Error> {
        check_limit("nodes", search.nodes, config.nodes_max)?;
        check_limit("multi_pv", search.multi_pv.into(), config.multi_pv_max.into())?;
        let (position, position_command) = replay(search)?;
        if position.legal_moves().is_empty() {
            return Err(Error::GameOver);
        }
        Ok(Self { position, position_command, nodes: search.nodes, multi_pv: search.multi_pv })
    }

    /// How many lines the engine owes: never more than there are legal moves.
    pub(crate) fn width(&self) -> usize {
        usize::from(self.multi_pv).min(self.position.legal_moves().len())
    }
}

fn check_limit(quantity: &'static str, asked: u64, max: u64) -> Result<(), Error> {
    if (1..=max).contains(&asked) {
        return Ok(());
    }
    Err(Error::OutOfLimits { quantity, asked, max })
}

/// The position, and the command that makes the engine hold the same one. The command is written from the replayed
/// game, not from the caller's text.
fn replay(search: &Search) -> Result<(Chess, String), IllegalPosition> {
    let (mut position, mut command) = match &search.start {
        Start::Standard => (Chess::default(), String::from("position startpos")),
        Start::Fen(text) => {
            let position = read_fen(text)?;
            let fen = Fen::from_position(&position, EnPassantMode::Legal);
            (position, format!("position fen {fen}"))
        }
    };
    if search.moves.len() > MOVES_MAX {
        return Err(IllegalPosition::TooManyMoves { count: search.moves.len() });
    }
    for (index, uci) in search.moves.iter().enumerate() {
        let played =
            legal_move(&position, uci).ok_or_else(|| IllegalPosition::Move { index, uci: uci.clone() })?;
        if index == 0 {
            command.push_str(" moves");
        }
        write!(command, " {}", written(played)).expect("writing to a string cannot fail");
        position.play_unchecked(played);
    }
    Ok((position, command))
}

fn read_fen(text: &str) -> Result<Chess, IllegalPosition> {
    if text.len() > FEN_BYTES_MAX {
        let reason = format!("longer than {FEN_BYTES_MAX} bytes");
        return Err(IllegalPosition::Fen { reason });
    }
    let fen = Fen::from_ascii(text.as_bytes())
        .map_err(|error| IllegalPosition::Fen { reason: error.to_string() })?;
    let position: Chess = fen
        .into_position(CastlingMode::Standard)
        .map_err(|error| IllegalPosition::Impossible { reason: error.to_string() })?;
    let is_countable =
        position.halfmoves() <= HALF_MOVE_CLOCK_MAX && position.fullmoves().get() <= MOVE_NUMBER_MAX;
    if !is_countable {
        let reason = String::from("move counters beyond any game");
        return Err(IllegalPosition::Impossible { reason });
    }
    Ok(position)
}

/// The legal move written as `uci`, if there is one.
pub(crate) fn legal_move(position: &Chess, uci: &str) -> Option<Move> {
    UciMove::from_ascii(uci.as_bytes()).ok()?.to_move(position).ok()
}

/// A move in UCI notation of standard chess.
pub(crate) fn written(played: Move) -> UciMove {
    UciMove::from_move(played, CastlingMode::Standard)
}
