//! Counting positions through the decider's own path, against published figures.

use domain_chess::{Command, Game, RuleSet, decide};

use crate::given::{from_fen, game};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn count_paths(game: &Game, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let ply = game.ply() + 1;
    let play =
        |uci| Command::PlayMove { by: game.side_to_move(), uci, expected_ply: ply, now_ms: 1_000, lag_ms: 0 };
    game.legal_moves()
        .into_iter()
        .map(|uci| {
            let mut next = game.clone();
            for event in decide(game, &play(uci)).expect("a legal move") {
                next.evolve(&event);
            }
            count_paths(&next, depth - 1)
        })
        .sum()
}

/// How deep the two long counts go: deeper with optimisation. `make bench ONLY=game` counts to depth 5.
const DEPTH: u32 = if cfg!(debug_assertions) { 3 } else { 4 };

fn counted(game: &Game) -> Vec<u64> {
    (1..=DEPTH).map(|depth| count_paths(game, depth)).collect()
}

#[test]
fn the_usual_start_position_has_the_known_number_of_paths() {
    let given = game(RuleSet::fide(), None);
    let known = [20, 400, 8_902, 197_281];
    assert_eq!(counted(&given.game), known[..DEPTH as usize]);
}

#[test]
fn kiwipete_has_the_known_number_of_paths() {
    let given = from_fen(RuleSet::fide(), None, KIWIPETE);
    let known = [48, 2_039, 97_862, 4_085_603];
    assert_eq!(counted(&given.game), known[..DEPTH as usize]);
}

#[test]
fn promotions_and_pins_have_the_known_number_of_paths() {
    for (fen, known) in [
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", [14, 191, 2_812]),
        ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", [6, 264, 9_467]),
        ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", [44, 1_486, 62_379]),
    ] {
        let given = from_fen(RuleSet::fide(), None, fen);
        assert_eq!([1, 2, 3].map(|depth| count_paths(&given.game, depth)), known, "{fen}");
    }
}
