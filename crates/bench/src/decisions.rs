//! P6, perft, and the games that everything else plays.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use domain_chess::{
    Command, Event, Game, RuleSet, SanPlus, Start, StartPosition, TimeControl, UciMove, archive, decide,
};
use rand::{Rng, SeedableRng, rngs::StdRng};
use shakmaty::Chess;

use crate::figure::{Figure, Goal, quantile};

/// How long the games are.
pub const PLIES: usize = 80;
const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const PERFT_DEPTH: u32 = 5;
const ROUNDS: usize = 5;

/// Legal games of [`PLIES`] half-moves, the same for the same seed.
pub fn games(count: usize, seed: u64) -> Vec<Vec<UciMove>> {
    let mut random = StdRng::seed_from_u64(seed);
    (0..count)
        .map(|_| {
            loop {
                if let Some(game) = walk(&mut random) {
                    break game;
                }
            }
        })
        .collect()
}

fn walk(random: &mut StdRng) -> Option<Vec<UciMove>> {
    let mut game = started(0);
    let mut moves = Vec::with_capacity(PLIES);
    while moves.len() < PLIES {
        let legal = game.legal_moves();
        let uci = *legal.get(random.random_range(0..legal.len().max(1)))?;
        play(&mut game, uci, 1_000 * moves.len() as i64).ok()?;
        moves.push(uci);
    }
    game.is_playing().then_some(moves)
}

fn started(now_ms: i64) -> Game {
    let start = Start::new(Arc::new(RuleSet::city()), Some(TimeControl::new(180_000, 2_000)), now_ms);
    let mut game = Game::new();
    for event in decide(&game, &Command::Start(Box::new(start))).expect("a city has this control") {
        game.evolve(&event);
    }
    game
}

fn play(game: &mut Game, uci: UciMove, now_ms: i64) -> Result<Vec<Event>, domain_chess::Refusal> {
    let command =
        Command::PlayMove { by: game.side_to_move(), uci, expected_ply: game.ply() + 1, now_ms, lag_ms: 40 };
    let events = decide(game, &command)?;
    for event in &events {
        game.evolve(event);
    }
    Ok(events)
}

/// The log of a game in which every move took about so long.
pub fn log(moves: &[UciMove], think_ms: i64) -> Vec<Event> {
    let start = Start::new(Arc::new(RuleSet::city()), Some(TimeControl::new(180_000, 2_000)), 1_000);
    let mut game = Game::new();
    let mut log = decide(&game, &Command::Start(Box::new(start))).expect("a city has this control");
    for event in &log {
        game.evolve(event);
    }
    let mut now_ms = 1_000;
    for (uci, place) in moves.iter().zip(0_i64..) {
        now_ms += think_ms + (place * 7_919) % think_ms.max(1);
        log.extend(play(&mut game, *uci, now_ms).expect("the game is legal"));
    }
    log
}

/// Measures what a move and a replay cost.
pub fn measure() -> Vec<Figure> {
    let games = games(300, 6);
    let logs: Vec<Vec<Event>> = games.iter().map(|game| log(game, 700)).collect();
    let mut figures = vec![one_move(&games)];
    figures.extend(replays(&games, &logs));
    figures
}

fn one_move(games: &[Vec<UciMove>]) -> Figure {
    let mut costs_us = Vec::new();
    for moves in games {
        let mut game = started(0);
        for (uci, place) in moves.iter().zip(0_i64..) {
            let begun = Instant::now();
            black_box(play(&mut game, *uci, 1_000 * place).expect("the game is legal"));
            costs_us.push(begun.elapsed().as_secs_f64() * 1e6);
        }
    }
    let name = "decide and evolve of a move, median".to_owned();
    let value = quantile(&mut costs_us, 0.5);
    Figure { id: "P6", name, value, unit: "us", goal: Goal::AtMost(3.0), n: costs_us.len() }
}

fn replays(games: &[Vec<UciMove>], logs: &[Vec<Event>]) -> Vec<Figure> {
    let texts: Vec<Vec<String>> =
        games.iter().map(|game| game.iter().map(ToString::to_string).collect()).collect();
    let packed: Vec<Vec<u8>> = logs.iter().map(|log| archive::pack(log).expect("one game")).collect();
    let mut speeds: [Vec<f64>; 3] = Default::default();
    for _ in 0..ROUNDS {
        speeds[0].push(games_per_second(games.len(), || bare(&texts)));
        speeds[1].push(games_per_second(games.len(), || {
            for log in logs {
                black_box(Game::replay(log).expect("one game"));
            }
        }));
        speeds[2].push(games_per_second(games.len(), || {
            for (log, packed) in logs.iter().zip(&packed) {
                let Event::Started(start) = &log[0] else { unreachable!("a start comes first") };
                black_box(archive::unpack(start, packed).expect("packed a moment ago"));
            }
        }));
    }
    let [bare, stored, unpacked] = speeds.map(|mut speeds| quantile(&mut speeds, 0.5));
    let ratio = |name: &str, value: f64| Figure {
        id: "P6",
        name: name.to_owned(),
        value,
        unit: "x bare shakmaty, UCI to SAN",
        goal: Goal::AtLeast(0.7),
        n: games.len() * ROUNDS,
    };
    vec![ratio("replay of stored games", stored / bare), ratio("packed games unpacked", unpacked / bare)]
}

fn games_per_second(count: usize, work: impl FnOnce()) -> f64 {
    let begun = Instant::now();
    work();
    count as f64 / begun.elapsed().as_secs_f64()
}

fn bare(texts: &[Vec<String>]) {
    for moves in texts {
        let mut position = Chess::default();
        for text in moves {
            let uci: UciMove = text.parse().expect("we wrote it");
            let m = uci.to_move(&position).expect("the game is legal");
            black_box(SanPlus::from_move_and_play_unchecked(&mut position, m));
        }
    }
}

/// Paths counted by the decider itself, against the published numbers.
pub fn perft() -> Vec<Figure> {
    let cases = [("the start position", None, 4_865_609), ("Kiwipete", Some(KIWIPETE), 193_690_690_u64)];
    let figure = |(name, fen, known): (&str, Option<&str>, u64)| {
        let mut start = Start::new(Arc::new(RuleSet::fide()), None, 0);
        start.time_control = Some(TimeControl::new(180_000, 0));
        if let Some(fen) = fen {
            start.start_position = StartPosition::from_fen(fen).expect("a known position");
        }
        let mut game = Game::new();
        for event in decide(&game, &Command::Start(Box::new(start))).expect("a game") {
            game.evolve(&event);
        }
        let begun = Instant::now();
        let counted = paths(&game, PERFT_DEPTH);
        let seconds = begun.elapsed().as_secs_f64();
        Figure {
            id: "perft",
            name: format!(
                "paths of {PERFT_DEPTH} half-moves from {name}, by decide and evolve, in {seconds:.1} s"
            ),
            value: counted as f64,
            unit: "paths",
            goal: if counted == known { Goal::AtLeast(known as f64) } else { Goal::AtMost(-1.0) },
            n: 1,
        }
    };
    cases.into_iter().map(figure).collect()
}

/// The last half-move is counted and not played.
fn paths(game: &Game, depth: u32) -> u64 {
    let legal = game.legal_moves();
    if depth == 1 {
        return legal.len() as u64;
    }
    let moves = legal.into_iter().map(|uci| {
        let mut next = game.clone();
        play(&mut next, uci, 1).expect("a legal move");
        paths(&next, depth - 1)
    });
    moves.sum()
}
