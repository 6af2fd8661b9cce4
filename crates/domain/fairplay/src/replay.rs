//! A game replayed from its moves, with the facts of each ply that decide whether it may count.

use std::collections::HashSet;

use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist128;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Move, Position, Square};
use thiserror::Error;

use crate::evaluation::Evaluation;

/// The longest game that is replayed. The fifty-move rule ends every game long before.
pub const PLIES_MAX: usize = 12_000;

/// Why a game could not be replayed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ReplayError {
    /// The text is not a legal move in the position it was played in.
    #[error("move {uci:?} at index {index} is not legal")]
    IllegalMove {
        /// Index of the move, from 0.
        index: usize,
        /// The move as it was given.
        uci: String,
    },
    /// More moves than [`PLIES_MAX`].
    #[error("{plies} plies are more than {PLIES_MAX}")]
    TooLong {
        /// Plies given.
        plies: usize,
    },
}

/// What is known of a ply without an engine.
#[derive(Clone, Debug)]
pub struct PlyFacts {
    /// The side that moved.
    pub mover: Color,
    /// The move played, in UCI notation of standard chess (castling is the king's two-square step).
    pub uci: String,
    /// Legal moves the mover had.
    pub legal_moves: usize,
    /// The square on which the opponent has just captured, if he has: a move to it is a recapture.
    pub captured_on: Option<Square>,
    /// The position before the move had stood in the game before.
    pub is_repetition: bool,
    /// The position before the move is one of a known opening.
    pub is_known_opening: bool,
    pub(crate) position: Chess,
}

/// A game whose every move was checked.
#[derive(Clone, Debug)]
pub struct PlayedGame {
    plies: Vec<PlyFacts>,
    last: Chess,
}

impl PlayedGame {
    /// Replays moves in UCI notation from the start position of standard chess.
    ///
    /// # Errors
    ///
    /// [`ReplayError`] names the first move that is not legal.
    pub fn replay<S: AsRef<str>>(moves: &[S]) -> Result<Self, ReplayError> {
        Self::replay_from(Chess::default(), moves)
    }

    /// Replays moves from any legal position.
    ///
    /// # Errors
    ///
    /// [`ReplayError`] names the first move that is not legal.
    pub fn replay_from<S: AsRef<str>>(start: Chess, moves: &[S]) -> Result<Self, ReplayError> {
        if moves.len() > PLIES_MAX {
            return Err(ReplayError::TooLong { plies: moves.len() });
        }
        let mut position = start;
        let mut stood = HashSet::new();
        let mut captured_on = None;
        let mut plies = Vec::with_capacity(moves.len());
        for (index, uci) in moves.iter().map(AsRef::as_ref).enumerate() {
            let played = legal_move(&position, uci)
                .ok_or_else(|| ReplayError::IllegalMove { index, uci: uci.to_owned() })?;
            let identity: Zobrist128 = position.zobrist_hash(EnPassantMode::Legal);
            plies.push(PlyFacts {
                mover: position.turn(),
                uci: UciMove::from_move(played, CastlingMode::Standard).to_string(),
                legal_moves: position.legal_moves().len(),
                captured_on,
                is_repetition: !stood.insert(identity),
                is_known_opening: crate::book::knows(&position),
                position: position.clone(),
            });
            captured_on = played.is_capture().then(|| played.to());
            position.play_unchecked(played);
        }
        Ok(Self { plies, last: position })
    }

    /// The plies in order.
    #[must_use]
    pub fn plies(&self) -> &[PlyFacts] {
        &self.plies
    }

    /// The side that moved first.
    #[must_use]
    pub fn first_mover(&self) -> Color {
        self.plies.first().map_or(self.last.turn(), |ply| ply.mover)
    }

    /// The positions an engine would be asked about, in order: before each ply, and after the last.
    #[must_use]
    pub fn position(&self, index: usize) -> Option<&Chess> {
        if index == self.plies.len() {
            return Some(&self.last);
        }
        self.plies.get(index).map(|ply| &ply.position)
    }

    /// The evaluation of the last position when the board itself decides it: mate, stalemate, or material
    /// with which nobody can mate. A game that ended otherwise has none.
    #[must_use]
    pub fn ending(&self) -> Option<Evaluation> {
        if self.last.is_checkmate() {
            return Some(Evaluation::Mate { winner: !self.last.turn(), moves: 0 });
        }
        let is_drawn = self.last.is_stalemate() || self.last.is_insufficient_material();
        is_drawn.then_some(Evaluation::Centipawns(0))
    }

    pub(crate) fn starts_at_the_start(&self) -> bool {
        self.position(0) == Some(&Chess::default())
    }
}

/// The legal move written as `uci`, if there is one.
pub(crate) fn legal_move(position: &Chess, uci: &str) -> Option<Move> {
    UciMove::from_ascii(uci.as_bytes()).ok()?.to_move(position).ok()
}
