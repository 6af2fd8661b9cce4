//! The pure parts: parsing, collecting, checking. The processes are tested in `tests/`.

use std::time::Duration;

use shakmaty::Chess;

use crate::collect::Collector;
use crate::config::EngineConfig;
use crate::error::{Error, Fault};
use crate::protocol::{Exactness, MATE_MOVES_MAX, Output, Score, parse};
use crate::search::{IllegalPosition, Line, MOVES_MAX, Prepared, Search, Start};

fn search(start: Start, moves: &[&str]) -> Search {
    Search { start, moves: moves.iter().map(|&uci| uci.to_owned()).collect(), nodes: 1_000, multi_pv: 2 }
}

fn prepare(start: Start, moves: &[&str]) -> Result<Prepared, Error> {
    Prepared::new(&search(start, moves), &EngineConfig::new("engine"))
}

fn fen(text: &str) -> Start {
    Start::Fen(text.to_owned())
}

/// What a search of the start position with two lines and 1,000 nodes makes of this output.
fn collect(output: &[&str]) -> Result<Vec<Line>, Fault> {
    let prepared = prepare(Start::Standard, &[]).expect("the start position is legal");
    let mut collector = Collector::new(&prepared);
    for line in output {
        if let Output::Info(info) = parse(line) {
            collector.add(&info);
        }
    }
    collector.finish(&Chess::default())
}

fn first_moves(lines: &[Line]) -> Vec<&str> {
    lines.iter().map(|line| line.moves[0].as_str()).collect()
}

#[test]
fn scores_beyond_any_value_are_cut_and_never_overflow() {
    // I04
    let score = |text: &str| match parse(&format!("info depth 3 score {text} pv e2e4")) {
        Output::Info(info) => Some((info.score, info.exactness)),
        _ => None,
    };
    let exact = |value| Some((value, Exactness::Exact));
    assert_eq!(score("mate -2147483647"), exact(Score::Mate(-MATE_MOVES_MAX)));
    assert_eq!(score("mate -2147483648"), exact(Score::Mate(-MATE_MOVES_MAX)));
    assert_eq!(score("mate 99999999999999999999"), exact(Score::Mate(MATE_MOVES_MAX)));
    assert_eq!(score("cp -99999999999"), exact(Score::Cp(-32_000)));
    assert_eq!(score("mate 257 upperbound"), Some((Score::Mate(257), Exactness::Bound)));
    assert_eq!(score("cp 31 lowerbound"), Some((Score::Cp(31), Exactness::Bound)));
    assert_eq!(score("mate 0"), None, "a searched position is not over");
    assert_eq!(score("cp much"), None);
}

#[test]
fn lines_are_parsed_and_nonsense_is_ignored() {
    let line = "info depth 12 seldepth 17 multipv 2 score cp -31 wdl 1 2 3 nodes 4711 nps 9 pv d2d4 d7d5";
    let Output::Info(info) = parse(line) else { panic!("an info line") };
    assert_eq!((info.depth, info.rank, info.nodes), (12, 2, Some(4711)));
    assert_eq!(info.moves, ["d2d4", "d7d5"]);
    assert_eq!(parse("id name Stockfish 15.1\r"), Output::Name("Stockfish 15.1"));
    assert_eq!(parse("option name Clear Hash type button"), Output::Option("Clear Hash"));
    assert_eq!(parse("bestmove e2e4 ponder e7e5"), Output::BestMove("e2e4"));
    assert_eq!(parse("bestmove"), Output::BestMove(""));
    for nonsense in [
        "",
        "info",
        "info string score cp 1 pv e2e4",
        "info depth 1 score cp 1",
        "info depth",
        "id",
        "option",
        "info depth 1 currmove e2e4",
        "info depth -1 score cp 1 pv e2e4",
        "info depth 2 score cp 3 pv",
        "info depth 1 multipv 99999999999999999999 score cp 1 pv e2e4",
        "\u{fffd}\u{0}",
        "score cp 3 pv e2e4",
    ] {
        assert_eq!(parse(nonsense), Output::Other, "{nonsense:?}");
    }
}

