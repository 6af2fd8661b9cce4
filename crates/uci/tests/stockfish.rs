//! The real engine. Stockfish is installed by the project's bootstrap.

use uci::{EngineConfig, Error, Pool, Score, Search, Start, find_program};

const PASS_A_NODES: u64 = 25_000;

async fn pool(size: usize) -> Pool {
    let program = find_program("stockfish").expect("stockfish is installed by the bootstrap script");
    Pool::start(EngineConfig::new(program), size).await.expect("stockfish starts")
}

fn after(moves: &[&str]) -> Search {
    Search {
        start: Start::Standard,
        moves: moves.iter().map(|&uci| uci.to_owned()).collect(),
        nodes: PASS_A_NODES,
        multi_pv: 4,
    }
}

fn from_fen(fen: &str) -> Search {
    Search { start: Start::Fen(fen.to_owned()), ..after(&[]) }
}

#[tokio::test]
async fn the_four_best_moves_of_one_depth_are_reported() {
    // UCI-3
    let pool = pool(1).await;
    assert!(pool.identity().name.starts_with("Stockfish"), "{:?}", pool.identity());
    let analysis = pool.analyse(&after(&["e2e4", "e7e5", "g1f3"])).await.expect("an answer");
    let ranks: Vec<u16> = analysis.lines.iter().map(|line| line.rank).collect();
    assert_eq!(ranks, [1, 2, 3, 4]);
    assert_eq!(analysis.turn, shakmaty::Color::Black);
    assert!(analysis.lines.iter().all(|line| line.depth == analysis.lines[0].depth));
    assert!(analysis.lines.iter().all(|line| line.nodes < PASS_A_NODES), "the cut iteration is not used");
    let scores: Vec<i32> = analysis
        .lines
        .iter()
        .map(|line| match line.score {
            Score::Cp(cp) => cp,
            Score::Mate(_) => panic!("no mate is near"),
        })
        .collect();
    assert!(scores.is_sorted_by(|better, worse| better >= worse), "{scores:?}");
    assert!(scores.iter().all(|cp| cp.abs() < 300), "{scores:?}");
    assert!(analysis.nodes >= PASS_A_NODES && analysis.nodes < PASS_A_NODES + 2_000);
}

#[tokio::test]
async fn a_session_that_forgets_answers_as_if_nothing_had_been_asked() {
    // UCI-5
    let asked = after(&["d2d4", "g8f6", "c2c4", "e7e6", "b1c3", "f8b4"]);
    let pool = pool(1).await;
    let fresh = pool.analyse(&asked).await.expect("an answer");
    let mut session = pool.open_game().await.expect("an engine");
    session.analyse(&after(&["d2d4", "g8f6", "c2c4", "e7e6", "b1c3"])).await.expect("an answer");
    session.forget();
    assert_eq!(session.analyse(&asked).await.expect("an answer"), fresh);
}

#[tokio::test]
async fn an_answer_does_not_depend_on_what_was_asked_before() {
    // UCI-5
    let asked = after(&["d2d4", "g8f6", "c2c4", "e7e6", "b1c3", "f8b4"]);
    let fresh = pool(1).await.analyse(&asked).await.expect("an answer");
    let used = pool(1).await;
    for moves in [&["e2e4"][..], &["d2d4", "g8f6", "c2c4", "e7e6", "b1c3"]] {
        used.analyse(&after(moves)).await.expect("an answer");
    }
    assert_eq!(used.analyse(&asked).await.expect("an answer"), fresh);
}

#[tokio::test]
async fn positions_that_crash_or_mislead_the_engine_are_refused_and_others_go_on() {
    // I01, I02
    let pool = pool(1).await;
    let crash = from_fen("2b1k1nB/1p3p1p/n4b2/1NPp4/P7/8/2r1PPPP/R3KBNR b KQk - 0 14");
    assert!(matches!(pool.analyse(&crash).await, Err(Error::IllegalPosition(_))));
    assert!(matches!(pool.analyse(&after(&["e2e4", "e2e4"])).await, Err(Error::IllegalPosition(_))));
    pool.analyse(&after(&["e2e4"])).await.expect("the engine is well");
}

#[tokio::test]
async fn a_mate_in_one_is_seen_for_the_side_to_move() {
    // I06
    let analysis = pool(1).await.analyse(&after(&["f2f3", "e7e5", "g2g4"])).await.expect("an answer");
    assert_eq!(analysis.turn, shakmaty::Color::Black);
    assert_eq!(analysis.lines[0].score, Score::Mate(1));
    assert_eq!((analysis.lines[0].moves[0].as_str(), analysis.best_move.as_str()), ("d8h4", "d8h4"));
    assert_eq!(analysis.lines.len(), 4);
}

#[tokio::test]
async fn a_forced_move_gives_one_line_and_a_finished_game_none() {
    // I14
    let pool = pool(1).await;
    let forced = pool.analyse(&from_fen("6Rk/8/7K/8/8/8/8/8 b - - 0 1")).await.expect("an answer");
    assert_eq!(forced.lines.len(), 1);
    assert_eq!(forced.best_move, "h8g8");
    let mated = pool.analyse(&after(&["f2f3", "e7e5", "g2g4", "d8h4"])).await;
    assert!(matches!(mated, Err(Error::GameOver)));
}

#[tokio::test]
async fn a_dropped_search_leaves_a_clean_pool() {
    let pool = pool(1).await;
    let endless = Search { nodes: 20_000_000, ..after(&[]) };
    let asked = after(&["e2e4"]);
    {
        let searching = pool.analyse(&endless);
        tokio::pin!(searching);
        // The search is under way when it has been polled; it cannot be over that soon.
        for _ in 0..100 {
            tokio::select! {
                biased;
                answer = &mut searching => panic!("{answer:?}"),
                () = tokio::task::yield_now() => {}
            }
        }
    }
    let analysis = pool.analyse(&asked).await.expect("an answer");
    assert!(analysis.nodes < PASS_A_NODES + 2_000);
}

#[tokio::test]
async fn every_position_of_a_game_has_a_full_depth_even_in_a_small_probe() {
    // Checks, forced replies, castling and a mate: Morphy's game at the opera, Paris 1858.
    let moves = "e2e4 e7e5 g1f3 d7d6 d2d4 c8g4 d4e5 g4f3 d1f3 d6e5 f1c4 g8f6 f3b3 d8e7 b1c3 c7c6 c1g5 \
                 b7b5 c3b5 c6b5 c4b5 b8d7 e1c1 a8d8 d1d7 d8d7 h1d1 e7e6 b5d7 f6d7 b3b8 d7b8 d1d8";
    let moves: Vec<&str> = moves.split_whitespace().collect();
    let pool = pool(1).await;
    let mut game = pool.open_game().await.expect("an engine is free");
    for played in 0..moves.len() {
        let probe = Search { nodes: 2_500, ..after(&moves[..played]) };
        let analysis = game.analyse(&probe).await.expect("an answer");
        let owed = if played == 31 { 1 } else { 4 };
        assert_eq!(analysis.lines.len(), owed, "after {played} plies");
    }
    assert!(matches!(game.analyse(&after(&moves)).await, Err(Error::GameOver)));
}
