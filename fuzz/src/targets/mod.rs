//! What is fuzzed.

mod fen;
mod packed;
mod pgn;
mod requests;
mod uci;

use std::sync::Arc;

use domain_chess::{Command, Game, RuleSet, Start, StartPosition, TimeControl, decide};

use crate::Target;

/// All of them.
pub const ALL: [Target; 5] = [uci::TARGET, fen::TARGET, pgn::TARGET, packed::TARGET, requests::TARGET];

/// Pieces of chess as it is written.
const CHESS_WORDS: &[&str] = &[
    "e2e4",
    "e7e8q",
    "a7a8=Q",
    "e1g1",
    "O-O-O",
    "0-0",
    "0000",
    "Nbd7",
    "exd6",
    "e.p.",
    "#",
    "+",
    "!?",
    "$12",
    "{",
    "}",
    "(",
    ")",
    ";",
    "%",
    "[%clk 0:01:02.3]",
    "[%emt ",
    "1.",
    "1...",
    "*",
    "1-0",
    "0-1",
    "1/2-1/2",
    "[FEN \"",
    "[Variant \"",
    "[TimeControl \"180+2\"]",
    "\"]",
    "\\",
    " w ",
    " b ",
    "KQkq",
    " - ",
    "8/8/8/8/8/8/8/8",
    "k",
    "K",
    "p",
    "P",
    "10000",
    "\n\n",
    "\u{feff}",
];

/// A game by the strictest rules from a position.
fn begun(position: StartPosition) -> Option<Game> {
    let control = Some(TimeControl::new(180_000, 2_000));
    let mut start = Start::new(Arc::new(RuleSet::fide()), control, 1_000);
    start.start_position = position;
    let mut game = Game::new();
    for event in decide(&game, &Command::Start(Box::new(start))).ok()? {
        game.evolve(&event);
    }
    Some(game)
}
