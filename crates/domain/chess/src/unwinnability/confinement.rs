//! A quick proof that a player can never even give check: his pieces are shut in, or shut out.
//!
//! For each piece it grows the set of squares on which the piece could ever stand, being generous wherever exactness
//! would cost: a square counts as free once whatever stands on it could move away or be taken. What stays out
//! of reach under these assumptions is out of reach in every game. Two pawns that block each other wait for each
//! other, and so stay where they are: that is what shuts the others in. After M. Ambrona, "A Practical
//! Algorithm for Chess Unwinnability" (2022), semi-static part.

use shakmaty::{Bitboard, Board, Chess, Color, Position as _, Role, Square, attacks};

/// Whether it is certain that `player` never gives check again. `false` says nothing.
pub(super) fn never_gives_check(position: &Chess, player: Color) -> bool {
    // Castling and an en-passant capture at hand are rare where everything is shut; the proof does without them.
    if position.castles().any() || position.legal_ep_square().is_some() {
        return false;
    }
    let mut reaches = Reaches::at_rest(position.board());
    while reaches.grow() {}
    !reaches.promotes(player) && !reaches.gives_check(player)
}

/// A piece of the position with every square on which it could ever stand.
#[derive(Clone, Copy)]
struct Piece {
    color: Color,
    role: Role,
    home: Square,
    reach: Bitboard,
}

impl Piece {
    fn leaves(&self) -> bool {
        self.reach.more_than_one()
    }

    /// The squares one step away, from anywhere in its reach. Gliding over squares is a row of such steps.
    fn steps(&self) -> Bitboard {
        let from_each = |step: fn(Square) -> Bitboard| {
            self.reach.into_iter().fold(Bitboard::EMPTY, |squares, from| squares | step(from))
        };
        match self.role {
            Role::Knight => from_each(attacks::knight_attacks),
            Role::King | Role::Queen => from_each(attacks::king_attacks),
            Role::Bishop => {
                from_each(|from| attacks::king_attacks(from) & attacks::bishop_attacks(from, Bitboard::EMPTY))
            }
            Role::Rook => {
                from_each(|from| attacks::king_attacks(from) & attacks::rook_attacks(from, Bitboard::EMPTY))
            }
            Role::Pawn => self.pawn_attacks(),
        }
    }

    fn pawn_attacks(&self) -> Bitboard {
        self.reach
            .into_iter()
            .fold(Bitboard::EMPTY, |squares, from| squares | attacks::pawn_attacks(self.color, from))
    }

    fn pushes(&self) -> Bitboard {
        match self.color {
            Color::White => Bitboard(self.reach.0 << 8),
            Color::Black => Bitboard(self.reach.0 >> 8),
        }
    }

    fn promotes(&self) -> bool {
        self.role == Role::Pawn && (self.reach & Bitboard::BACKRANKS).any()
    }
}

struct Reaches(Vec<Piece>);

impl Reaches {
    fn at_rest(board: &Board) -> Reaches {
        Reaches(
            board
                .iter()
                .map(|(home, piece)| Piece {
                    color: piece.color,
                    role: piece.role,
                    home,
                    reach: Bitboard::from_square(home),
                })
                .collect(),
        )
    }

    /// Lets every piece take its next steps; `false` once nothing more can be reached.
    fn grow(&mut self) -> bool {
        let shut = self.shut();
        let mut grown = false;
        for index in 0..self.0.len() {
            let piece = self.0[index];
            let reach = self.next_reach(piece, shut);
            grown |= reach != piece.reach;
            self.0[index].reach = reach;
        }
        grown
    }

    /// The squares whose first occupant can neither leave nor be taken, as far as is known.
    fn shut(&self) -> Bitboard {
        let stays = |piece: &&Piece| !piece.leaves() && !self.taken(piece);
        self.0.iter().filter(stays).map(|piece| piece.home).collect()
    }

    fn taken(&self, piece: &Piece) -> bool {
        piece.role != Role::King && (piece.reach & self.reach_of(piece.color.other())).any()
    }

    fn reach_of(&self, color: Color) -> Bitboard {
        self.0
            .iter()
            .filter(|piece| piece.color == color)
            .fold(Bitboard::EMPTY, |all, piece| all | piece.reach)
    }

    fn next_reach(&self, piece: Piece, shut: Bitboard) -> Bitboard {
        if piece.promotes() {
            return Bitboard::FULL;
        }
        let of = |color: Color, kings: fn(Role) -> bool| {
            self.0
                .iter()
                .filter(move |other| other.color == color && kings(other.role))
                .fold(Bitboard::EMPTY, |all, other| all | other.reach)
        };
        let takeable = of(piece.color.other(), |role| role != Role::King);
        if piece.role == Role::Pawn {
            return piece.reach | (piece.pushes() & !shut) | (piece.pawn_attacks() & takeable);
        }
        let mut steps = piece.steps() & (!shut | takeable);
        if piece.role == Role::King {
            steps &= !self.guarded_for_ever(piece.color.other(), shut);
        }
        piece.reach | steps
    }

    /// The squares that pawns of `color` guard which can neither leave nor be taken.
    fn guarded_for_ever(&self, color: Color, shut: Bitboard) -> Bitboard {
        self.0
            .iter()
            .filter(|piece| piece.color == color && piece.role == Role::Pawn && shut.contains(piece.home))
            .fold(Bitboard::EMPTY, |all, pawn| all | pawn.pawn_attacks())
    }

    fn promotes(&self, player: Color) -> bool {
        self.0.iter().any(|piece| piece.color == player && piece.promotes())
    }

    /// Whether a piece of `player` could stand a step away from where the other king could stand. A check from afar
    /// needs the squares between to be free, and then they are in the piece's reach as well.
    fn gives_check(&self, player: Color) -> bool {
        let king = self.0.iter().find(|piece| piece.color != player && piece.role == Role::King);
        let haunts = king.map_or(Bitboard::EMPTY, |king| king.reach);
        self.0
            .iter()
            .filter(|piece| piece.color == player && piece.role != Role::King)
            .any(|piece| (piece.steps() & haunts).any())
    }
}
