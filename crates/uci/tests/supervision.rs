//! Engines that misbehave: each is killed, the search fails, and the next one is answered.

mod fake;

use std::future::Future;
use std::path::PathBuf;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use fake::{FakeEngine, HONEST, search};
use tokio::task::JoinSet;
use uci::{EngineConfig, Error, Fault, IllegalPosition, Pool, Score, Search, Start};

/// The same engine, honest from its second start on.
fn bad_once(on_go: &str) -> FakeEngine {
    FakeEngine::new(&format!("if [ $start -eq 1 ]; then {on_go}; else {HONEST}; fi"))
}

/// The fault of the first search, after which the second must succeed with a new process.
async fn first_fault(engine: &FakeEngine, config: EngineConfig) -> Fault {
    let pool = Pool::start(config, 1).await.expect("the engine starts");
    let fault = match pool.analyse(&search()).await {
        Err(Error::Engine(fault)) => fault,
        other => panic!("the search should have failed: {other:?}"),
    };
    let analysis = pool.analyse(&search()).await.expect("the next engine is honest");
    assert_eq!(analysis.lines[0].score, Score::Cp(31));
    assert_eq!(engine.starts(), 2);
    fault
}

/// Resolves when every process that holds the pipe is gone.
///
/// A thread of its own reads, so that a test that fails does not wait for it.
fn end_of_life(pipe: PathBuf) -> impl Future<Output = ()> {
    let (ended, end) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || {
        let _ = ended.send(std::fs::read(pipe));
    });
    async move {
        let read = tokio::time::timeout(Duration::from_secs(30), end).await;
        read.expect("the processes end").expect("the reader answers").expect("the pipe can be read");
    }
}

#[tokio::test]
async fn an_engine_that_never_answers_is_killed_at_its_limit() {
    // UCI-2, UCI-4, I11
    let engine = bad_once(":");
    let grace = Duration::from_millis(300);
    let fault = first_fault(&engine, EngineConfig { grace, ..engine.config() }).await;
    assert!(matches!(fault, Fault::Hung { limit } if limit == grace + Duration::from_millis(1)), "{fault:?}");
}

#[tokio::test]
async fn an_engine_that_exits_after_go_is_replaced() {
    // I11, I01
    let engine = bad_once("exit 139");
    let fault = first_fault(&engine, engine.config()).await;
    assert!(matches!(fault, Fault::Exited), "{fault:?}");
}

#[tokio::test]
async fn an_engine_that_floods_lines_is_killed() {
    // UCI-4, I11
    let engine = bad_once("yes 'info depth 1 score cp 1 nodes 1 pv e2e4' | head -c 100000000");
    let fault = first_fault(&engine, engine.config()).await;
    assert!(matches!(fault, Fault::Flooded { .. }), "{fault:?}");
}

#[tokio::test]
async fn an_engine_that_floods_one_line_is_killed() {
    // UCI-4, I11
    let engine = bad_once("head -c 100000000 /dev/zero");
    let fault = first_fault(&engine, engine.config()).await;
    assert!(matches!(fault, Fault::LineTooLong { .. }), "{fault:?}");
}

#[tokio::test]
async fn answers_that_cannot_be_used_are_faults() {
    for rubbish in [
        "echo 'bestmove e2e4'",
        "echo 'bestmove (none)'",
        "echo bestmove",
        r#"echo "info depth 1 score cp 3 nodes 5 pv e2e4"; echo "bestmove e7e5""#,
        r#"echo "info depth 1 score cp 3 nodes 5 pv e7e5"; echo "bestmove e2e4""#,
        r#"echo "info depth 1 score cp 3 upperbound nodes 5 pv e2e4"; echo "bestmove e2e4""#,
        r#"printf '\377\376 rubbish\ninfo depth x\n'; echo "bestmove 9z9z""#,
    ] {
        let engine = bad_once(rubbish);
        let fault = first_fault(&engine, engine.config()).await;
        assert!(matches!(fault, Fault::Unusable(_)), "{rubbish}: {fault:?}");
    }
}

#[tokio::test]
async fn rubbish_around_an_answer_is_ignored() {
    let engine = FakeEngine::new(&format!(r"printf 'what?\n\377\n\ninfo\n'; {HONEST}"));
    let pool = Pool::start(engine.config(), 1).await.expect("the engine starts");
    let analysis = pool.analyse(&search()).await.expect("an answer");
    assert_eq!((analysis.best_move.as_str(), analysis.nodes), ("e2e4", 20));
    assert_eq!(analysis.engine.name, "Fake 7");
}

