//! Where the pieces of one kind may go, the likelier squares with greater parts.
//!
//! Nothing here is about good play, and not every square is one of a legal move. What is a target and how likely it is, is
//! **part of the stored form**: a change of any figure below is a new format of the archive.

use shakmaty::{Bitboard, CastlingSide, Chess, Color, Position as _, Role, Square, attacks};

use super::range_coder::{Part, Parts};

/// How targets differ: where the piece that has just moved is taken, where another is; where there is nothing and no pawn
/// of the opponent's looks, and where one does.
const CLASSES: usize = 4;

/// Of 1,000 targets of each class so many are gone to, for each kind of piece: from counts over games between people, but at
/// least 3.
const WEIGHTS: [[u32; CLASSES]; 6] = [
    [776, 524, 80, 104],
    [743, 246, 144, 10],
    [542, 286, 124, 3],
    [690, 266, 85, 3],
    [423, 152, 78, 3],
    [727, 331, 200, 3],
];

/// Squares of the pieces of one kind, no two classes with a square in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Targets {
    classes: [Bitboard; CLASSES],
    weights: &'static [u32; CLASSES],
    total: u32,
}

impl Targets {
    /// Where the side to move, which is not in check, may go with the pieces of that kind; `last` is where the move before
    /// went. `None` when nowhere.
    pub(super) fn of(position: &Chess, role: Role, last: Option<Square>) -> Option<Targets> {
        let (all, them) = (reached(position, role), position.them());
        let (taken, empty) = (all & them, all & !them);
        let retaken = taken & last.map_or(Bitboard::EMPTY, Bitboard::from_square);
        let watched = seen_by_pawns(position);
        let classes = [retaken, taken ^ retaken, empty & !watched, empty & watched];
        let weights = &WEIGHTS[role as usize - 1];
        let total = classes.iter().zip(weights).map(|(class, weight)| class.count() as u32 * weight).sum();
        (total > 0).then_some(Targets { classes, weights, total })
    }
}

impl Parts for Targets {
    type Value = Square;

    fn total(&self) -> u32 {
        self.total
    }

    fn part_of(&self, value: Square) -> Part {
        let mut start = 0;
        for (class, weight) in self.classes.iter().zip(self.weights) {
            if class.contains(value) {
                let before = class.0 & ((1 << u32::from(value)) - 1);
                return Part { start: start + before.count_ones() * weight, size: *weight };
            }
            start += class.count() as u32 * weight;
        }
        unreachable!("a legal move goes to a target")
    }

    fn at(&self, place: u32) -> (Square, Part) {
        let mut start = 0;
        for (class, weight) in self.classes.iter().zip(self.weights) {
            let index = (place - start) / weight;
            if let Some(square) = class.into_iter().nth(index as usize) {
                return (square, Part { start: start + index * weight, size: *weight });
            }
            start += class.count() as u32 * weight;
        }
        unreachable!("the places are those of the targets")
    }
}

/// Where the pieces of one kind go if nothing is pinned. Castling goes to the rook.
fn reached(position: &Chess, role: Role) -> Bitboard {
    let (own, occupied) = (position.our(role), position.board().occupied());
    let attacked = match role {
        Role::Pawn => return reached_by_pawns(position),
        Role::Knight => from_each(own, attacks::knight_attacks),
        Role::Bishop => from_each(own, |from| attacks::bishop_attacks(from, occupied)),
        Role::Rook => from_each(own, |from| attacks::rook_attacks(from, occupied)),
        Role::Queen => from_each(own, |from| attacks::queen_attacks(from, occupied)),
        Role::King => from_each(own, attacks::king_attacks),
    };
    let castles = if role == Role::King { castles(position) } else { Bitboard::EMPTY };
    attacked & !position.us() | castles
}

fn from_each(pieces: Bitboard, attacked: impl Fn(Square) -> Bitboard) -> Bitboard {
    pieces.into_iter().fold(Bitboard::EMPTY, |all, from| all | attacked(from))
}

fn reached_by_pawns(position: &Chess) -> Bitboard {
    let (turn, free) = (position.turn(), !position.board().occupied());
    let pawns = position.our(Role::Pawn);
    let forward = turn.fold_wb(8, -8);
    let once = pawns.shift(forward) & free;
    let twice = once.shift(forward) & turn.fold_wb(Bitboard::SOUTH, Bitboard::NORTH) & free;
    let en_passant = position.pseudo_legal_ep_square().map_or(Bitboard::EMPTY, Bitboard::from_square);
    once | twice | attacked_by(pawns, turn) & (position.them() | en_passant)
}

fn castles(position: &Chess) -> Bitboard {
    let (turn, occupied) = (position.turn(), position.board().occupied());
    let clear = |side| position.castles().path(turn, side).is_disjoint(occupied);
    let rook = |side| position.castles().rook(turn, side).filter(|_| clear(side));
    [CastlingSide::KingSide, CastlingSide::QueenSide].into_iter().filter_map(rook).collect()
}

fn seen_by_pawns(position: &Chess) -> Bitboard {
    attacked_by(position.their(Role::Pawn), position.turn().other())
}

fn attacked_by(pawns: Bitboard, color: Color) -> Bitboard {
    let (not_a, not_h) = (0xfefe_fefe_fefe_fefe_u64, 0x7f7f_7f7f_7f7f_7f7f_u64);
    let pawns = pawns.0;
    Bitboard(match color {
        Color::White => (pawns & not_a) << 7 | (pawns & not_h) << 9,
        Color::Black => (pawns & not_a) >> 9 | (pawns & not_h) >> 7,
    })
}
