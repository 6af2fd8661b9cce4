//! What is left on the board, and whether it is enough.

use shakmaty::{Bitboard, Board, Chess, Color, Position as _, Role};

use crate::{
    rule_set::{MaterialRule, MatingRule},
    unwinnability::{self, Winnability},
};

/// Whether neither side has enough left to mate: the game is a draw at once.
pub fn is_dead(rule: MaterialRule, board: &Board) -> bool {
    if (board.pawns() | board.rooks_and_queens()).any() {
        return false;
    }
    let minors = (board.knights() | board.bishops()).count();
    match rule {
        MaterialRule::M1 => {
            minors <= 1 || (board.knights().is_empty() && stand_on_one_colour(board.bishops()))
        }
        MaterialRule::M2 => minors <= 1 || one_bishop_each(board),
    }
}

/// Whether `player` could still mate by this rule, so that the other's flag or resignation loses.
pub fn can_mate(rule: MatingRule, position: &Chess, player: Color) -> bool {
    let board = position.board();
    let own = board.by_color(player);
    if own.count() == 1 {
        return false;
    }
    match rule {
        MatingRule::F1 => {
            let one_minor = own.count() == 2 && (own & (board.knights() | board.bishops())).any();
            !(one_minor && board.by_color(!player).count() == 1)
        }
        MatingRule::F2 => !lacks_material(board, player),
        // Undecided falls to the side that could perhaps win: only a proof takes a win away.
        MatingRule::F3 => unwinnability::winnability(position, player) != Winnability::Unwinnable,
        MatingRule::F4 => !is_dead(MaterialRule::M1, board),
    }
}

/// F2 for a player who has more than a king. No game from such material can end with his mating.
pub(crate) fn lacks_material(board: &Board, player: Color) -> bool {
    let (own, theirs) = (board.by_color(player), board.by_color(!player));
    let pieces = own & !board.kings();
    if pieces.is_empty() {
        return true;
    }
    let knights = board.by_piece(Role::Knight.of(player));
    if pieces == knights && knights.count() == 1 {
        return (theirs & !(board.kings() | board.queens())).is_empty();
    }
    pieces == board.by_piece(Role::Bishop.of(player))
        && stand_on_one_colour(board.bishops())
        && (theirs & (board.knights() | board.pawns())).is_empty()
}

fn stand_on_one_colour(squares: Bitboard) -> bool {
    (squares & Bitboard::DARK_SQUARES).is_empty() || (squares & Bitboard::LIGHT_SQUARES).is_empty()
}

fn one_bishop_each(board: &Board) -> bool {
    board.knights().is_empty()
        && Color::ALL.iter().all(|&color| board.by_piece(Role::Bishop.of(color)).count() == 1)
}
