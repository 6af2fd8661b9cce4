//! P6, packed games against replayed ones, and the games that everything else plays.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain_chess::{
    Command, Event, Game, RuleSet, SanPlus, Start, Started, TimeControl, UciMove, archive, decide,
};
use rand::{Rng, SeedableRng, rngs::StdRng};
use shakmaty::Chess;

use crate::cpu;
use crate::figure::{Figure, Goal, quantile};

/// How long the games are.
pub const PLIES: usize = 80;
const GAMES: usize = 300;
const ROUNDS: usize = 5;
/// How long one speed is measured.
const ROUND_SPAN: Duration = Duration::from_millis(200);

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

/// Measures what a move and a replay cost; packed games of people, where there are some.
pub fn measure(of_people: &[Vec<Event>]) -> Vec<Figure> {
    let games = games(GAMES, 6);
    let logs: Vec<Vec<Event>> = games.iter().map(|game| log(game, 700)).collect();
    let mut figures = vec![one_move(&games)];
    figures.extend(replays("random games", &logs));
    if !of_people.is_empty() {
        figures.extend(replays("games of people", of_people));
    }
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

/// Speeds in the thread's own time, in turn, the median of some rounds.
fn replays(what: &str, logs: &[Vec<Event>]) -> Vec<Figure> {
    let moves = |log: &[Event]| -> Vec<String> {
        let uci = |event: &Event| match event {
            Event::MovePlayed(played) => Some(played.uci.to_string()),
            _ => None,
        };
        log.iter().filter_map(uci).collect()
    };
    let starts: Vec<&Started> = logs.iter().map(|log| started_of(log)).collect();
    let texts: Vec<(Chess, Vec<String>)> =
        logs.iter().map(|log| (started_of(log).start_position.position().clone(), moves(log))).collect();
    let packed: Vec<Vec<u8>> = logs.iter().map(|log| archive::pack(log).expect("one game")).collect();
    let mut speeds: [Vec<f64>; 3] = Default::default();
    for _ in 0..ROUNDS {
        speeds[0].push(games_per_second(logs.len(), || bare(&texts)));
        speeds[1].push(games_per_second(logs.len(), || {
            for log in logs {
                black_box(Game::replay(log).expect("one game"));
            }
        }));
        speeds[2].push(games_per_second(logs.len(), || {
            for (started, packed) in starts.iter().zip(&packed) {
                black_box(archive::unpack(started, packed).expect("packed a moment ago"));
            }
        }));
    }
    let [bare, stored, unpacked] = speeds.map(|mut speeds| quantile(&mut speeds, 0.5));
    let ratio = |id, name: &str, value: f64| Figure {
        id,
        name: format!("{name}, {what}"),
        value,
        unit: "x bare shakmaty, UCI to SAN",
        goal: Goal::AtLeast(0.7),
        n: logs.len() * ROUNDS,
    };
    vec![
        ratio("P6", "replay of stored games", stored / bare),
        ratio("archive", "packed games unpacked and replayed", unpacked / bare),
    ]
}

fn started_of(log: &[Event]) -> &Started {
    match &log[0] {
        Event::Started(started) => started,
        _ => unreachable!("a start comes first"),
    }
}

fn games_per_second(count: usize, work: impl Fn()) -> f64 {
    let (begun, mut done) = (cpu::used_by_thread(), 0);
    loop {
        work();
        done += count;
        let used = cpu::used_by_thread() - begun;
        if used >= ROUND_SPAN {
            return done as f64 / used.as_secs_f64();
        }
    }
}

fn bare(texts: &[(Chess, Vec<String>)]) {
    for (start, moves) in texts {
        let mut position = start.clone();
        for text in moves {
            let uci: UciMove = text.parse().expect("we wrote it");
            let m = uci.to_move(&position).expect("the game is legal");
            black_box(SanPlus::from_move_and_play_unchecked(&mut position, m));
        }
    }
}