#[tokio::test]
async fn a_monstrous_mate_is_cut() {
    // I04
    let engine = FakeEngine::new(
        r#"echo "info depth 1 score mate -2147483647 nodes 5 pv e2e4"
           echo "info depth 2 score mate 257 upperbound nodes 9 pv d2d4"; echo "bestmove e2e4""#,
    );
    let pool = Pool::start(engine.config(), 1).await.expect("the engine starts");
    let analysis = pool.analyse(&search()).await.expect("an answer");
    assert_eq!(analysis.lines.len(), 1);
    assert_eq!((analysis.lines[0].depth, analysis.lines[0].score), (1, Score::Mate(-1_000)));
}

#[tokio::test]
async fn output_after_an_answer_does_not_leak_into_the_next_search() {
    let late = r#"echo "info depth 9 score cp 999 nodes 1 pv d2d4"; echo "bestmove d2d4""#;
    let engine = FakeEngine::new(&format!("{HONEST}; {late}"));
    let pool = Pool::start(engine.config(), 1).await.expect("the engine starts");
    for _ in 0..3 {
        let analysis = pool.analyse(&search()).await.expect("an answer");
        assert_eq!(analysis.best_move, "e2e4");
    }
    assert_eq!(engine.starts(), 1);
}

#[tokio::test]
async fn an_illegal_position_does_not_touch_the_engine() {
    // UCI-1, I01, I02
    let engine = FakeEngine::new(HONEST);
    let pool = Pool::start(engine.config(), 1).await.expect("the engine starts");
    let before = engine.commands();
    let moves = vec!["e2e4".to_owned(), "e2e4".to_owned()];
    let refused = pool.analyse(&Search { moves, ..search() }).await;
    let expected = IllegalPosition::Move { index: 1, uci: "e2e4".to_owned() };
    assert!(matches!(&refused, Err(Error::IllegalPosition(reason)) if *reason == expected));
    assert!(!refused.expect_err("refused").is_retryable());
    let crash = "2b1k1nB/1p3p1p/n4b2/1NPp4/P7/8/2r1PPPP/R3KBNR b KQk - 0 14";
    let refused = pool.analyse(&Search { start: Start::Fen(crash.to_owned()), ..search() }).await;
    assert!(matches!(refused, Err(Error::IllegalPosition(_))));
    assert_eq!(engine.commands(), before);
}

#[tokio::test]
async fn an_engine_that_does_not_start_is_reported() {
    let missing = Pool::start(EngineConfig::new("/nowhere/engine"), 1).await;
    assert!(matches!(missing, Err(Error::Engine(Fault::Start(_)))));
    let dead = FakeEngine::with_greeting("exit 0", HONEST);
    assert!(matches!(Pool::start(dead.config(), 1).await, Err(Error::Engine(Fault::Exited))));
    let mute = FakeEngine::with_greeting(":", HONEST);
    let config = EngineConfig { startup_timeout: Duration::from_millis(200), ..mute.config() };
    assert!(matches!(Pool::start(config, 1).await, Err(Error::Engine(Fault::NotReady { .. }))));
    let none = Pool::start(FakeEngine::new(HONEST).config(), 0).await;
    assert!(matches!(none, Err(Error::OutOfLimits { .. })));
}

#[tokio::test]
async fn a_game_begins_with_ucinewgame_and_searches_go_by_nodes() {
    // UCI-5
    let greeting = "echo 'id name Fake'; echo 'option name MultiPV type spin'; \
                    echo 'option name Hash type spin'; echo uciok";
    let engine = FakeEngine::with_greeting(greeting, HONEST);
    let pool = Pool::start(engine.config(), 1).await.expect("the engine starts");
    let mut game = pool.open_game().await.expect("an engine is free");
    game.analyse(&search()).await.expect("an answer");
    game.analyse(&search()).await.expect("an answer");
    drop(game);
    pool.analyse(&search()).await.expect("an answer");
    let searched = ["position startpos", "isready", "go nodes 1000"];
    let mut expected = vec!["uci", "setoption name Hash value 32", "isready"];
    expected.extend(["ucinewgame", "setoption name MultiPV value 1"]);
    expected.extend(searched.iter().chain(&searched));
    expected.push("ucinewgame");
    expected.extend(searched);
    assert_eq!(engine.commands(), expected);
}

