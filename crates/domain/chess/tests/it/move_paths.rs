//! Counting positions through the decider's own path, against published figures.

use std::sync::atomic::{AtomicUsize, Ordering};

use domain_chess::{Command, Game, RuleSet, decide, parse_uci};

use crate::given::{from_fen, game};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// How deep the two long counts go.
const DEPTH: u32 = 5;

/// Every move but the last is read as a command, decided and taken in; the last one is only counted among the legal moves.
fn count_paths(game: &Game, depth: u32) -> u64 {
    let legal = game.legal_moves();
    if depth == 1 {
        return legal.len() as u64;
    }
    legal.into_iter().map(|uci| count_paths(&after(game, &uci.to_string()), depth - 1)).sum()
}

fn after(game: &Game, text: &str) -> Game {
    let uci = parse_uci(text).expect("a move is written as it is read");
    let command = Command::PlayMove {
        by: game.side_to_move(),
        uci,
        expected_ply: game.ply() + 1,
        now_ms: 1_000,
        lag_ms: 0,
    };
    let mut next = game.clone();
    for event in decide(game, &command).expect("a legal move") {
        next.evolve(&event);
    }
    next
}

/// The same on several threads, one first move after the other.
fn count_all_paths(game: &Game) -> u64 {
    let first = game.legal_moves();
    let next = AtomicUsize::new(0);
    let count = || {
        let mut sum = 0;
        while let Some(uci) = first.get(next.fetch_add(1, Ordering::Relaxed)) {
            sum += count_paths(&after(game, &uci.to_string()), DEPTH - 1);
        }
        sum
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let counting: Vec<_> = (0..threads).map(|_| scope.spawn(count)).collect();
        counting.into_iter().map(|thread| thread.join().expect("counting does not panic")).sum()
    })
}

#[test]
fn the_usual_start_position_has_the_known_number_of_paths() {
    assert_eq!(count_all_paths(&game(RuleSet::fide(), None).game), 4_865_609);
}

#[test]
fn kiwipete_has_the_known_number_of_paths() {
    assert_eq!(count_all_paths(&from_fen(RuleSet::fide(), None, KIWIPETE).game), 193_690_690);
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
