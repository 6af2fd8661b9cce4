//! The legal moves of a position in the order in which people are likely to play them.
//!
//! Nothing here is about good play: the order only makes low ranks likely, and it is **part of the stored form**. A change
//! of any figure below is a new format of the archive.

use shakmaty::{Chess, Color, Move, Position as _, Role, Square};

use super::ranks::MOVES_MAX;

/// What a piece is worth in an exchange, in the order pawn, knight, bishop, rook, queen, king.
const WORTH: [i32; 6] = [100, 320, 330, 500, 900, 1_000];
/// What a move loses by going where a pawn attacks, and gains by leaving such a square.
const RISKED: [i32; 6] = [100, 320, 330, 500, 900, 900];
const SAVED: [i32; 6] = [0, 160, 165, 250, 450, 450];
/// What it adds to take at all, and to take the piece that has just moved.
const CAPTURES: i32 = 20;
const RETAKES: i32 = 150;
/// A promotion adds what the piece is worth less this.
const PROMOTES: i32 = 600;
/// What castling scores.
const CASTLES: i32 = 60;

/// How good the squares are for each piece, White's view, a8 first: Michniewski's simplified evaluation.
#[rustfmt::skip]
const SQUARES: [[i8; 64]; 6] = [
    [  0,  0,  0,  0,  0,  0,  0,  0,  50, 50, 50, 50, 50, 50, 50, 50,  10, 10, 20, 30, 30, 20, 10, 10,   5,  5, 10, 25, 25, 10,  5,  5,
       0,  0,  0, 20, 20,  0,  0,  0,   5, -5,-10,  0,  0,-10, -5,  5,   5, 10, 10,-20,-20, 10, 10,  5,   0,  0,  0,  0,  0,  0,  0,  0],
    [-50,-40,-30,-30,-30,-30,-40,-50, -40,-20,  0,  0,  0,  0,-20,-40, -30,  0, 10, 15, 15, 10,  0,-30, -30,  5, 15, 20, 20, 15,  5,-30,
     -30,  0, 15, 20, 20, 15,  0,-30, -30,  5, 10, 15, 15, 10,  5,-30, -40,-20,  0,  5,  5,  0,-20,-40, -50,-40,-30,-30,-30,-30,-40,-50],
    [-20,-10,-10,-10,-10,-10,-10,-20, -10,  0,  0,  0,  0,  0,  0,-10, -10,  0,  5, 10, 10,  5,  0,-10, -10,  5,  5, 10, 10,  5,  5,-10,
     -10,  0, 10, 10, 10, 10,  0,-10, -10, 10, 10, 10, 10, 10, 10,-10, -10,  5,  0,  0,  0,  0,  5,-10, -20,-10,-10,-10,-10,-10,-10,-20],
    [  0,  0,  0,  0,  0,  0,  0,  0,   5, 10, 10, 10, 10, 10, 10,  5,  -5,  0,  0,  0,  0,  0,  0, -5,  -5,  0,  0,  0,  0,  0,  0, -5,
      -5,  0,  0,  0,  0,  0,  0, -5,  -5,  0,  0,  0,  0,  0,  0, -5,  -5,  0,  0,  0,  0,  0,  0, -5,   0,  0,  0,  5,  5,  0,  0,  0],
    [-20,-10,-10, -5, -5,-10,-10,-20, -10,  0,  0,  0,  0,  0,  0,-10, -10,  0,  5,  5,  5,  5,  0,-10,  -5,  0,  5,  5,  5,  5,  0, -5,
       0,  0,  5,  5,  5,  5,  0, -5, -10,  5,  5,  5,  5,  5,  0,-10, -10,  0,  5,  0,  0,  0,  0,-10, -20,-10,-10, -5, -5,-10,-10,-20],
    [-30,-40,-40,-50,-50,-40,-40,-30, -30,-40,-40,-50,-50,-40,-40,-30, -30,-40,-40,-50,-50,-40,-40,-30, -30,-40,-40,-50,-50,-40,-40,-30,
     -20,-30,-30,-40,-40,-30,-30,-20, -10,-20,-20,-20,-20,-20,-20,-10,  20, 20,  0,  0,  0,  0, 20, 20,  20, 30, 10,  0,  0, 10, 30, 20],
];

/// [`SQUARES`] for each side to move, by the numbers of squares, so that nothing has to be turned on the way.
static OWN_SQUARES: [[[i32; 64]; 6]; 2] = own_squares();

const fn own_squares() -> [[[i32; 64]; 6]; 2] {
    let mut own = [[[0; 64]; 6]; 2];
    let mut piece = 0;
    while piece < 6 {
        let mut square = 0;
        while square < 64 {
            own[0][piece][square] = SQUARES[piece][square ^ 56] as i32;
            own[1][piece][square] = SQUARES[piece][square] as i32;
            square += 1;
        }
        piece += 1;
    }
    own
}

/// What a capture and a promotion add, by the number of the piece; 0 is none.
const CAPTURED: [i32; 7] = by_piece(CAPTURES);
const PROMOTED: [i32; 7] = by_piece(-PROMOTES);