#[tokio::test]
async fn a_session_ends_with_its_engine() {
    let engine = bad_once("exit 1");
    let pool = Pool::start(engine.config(), 1).await.expect("the engine starts");
    let mut game = pool.open_game().await.expect("an engine is free");
    assert!(matches!(game.analyse(&search()).await, Err(Error::Engine(_))));
    assert!(matches!(game.analyse(&search()).await, Err(Error::SessionEnded)));
    drop(game);
    let mut again = pool.open_game().await.expect("the place is free again");
    again.analyse(&search()).await.expect("a new engine answers");
}

#[tokio::test]
async fn a_dropped_search_kills_its_engine_and_all_it_started() {
    // UCI-2
    let engine = bad_once("sleep 1000 & touch searching; wait");
    let alive = engine.watch_life();
    let ended = end_of_life(alive.clone());
    let pool = Pool::start(engine.config(), 1).await.expect("the engine starts");
    let asked = search();
    {
        let searching = pool.analyse(&asked);
        tokio::pin!(searching);
        // Polled until the engine has the command, then dropped.
        while !alive.with_file_name("searching").exists() {
            tokio::select! {
                biased;
                answer = &mut searching => panic!("the engine does not answer: {answer:?}"),
                () = tokio::task::yield_now() => {}
            }
        }
    }
    ended.await;
    std::fs::remove_file(&alive).expect("the pipe is there");
    let analysis = pool.analyse(&asked).await.expect("the pool has a clean engine");
    assert_eq!(analysis.best_move, "e2e4");
    assert_eq!(engine.starts(), 2);
}

#[tokio::test]
async fn engines_die_with_the_pool() {
    let engine = FakeEngine::new(HONEST);
    let ended = end_of_life(engine.watch_life());
    let pool = Pool::start(engine.config(), 1).await.expect("the engine starts");
    pool.analyse(&search()).await.expect("an answer");
    drop(pool);
    ended.await;
}

#[tokio::test]
async fn many_callers_share_few_engines() {
    let engine = FakeEngine::new(HONEST);
    let pool = Pool::start(engine.config(), 2).await.expect("the engine starts");
    let mut callers = JoinSet::new();
    for _ in 0..40 {
        let pool = pool.clone();
        callers.spawn(async move { pool.analyse(&search()).await.map(|analysis| analysis.best_move) });
    }
    for answer in callers.join_all().await {
        assert_eq!(answer.expect("an answer"), "e2e4");
    }
    assert_eq!(engine.starts(), 2);
}

#[tokio::test]
async fn a_failing_engine_does_not_stop_the_others() {
    // I11: later jobs go on. The first engine fails, two of the pool work.
    let engine = bad_once("exit 1");
    let pool = Pool::start(engine.config(), 3).await.expect("the engine starts");
    let mut callers = JoinSet::new();
    for _ in 0..30 {
        let pool = pool.clone();
        callers.spawn(async move { pool.analyse(&search()).await.is_ok() });
    }
    let answered = callers.join_all().await.into_iter().filter(|is_ok| *is_ok).count();
    assert_eq!(answered, 29);
}

#[tokio::test]
async fn the_queue_is_bounded_and_closing_ends_it() {
    // UCI-4
    let engine = FakeEngine::new(HONEST);
    let pool = Pool::start(engine.config(), 1).await.expect("the engine starts");
    let game = pool.open_game().await.expect("an engine is free");
    // Polled by hand, once each: then all of them stand in the queue.
    let mut context = Context::from_waker(Waker::noop());
    let mut waiting: Vec<_> = (0..uci::pool::WAITING_MAX).map(|_| Box::pin(pool.open_game())).collect();
    for caller in &mut waiting {
        assert!(caller.as_mut().poll(&mut context).is_pending());
    }
    assert!(matches!(pool.open_game().await, Err(Error::Busy)));
    pool.close();
    for caller in &mut waiting {
        let ended = caller.as_mut().poll(&mut context);
        assert!(matches!(ended, Poll::Ready(Err(Error::Closed))), "{ended:?}");
    }
    assert!(matches!(pool.analyse(&search()).await, Err(Error::Closed)));
    drop(game);
}