#[test]
fn the_last_full_depth_is_reported_and_not_the_cut_one_after_it() {
    // UCI-3, I06: an early wrong score must not win over a later one, and half an iteration is no result.
    let lines = collect(&[
        "info depth 1 multipv 1 score mate -1 nodes 20 pv a2a3",
        "info depth 1 multipv 2 score cp -50 nodes 20 pv b2b3",
        "info depth 2 multipv 1 score cp 30 nodes 90 pv e2e4 e7e5",
        "info depth 2 multipv 2 score cp 20 nodes 90 pv d2d4",
        "info depth 3 multipv 1 score cp 10 nodes 300 pv c2c4",
        "info depth 2 multipv 2 score cp 30 nodes 300 pv e2e4",
        "info depth 3 multipv 1 score cp 90 nodes 1000 pv g2g3",
        "info depth 3 multipv 2 score cp 80 nodes 1000 pv h2h3",
    ])
    .expect("depth 2 is full");
    assert_eq!(first_moves(&lines), ["e2e4", "d2d4"]);
    assert_eq!((lines[0].rank, lines[0].depth, lines[0].score), (1, 2, Score::Cp(30)));
    assert_eq!(lines[0].moves, ["e2e4", "e7e5"]);
}

#[test]
fn a_cut_iteration_is_used_when_there_is_no_other() {
    let lines = collect(&[
        "info depth 1 multipv 1 score cp 9 nodes 1000 pv e2e4",
        "info depth 1 multipv 2 score cp 8 nodes 1000 pv d2d4",
    ])
    .expect("a full block");
    assert_eq!(first_moves(&lines), ["e2e4", "d2d4"]);
}

#[test]
fn bounds_are_not_final() {
    // UCI-3, I04
    let lines = collect(&[
        "info depth 1 multipv 1 score cp 9 nodes 10 pv e2e4",
        "info depth 1 multipv 2 score cp 8 nodes 10 pv d2d4",
        "info depth 2 multipv 1 score mate 257 upperbound nodes 20 pv a2a3",
        "info depth 2 multipv 2 score cp 8 nodes 20 pv d2d4",
        "info depth 2 multipv 1 score cp 7 nodes 30 pv a2a3",
        "info depth 2 multipv 2 score cp 8 lowerbound nodes 30 pv d2d4",
    ])
    .expect("depth 1 is full");
    assert_eq!((first_moves(&lines), lines[0].depth), (vec!["e2e4", "d2d4"], 1));
}

#[test]
fn an_answer_that_does_not_fit_the_position_is_unusable() {
    // I02
    let illegal = collect(&[
        "info depth 1 multipv 1 score cp 9 nodes 10 pv e7e5",
        "info depth 1 multipv 2 score cp 8 nodes 10 pv d7d5",
    ]);
    assert!(matches!(illegal, Err(Fault::Unusable(_))));
    let doubled = collect(&[
        "info depth 1 multipv 1 score cp 9 nodes 10 pv e2e4",
        "info depth 1 multipv 2 score cp 8 nodes 10 pv e2e4",
    ]);
    assert!(matches!(doubled, Err(Fault::Unusable(_))));
    let half = collect(&["info depth 1 multipv 1 score cp 9 nodes 10 pv e2e4"]);
    assert!(matches!(half, Err(Fault::Unusable(_))));
}

#[test]
fn a_line_is_cut_before_its_first_illegal_move() {
    let lines = collect(&[
        "info depth 1 multipv 1 score cp 9 nodes 10 pv e2e4 e7e5 e2e4 d7d5",
        "info depth 1 multipv 2 score cp 8 nodes 10 pv d2d4",
    ])
    .expect("the first moves are legal");
    assert_eq!(lines[0].moves, ["e2e4", "e7e5"]);
}

