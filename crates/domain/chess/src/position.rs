//! Where the pieces stand, and how often they have stood so.

use std::num::NonZeroU32;

use shakmaty::{
    ByColor, ByRole, CastlingMode, Chess, Color, EnPassantMode, Move, Position as _, PositionErrorKinds,
    fen::Fen, zobrist::Zobrist64,
};

/// The longest FEN that is looked at. The longest a legal position can need is well below.
pub const FEN_BYTES_MAX: usize = 100;
/// The highest half-move counter that a start position may carry: at this count every rule set has ended the game.
pub const HALFMOVES_MAX: u32 = 150;
/// The highest move number that a start position may carry.
pub const FULLMOVES_MAX: u32 = 9_999;

/// A position that a game may start from: it has passed every check of [`StartPosition::from_fen`].
#[derive(Clone, Debug, Default)]
pub struct StartPosition(Chess);

/// Two start positions are the same when a game from either is the same: the counters count too.
impl PartialEq for StartPosition {
    fn eq(&self, other: &StartPosition) -> bool {
        self.0 == other.0
            && self.0.halfmoves() == other.0.halfmoves()
            && self.0.fullmoves() == other.0.fullmoves()
    }
}

impl Eq for StartPosition {}

/// Why a FEN is not a start position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FenRefusal {
    /// Longer than [`FEN_BYTES_MAX`].
    #[error("the fen is too long")]
    TooLong,
    /// Not a FEN at all.
    #[error("the fen cannot be read")]
    Malformed,
    /// No game of chess can come to this position: see the kinds.
    #[error("the position is impossible")]
    Impossible(PositionErrorKinds),
    /// The half-move counter or the move number is out of bounds.
    #[error("the counters of the fen are out of bounds")]
    Counters,
}

impl StartPosition {
    /// Reads a FEN and checks that the position can occur in a game (case A41).
    pub fn from_fen(fen: &str) -> Result<StartPosition, FenRefusal> {
        if fen.len() > FEN_BYTES_MAX {
            return Err(FenRefusal::TooLong);
        }
        let fen = Fen::from_ascii(fen.as_bytes()).map_err(|_| FenRefusal::Malformed)?;
        let setup = fen.as_setup();
        if setup.pockets.is_some() || setup.remaining_checks.is_some() || setup.promoted.any() {
            return Err(FenRefusal::Malformed);
        }
        let last_move = NonZeroU32::new(FULLMOVES_MAX).expect("the bound is not zero");
        if setup.halfmoves > HALFMOVES_MAX || setup.fullmoves > last_move {
            return Err(FenRefusal::Counters);
        }
        fen.into_position(CastlingMode::Standard)
            .map(StartPosition)
            .map_err(|error| FenRefusal::Impossible(error.kinds()))
    }

    /// The FEN, with an en-passant square only where a capture is legal.
    pub fn fen(&self) -> String {
        fen(&self.0)
    }

    /// Whether this is the usual start position with fresh counters.
    pub fn is_standard(&self) -> bool {
        *self == StartPosition::default()
    }

    /// The position itself.
    pub fn position(&self) -> &Chess {
        &self.0
    }
}

/// The FEN of a position, with an en-passant square only where a capture is legal.
pub fn fen(position: &Chess) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}

/// The position of a running game with what its draw rules need to remember.
#[derive(Clone, Debug)]
pub(crate) struct Board {
    position: Chess,
    hash: Zobrist64,
    /// Hashes of the positions since the last move that cannot be taken back, the current one included. No earlier
    /// position can come again, so nothing is lost; and no rule set lets this grow beyond [`HALFMOVES_MAX`] + 1.
    stood: Vec<Zobrist64>,
    captured: ByColor<ByRole<u8>>,
}

/// What a legal move leads to.
#[derive(Clone, Debug)]
pub(crate) struct LookAhead {
    pub(crate) position: Chess,
    hash: Zobrist64,
    irreversible: bool,
}

impl Board {
    pub(crate) fn new(start: &StartPosition) -> Board {
        let position = start.0.clone();
        let hash = position.zobrist_hash(EnPassantMode::Legal);
        Board { position, hash, stood: vec![hash], captured: ByColor::default() }
    }

    pub(crate) fn position(&self) -> &Chess {
        &self.position
    }

    /// The pieces of each colour that have been captured.
    pub(crate) fn captured(&self) -> &ByColor<ByRole<u8>> {
        &self.captured
    }

    /// How often the position on the board has stood, this time included.
    pub(crate) fn repetitions(&self) -> usize {
        count(&self.stood, self.hash)
    }

    /// What the legal move `m` leads to.
    pub(crate) fn look_ahead(&self, m: Move) -> LookAhead {
        let irreversible = self.position.is_irreversible(m);
        let updated = self.position.update_zobrist_hash(self.hash, m, EnPassantMode::Legal);
        let mut position = self.position.clone();
        position.play_unchecked(m);
        let hash = updated.unwrap_or_else(|| position.zobrist_hash(EnPassantMode::Legal));
        LookAhead { position, hash, irreversible }
    }

    /// How often the position of `next` will have stood once it is on the board.
    pub(crate) fn repetitions_of(&self, next: &LookAhead) -> usize {
        if next.irreversible { 1 } else { count(&self.stood, next.hash) + 1 }
    }

    /// Plays the legal move `m`.
    pub(crate) fn play(&mut self, m: Move) {
        let next = self.look_ahead(m);
        if next.irreversible {
            self.stood.clear();
        }
        if let Some(role) = m.capture() {
            *self.captured.get_mut(next.position.turn()).get_mut(role) += 1;
        }
        self.stood.push(next.hash);
        self.hash = next.hash;
        self.position = next.position;
    }

    pub(crate) fn turn(&self) -> Color {
        self.position.turn()
    }
}

fn count(stood: &[Zobrist64], hash: Zobrist64) -> usize {
    stood.iter().filter(|&&earlier| earlier == hash).count()
}
