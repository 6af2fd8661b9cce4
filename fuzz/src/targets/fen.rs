//! Start positions, and whether one can be won from them.

use domain_chess::unwinnability::winnability;
use domain_chess::{Color, StartPosition};

use super::{CHESS_WORDS, begun};
use crate::{Target, Verdict};

pub(super) const TARGET: Target = Target { name: "fen", check, seeds, words: CHESS_WORDS };

fn seeds() -> Vec<Vec<u8>> {
    [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
        "8/8/4k3/8/2b5/4K3/8/5N2 b - - 49 120",
        "8/p1p1p1p1/P1P1P1P1/8/8/p1p1p1p1/P1P1P1P1/K6k w - - 0 1",
    ]
    .map(|fen| fen.as_bytes().to_vec())
    .to_vec()
}

fn check(input: &[u8]) -> Verdict {
    let Ok(text) = std::str::from_utf8(input) else { return Verdict::Refused };
    let Ok(position) = StartPosition::from_fen(text) else { return Verdict::Refused };
    let written = position.fen();
    let again = StartPosition::from_fen(&written).expect("what we write we can read");
    assert_eq!(again, position, "{written} is another position");
    for player in [Color::White, Color::Black] {
        winnability(position.position(), player);
    }
    if let Some(game) = begun(position) {
        assert_eq!(game.fen(), written);
        game.legal_moves();
    }
    Verdict::Accepted
}