#[test]
fn impossible_positions_are_refused() {
    // UCI-1, I01: this one ends Stockfish 15.1 with a segmentation fault.
    let crash = fen("2b1k1nB/1p3p1p/n4b2/1NPp4/P7/8/2r1PPPP/R3KBNR b KQk - 0 14");
    let long = "8/".repeat(100);
    for start in [
        crash,
        fen("8/8/8/8/8/8/8/8 w - - 0 1"),
        fen("kK6/8/8/8/8/8/8/8 w - - 0 1"),
        fen("4k3/8/8/8/8/8/8/4K2R w KQkq - 0 1"),
        fen("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1"),
        fen("4k2P/8/8/8/8/8/8/4K3 w - - 0 1"),
        fen("4k3/8/8/8/8/8/8/4K3 w - - 4000000000 1"),
        fen("4k3/8/8/8/8/8/8/4K3 w - - 0 4000000000"),
        fen("startpos\nquit"),
        fen(&long),
        fen(""),
    ] {
        let refused = prepare(start.clone(), &[]);
        assert!(matches!(refused, Err(Error::IllegalPosition(_))), "{start:?} {refused:?}");
    }
}

#[test]
fn a_move_that_is_not_legal_is_named() {
    // UCI-1, I02: an engine drops the second move in silence and analyses another position.
    for (moves, index) in [
        (&["e2e4", "e2e4"][..], 1),
        (&["e2e5"], 0),
        (&["0000"], 0),
        (&["P@e4"], 0),
        (&["e2e4\nquit"], 0),
        (&["e2e4", "e7e5", "e1g1"], 2),
    ] {
        let Err(Error::IllegalPosition(reason)) = prepare(Start::Standard, moves) else {
            panic!("{moves:?} was accepted")
        };
        assert_eq!(reason, IllegalPosition::Move { index, uci: moves[index].to_owned() });
    }
    let endless = ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(MOVES_MAX / 4 + 1);
    let refused = prepare(Start::Standard, &endless);
    assert!(matches!(refused, Err(Error::IllegalPosition(IllegalPosition::TooManyMoves { .. }))));
}

#[test]
fn the_command_is_written_from_the_replayed_game() {
    let castled = prepare(fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 9"), &["e1h1", "e8c8"]);
    assert_eq!(
        castled.expect("legal").position_command,
        "position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 9 moves e1g1 e8c8"
    );
    let start = prepare(Start::Standard, &["e2e4"]).expect("legal");
    assert_eq!(start.position_command, "position startpos moves e2e4");
}

#[test]
fn a_game_that_is_over_and_a_search_for_nothing_are_refused() {
    let mated = prepare(Start::Standard, &["f2f3", "e7e5", "g2g4", "d8h4"]);
    assert!(matches!(mated, Err(Error::GameOver)));
    let stalemate = prepare(fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), &[]);
    assert!(matches!(stalemate, Err(Error::GameOver)));
    let config = EngineConfig::new("engine");
    let standard = search(Start::Standard, &[]);
    for asked in [
        Search { nodes: 0, ..standard.clone() },
        Search { nodes: u64::MAX, ..standard.clone() },
        Search { multi_pv: 0, ..standard.clone() },
        Search { multi_pv: 500, ..standard },
    ] {
        assert!(matches!(Prepared::new(&asked, &config), Err(Error::OutOfLimits { .. })), "{asked:?}");
    }
}

#[test]
fn limits_follow_from_the_nodes_and_waits_double_up_to_a_ceiling() {
    // UCI-4
    let config = EngineConfig::new("engine");
    assert_eq!(config.search_limit(25_000), Duration::from_millis(2_500) + config.grace);
    assert_eq!(config.search_limit(u64::MAX), config.search_ceiling + config.grace);
    let delays: Vec<u128> =
        [1, 2, 3, 6, 7, u32::MAX].map(|failures| config.restart_delay_after(failures).as_millis()).to_vec();
    assert_eq!(delays, [200, 400, 800, 6_400, 10_000, 10_000]);
}

#[test]
fn the_time_of_a_process_is_read_past_a_name_with_blanks_and_brackets() {
    let stat = "77 (a) b (c) S 1 77 77 0 -1 4194560 100 0 0 0 123 45 6 7 20 0 2 0 99 1000 10";
    assert_eq!(crate::process::cpu_time_in(stat), Some(std::time::Duration::from_millis(1_680)));
    assert_eq!(crate::process::cpu_time_in("77 (a) S 1"), None);
}
