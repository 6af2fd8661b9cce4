//! Which legal move is played: the kind of piece, where to, and the rank among what is then left.
//!
//! Nearly always one move is left, so that not all legal moves have to be found, most of which are not played.

use shakmaty::{
    CastlingSide, Chess, Color, Move, MoveList, Position as _, Role, Square,
    san::{San, SanPlus, Suffix},
};

use super::{
    range_coder::{Coder, Even},
    symbol::{SURE, Symbol},
    targets::Targets,
};

/// How often pawns, knights, bishops, rooks, queens and the king move, from counts over games between people.
const ROLES: Symbol<8> = Symbol::expecting(&[540, 336, 282, 264, 229, 148], SURE);

/// The position and what is expected of its next move.
pub(super) struct Moves {
    position: Chess,
    last_to: Option<Square>,
    /// The legal moves of a side in check. That they are few or none has to be known anyway, for the sign of the move before.
    evasions: Option<MoveList>,
    roles: Symbol<8>,
}

impl Moves {
    pub(super) fn from(position: Chess) -> Moves {
        let mut moves = Moves { position, last_to: None, evasions: None, roles: ROLES };
        moves.find_evasions();
        moves
    }

    pub(super) fn position(&self) -> &Chess {
        &self.position
    }

    pub(super) fn turn(&self) -> Color {
        self.position.turn()
    }

    /// Codes the next move and plays it. A writer is given a legal move of its own; a reader has none, and reads none when what
    /// stands in the bytes is not legal.
    pub(super) fn code(&mut self, coder: &mut impl Coder, own: Option<Move>) -> Option<(Move, SanPlus)> {
        let (m, san) = match &self.evasions {
            Some(evasions) => written(rank(coder, evasions, own)?, evasions),
            None => {
                let role = coder.learn(&mut self.roles, own.map_or(0, |m| m.role() as usize - 1));
                let role = *Role::ALL.get(role)?;
                let targets = Targets::of(&self.position, role, self.last_to)?;
                let to = coder.choose(&targets, own.map_or(Square::A1, |m| m.to()));
                let left = going_to(&self.position, role, to);
                written(rank(coder, &left, own)?, &left)
            }
        };
        self.position.play_unchecked(m);
        self.last_to = Some(m.to());
        self.find_evasions();
        let suffix = self.evasions.as_ref().map(|evasions| match evasions.is_empty() {
            true => Suffix::Checkmate,
            false => Suffix::Check,
        });
        Some((m, SanPlus { san, suffix }))
    }

    fn find_evasions(&mut self) {
        self.evasions = None;
        // Not by `then`, which moves a list of more than a kilobyte even where there is none.
        if self.position.is_check() {
            self.evasions = Some(self.position.legal_moves());
        }
    }
}

/// The move as it is written, where `moves` has all of the same piece to the same square.
fn written(m: Move, moves: &MoveList) -> (Move, San) {
    (m, San::disambiguate(m, moves))
}

/// The legal moves of one kind of piece to one square; to its own rook the king castles.
fn going_to(position: &Chess, role: Role, to: Square) -> MoveList {
    if !position.us().contains(to) {
        return position.san_candidates(role, to);
    }
    let is_queen_side = position.board().king_of(position.turn()).is_some_and(|king| to < king);
    position.castling_moves(CastlingSide::from_queen_side(is_queen_side))
}

/// Codes one of few moves by its rank in an order that does not depend on how they are listed. `None` when there are none.
fn rank(coder: &mut impl Coder, moves: &[Move], own: Option<Move>) -> Option<Move> {
    if let [only] = moves {
        return Some(*only);
    }
    let count = u32::try_from(moves.len()).ok().filter(|count| *count > 0)?;
    let rank_of = |m: &Move| moves.iter().filter(|other| key(**other) < key(*m)).count() as u32;
    let rank = coder.choose(&Even(count), own.map_or(0, |own| rank_of(&own)));
    moves.iter().copied().find(|m| rank_of(m) == rank)
}

/// Different for any two moves of a position. It is **part of the stored form**.
fn key(m: Move) -> u32 {
    let promotion = m.promotion().map_or(0, |role| role as u32);
    let from = m.from().map_or(0, u32::from);
    (m.role() as u32) << 16 | promotion << 12 | from << 6 | u32::from(m.to())
}
