//! Known opening positions: whoever plays on in one of them shows what he has learnt, not what he finds.
//!
//! A small book of main lines; it need not be complete, because what it misses is judged like any other position, by what
//! people of the rating play there.

use std::collections::HashSet;
use std::sync::LazyLock;

use shakmaty::san::San;
use shakmaty::zobrist::Zobrist128;
use shakmaty::{Chess, EnPassantMode, Position as _};

/// One line of play a line, from the start.
const LINES: &str = include_str!("book_lines.txt");

static POSITIONS: LazyLock<HashSet<Zobrist128>> =
    LazyLock::new(|| LINES.lines().flat_map(positions).collect());

/// Whether the book has a move in this position.
#[must_use]
pub fn knows(position: &Chess) -> bool {
    POSITIONS.contains(&identity(position))
}

fn identity(position: &Chess) -> Zobrist128 {
    position.zobrist_hash(EnPassantMode::Legal)
}

/// The positions of a line in which it goes on.
fn positions(line: &str) -> Vec<Zobrist128> {
    let mut position = Chess::default();
    let mut known = Vec::new();
    for word in line.split_whitespace() {
        let played = San::from_ascii(word.as_bytes()).ok().and_then(|san| san.to_move(&position).ok());
        let played = played.expect("a test plays every line");
        known.push(identity(&position));
        position.play_unchecked(played);
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_legal_and_ends_outside_of_the_book() {
        for line in LINES.lines() {
            let mut position = Chess::default();
            for word in line.split_whitespace() {
                let san = San::from_ascii(word.as_bytes()).unwrap_or_else(|_| panic!("{word} in {line}"));
                let played = san.to_move(&position).unwrap_or_else(|_| panic!("{word} in {line}"));
                assert!(knows(&position));
                position.play_unchecked(played);
            }
        }
        assert!(POSITIONS.len() > 1_500, "{}", POSITIONS.len());
        let mut bare = Chess::default();
        bare.play_unchecked(San::from_ascii(b"a4").expect("a move").to_move(&bare).expect("legal"));
        assert!(!knows(&bare));
    }
}
