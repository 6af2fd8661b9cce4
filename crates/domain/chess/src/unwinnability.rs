//! Whether a player could still win by any series of legal moves, both sides helping (FIDE 6.9).
//!
//! A quick look proves the positions in which everything is shut in; then a search of bounded size goes through whatever can
//! be reached. Three answers: a helpmate was found, there is none, or the search gave up.

mod confinement;

use std::collections::{HashSet, VecDeque};

use shakmaty::{Chess, Color, EnPassantMode, Position as _, zobrist::Zobrist64};

use crate::material;

/// How many positions the search looks at before it gives up.
pub const POSITIONS_MAX: usize = 60_000;

/// Whether a player could still win.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Winnability {
    /// Some series of legal moves ends with his mating.
    Winnable,
    /// No series of legal moves does.
    Unwinnable,
    /// Neither was shown within [`POSITIONS_MAX`]. Counts as winnable: only a proof takes a win away.
    Undecided,
}

/// Whether `player` could still win from `position`.
pub fn winnability(position: &Chess, player: Color) -> Winnability {
    if confinement::never_gives_check(position, player) {
        return Winnability::Unwinnable;
    }
    search(position, player)
}

/// Goes through the positions that can be reached, nearest first.
fn search(position: &Chess, player: Color) -> Winnability {
    let mut seen: HashSet<Zobrist64> = HashSet::new();
    let mut queue = VecDeque::from([position.clone()]);
    seen.insert(position.zobrist_hash(EnPassantMode::Legal));
    while let Some(position) = queue.pop_front() {
        if material::lacks_material(position.board(), player) {
            continue;
        }
        let moves = position.legal_moves();
        if moves.is_empty() && position.turn() != player && position.is_check() {
            return Winnability::Winnable;
        }
        for m in moves {
            let mut next = position.clone();
            next.play_unchecked(m);
            if seen.insert(next.zobrist_hash(EnPassantMode::Legal)) {
                if seen.len() > POSITIONS_MAX {
                    return Winnability::Undecided;
                }
                queue.push_back(next);
            }
        }
    }
    Winnability::Unwinnable
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::StartPosition;

    fn of(fen: &str) -> (bool, Winnability, Winnability) {
        let start = StartPosition::from_fen(fen).expect(fen);
        let position = start.position();
        (
            confinement::never_gives_check(position, Color::White),
            search(position, Color::White),
            winnability(position, Color::White),
        )
    }

    #[test]
    fn pawns_locked_into_each_other_shut_everything_in() {
        for fen in [
            // Kings only, behind a wall of pawns.
            "4k3/8/1p1p1p1p/1P1P1P1P/1p1p1p1p/1P1P1P1P/8/4K3 b - - 0 1",
            // A bishop of the colour on which no pawn can take it.
            "4k3/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/8/2B1K3 b - - 0 1",
        ] {
            let (shut, _, found) = of(fen);
            assert!(shut, "{fen}");
            assert_eq!(found, Winnability::Unwinnable);
        }
    }

    #[test]
    fn a_wall_with_a_gap_shuts_nothing_in() {
        for fen in [
            "4k3/8/p1p1p1p1/PpPpPpP1/1P1P1P2/8/8/R2QK3 b - - 0 1",
            "4k3/8/8/8/8/8/P7/4K3 b - - 0 1",
            // A knight, a rook or a bishop of the other colour can give itself up to a pawn and so open the wall.
            "4k3/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/8/N3K3 b - - 0 1",
            "4k3/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/8/R2QK3 b - - 0 1",
            "4k3/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/8/4KB2 b - - 0 1",
        ] {
            let (shut, _, found) = of(fen);
            assert!(!shut, "{fen}");
            assert_ne!(found, Winnability::Unwinnable, "{fen}");
        }
    }

    #[test]
    fn the_search_agrees_with_the_quick_look_where_it_comes_to_an_end() {
        for fen in [
            "4k3/8/1p1p1p1p/1P1P1P1P/1p1p1p1p/1P1P1P1P/8/4K3 b - - 0 1",
            "4k3/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/8/4K3 w - - 0 1",
        ] {
            let (shut, searched, _) = of(fen);
            assert_eq!((shut, searched), (true, Winnability::Unwinnable), "{fen}");
        }
    }

    #[test]
    fn a_forced_capture_of_the_last_mating_piece_is_seen() {
        // A29
        let (shut, searched, found) = of("6Rk/8/7K/8/8/8/8/8 b - - 0 1");
        assert_eq!((shut, searched, found), (false, Winnability::Unwinnable, Winnability::Unwinnable));
    }

    #[test]
    fn mate_on_the_next_move_is_found() {
        let (_, searched, _) = of("7k/8/5KQ1/8/8/8/8/8 w - - 0 1");
        assert_eq!(searched, Winnability::Winnable);
    }

    #[test]
    fn what_takes_too_long_is_undecided_and_counts_as_winnable() {
        let start = StartPosition::default();
        assert_eq!(search(start.position(), Color::White), Winnability::Undecided);
        assert!(crate::material::can_mate(crate::MatingRule::F3, start.position(), Color::White));
    }
}