const fn by_piece(besides: i32) -> [i32; 7] {
    let mut added = [0; 7];
    let mut piece = 1;
    while piece < 7 {
        added[piece] = WORTH[piece - 1] + besides;
        piece += 1;
    }
    added
}

/// Above this rank a whole selection is quicker than taking the likeliest away one by one.
const TAKEN_SINGLY_MAX: usize = 10;

/// Every legal move of one position with its likelihood.
#[derive(Debug)]
pub(super) struct Ordered {
    /// The likelier the greater, no two the same; the first `count` of them count.
    keys: [i32; MOVES_MAX],
    count: usize,
}

impl Ordered {
    pub(super) fn new() -> Ordered {
        Ordered { keys: [0; MOVES_MAX], count: 0 }
    }

    /// Takes the legal moves of `position`; `last` is where the move before went.
    pub(super) fn fill(&mut self, position: &Chess, moves: &[Move], last: Option<Square>) {
        let scorer = Scorer::new(position, last);
        for (key, m) in self.keys.iter_mut().zip(moves) {
            *key = scorer.key(*m);
        }
        self.count = moves.len();
    }

    fn keys(&self) -> &[i32] {
        &self.keys[..self.count]
    }

    /// How many moves are likelier than the one at `index`.
    pub(super) fn rank_of(&self, index: usize) -> usize {
        let own = self.keys[index];
        self.keys().iter().filter(|key| **key > own).count()
    }

    /// The index of the move with so many likelier ones.
    pub(super) fn at_rank(&self, rank: usize) -> usize {
        let key = if rank <= TAKEN_SINGLY_MAX {
            let mut key = i32::MAX;
            for _ in 0..=rank {
                key = greatest_below(self.keys(), key);
            }
            key
        } else {
            let mut keys = self.keys;
            *keys[..self.count].select_nth_unstable_by(rank, |one, other| other.cmp(one)).1
        };
        self.keys().iter().position(|other| *other == key).unwrap_or(0)
    }
}

/// Without a branch on any key, so that several are compared at once.
fn greatest_below(keys: &[i32], bound: i32) -> i32 {
    let mut greatest = i32::MIN;
    for key in keys {
        let candidate = if *key < bound { *key } else { i32::MIN };
        greatest = if candidate > greatest { candidate } else { greatest };
    }
    greatest
}

struct Scorer {
    squares: &'static [[i32; 64]; 6],
    last: Option<Square>,
    /// The squares that the opponent's pawns attack.
    pawn_attacks: u64,
}

impl Scorer {
    fn new(position: &Chess, last: Option<Square>) -> Scorer {
        let turn = position.turn();
        let pawns = u64::from(position.board().pawns() & position.board().by_color(turn.other()));
        let (not_a, not_h) = (0xfefe_fefe_fefe_fefe_u64, 0x7f7f_7f7f_7f7f_7f7f_u64);
        let pawn_attacks = match turn {
            Color::White => (pawns & not_a) >> 9 | (pawns & not_h) >> 7,
            Color::Black => (pawns & not_a) << 7 | (pawns & not_h) << 9,
        };
        Scorer { squares: &OWN_SQUARES[turn.fold_wb(0, 1)], last, pawn_attacks }
    }

    /// The move's likelihood above a number that no other legal move has: its squares and its promotion.
    #[inline]
    fn key(&self, m: Move) -> i32 {
        // Nearly all moves are of the first kind, and a branch that is nearly always taken costs next to nothing.
        if let Move::Normal { role, from, capture, to, promotion } = m {
            let (captured, promoted) = (number(capture), number(promotion));
            let retaken = if captured != 0 && self.last == Some(to) { RETAKES } else { 0 };
            let score = self.step(role, from, to) + CAPTURED[captured] + PROMOTED[promoted] + retaken;
            return score << 15 | (promoted as i32) << 12 | (from as i32) << 6 | to as i32;
        }
        self.odd_key(m)
    }

    #[cold]
    fn odd_key(&self, m: Move) -> i32 {
        match m {
            Move::EnPassant { from, to } => {
                let score = self.step(Role::Pawn, from, to) + WORTH[0] + CAPTURES;
                score << 15 | (from as i32) << 6 | to as i32
            }
            Move::Castle { king, rook } => CASTLES << 15 | (king as i32) << 6 | rook as i32,
            Move::Normal { to, .. } | Move::Put { to, .. } => to as i32,
        }
    }

    /// What it adds to be on the new square rather than on the old one.
    #[inline]
    fn step(&self, role: Role, from: Square, to: Square) -> i32 {
        let piece = role as usize - 1;
        let squares = &self.squares[piece];
        let gained = squares[to as usize] - squares[from as usize];
        gained - RISKED[piece] * self.attacked(to) + SAVED[piece] * self.attacked(from)
    }

    /// 1 where a pawn of the opponent's attacks, otherwise 0.
    #[inline]
    fn attacked(&self, square: Square) -> i32 {
        (self.pawn_attacks >> square as u32 & 1) as i32
    }
}

/// 0 for no piece.
fn number(role: Option<Role>) -> usize {
    role.map_or(0, |role| role as usize)
}
