//! How many bits the archive spends on the games of a PGN file: `cargo run --release -p domain-chess --example archive_size
//! -- games.pgn`. Prints moves alone, moves with clocks, and how the reading of packed games compares with bare replay.

use std::{ops::ControlFlow, sync::Arc, time::Instant};

use domain_chess::{Command, Event, Game, RuleSet, SanPlus, Start, TimeControl, archive, decide};
use pgn_reader::{RawComment, RawTag, Reader, Visitor};
use shakmaty::{Chess, uci::UciMove};

#[derive(Default)]
struct Read {
    control: Option<TimeControl>,
    moves: Vec<(SanPlus, Option<i64>)>,
}

impl Visitor for Read {
    type Tags = ();
    type Movetext = ();
    type Output = Read;

    fn begin_tags(&mut self) -> ControlFlow<Read, ()> {
        ControlFlow::Continue(())
    }
    fn tag(&mut self, (): &mut (), name: &[u8], value: RawTag<'_>) -> ControlFlow<Read> {
        if name == b"TimeControl" {
            let value = value.decode_utf8_lossy().into_owned();
            let control = value.split_once('+').and_then(|(base, increment)| {
                Some(TimeControl::new(
                    base.parse::<u32>().ok()? * 1_000,
                    increment.parse::<u32>().ok()? * 1_000,
                ))
            });
            self.control = control;
        }
        ControlFlow::Continue(())
    }
    fn begin_movetext(&mut self, (): ()) -> ControlFlow<Read, ()> {
        ControlFlow::Continue(())
    }
    fn san(&mut self, (): &mut (), san: SanPlus) -> ControlFlow<Read> {
        self.moves.push((san, None));
        ControlFlow::Continue(())
    }
    fn comment(&mut self, (): &mut (), comment: RawComment<'_>) -> ControlFlow<Read> {
        let text = String::from_utf8_lossy(comment.as_bytes()).into_owned();
        if let (Some((_, clock)), Some(last)) = (text.split_once("%clk "), self.moves.last_mut()) {
            let time = clock.split(']').next().unwrap_or_default();
            let seconds = time.split(':').try_fold(0, |sum, part| Some(sum * 60 + part.parse::<i64>().ok()?));
            last.1 = seconds.map(|seconds| seconds * 1_000);
        }
        ControlFlow::Continue(())
    }
    fn end_game(&mut self, (): ()) -> Read {
        std::mem::take(self)
    }
}

/// The game as it would have been played here, to the second.
fn events(read: &Read, with_clocks: bool) -> Vec<Event> {
    let control = if with_clocks { read.control } else { None };
    let rules = if with_clocks { RuleSet::fide() } else { RuleSet::solo() };
    let start = Start::new(Arc::new(rules), control, 1_746_057_600_000);
    let mut game = Game::new();
    let mut events = Vec::new();
    let mut now_ms = start.now_ms;
    let mut command = Command::Start(Box::new(start));
    let mut moves = read.moves.iter();
    loop {
        let Ok(decided) = decide(&game, &command) else { break };
        for event in decided {
            game.evolve(&event);
            events.push(event);
        }
        let Some((san, clock_ms)) = moves.next() else { break };
        let Ok(m) = san.san.to_move(game.position()) else { break };
        if let (Some(clock_ms), Some(clocks), Some(control)) = (clock_ms, game.clocks(), control) {
            let by = game.side_to_move();
            now_ms += (clocks[by] + i64::from(control.increment_ms) - clock_ms).max(0);
        }
        command = Command::PlayMove {
            by: game.side_to_move(),
            uci: UciMove::from_standard(m),
            expected_ply: game.ply() + 1,
            now_ms,
            lag_ms: 0,
        };
    }
    events
}

fn main() {
    let file = std::env::args().nth(1).expect("the name of a PGN file");
    let text = std::fs::read(file).expect("a file that can be read");
    let mut reader = Reader::new(text.as_slice());
    let mut games = Vec::new();
    while let Ok(Some(read)) = reader.read_game(&mut Read::default()) {
        games.push(read);
    }
    for with_clocks in [false, true] {
        let logs: Vec<Vec<Event>> = games.iter().map(|read| events(read, with_clocks)).collect();
        let plies: usize =
            logs.iter().flatten().filter(|event| matches!(event, Event::MovePlayed(_))).count();
        let packed: Vec<Vec<u8>> = logs.iter().map(|log| archive::pack(log).expect("one game")).collect();
        let bytes: usize = packed.iter().map(Vec::len).sum();
        let bits = bytes as f64 * 8.0 / plies as f64;
        println!(
            "{} games, {plies} plies, clocks {with_clocks}: {bytes} bytes, {bits:.2} bits a ply, {:.0} bytes for 80 plies",
            logs.len(),
            bits * 10.0
        );
        if with_clocks {
            compare(&logs, &packed);
        }
    }
}

/// Reading packed games against a bare replay of their moves with their SAN.
fn compare(logs: &[Vec<Event>], packed: &[Vec<u8>]) {
    let texts: Vec<Vec<String>> = logs
        .iter()
        .map(|log| {
            let moves = log.iter().filter_map(|event| match event {
                Event::MovePlayed(played) => Some(played.uci.to_string()),
                _ => None,
            });
            moves.collect()
        })
        .collect();
    let mut best = [f64::MAX; 3];
    for _ in 0..15 {
        let started = Instant::now();
        for moves in &texts {
            let mut position = Chess::default();
            for uci in moves {
                let m = uci.parse::<UciMove>().expect("uci").to_move(&position).expect("legal");
                std::hint::black_box(SanPlus::from_move_and_play_unchecked(&mut position, m));
            }
        }
        best[0] = best[0].min(started.elapsed().as_secs_f64());
        let started = Instant::now();
        for (log, packed) in logs.iter().zip(packed) {
            let Event::Started(start) = &log[0] else { unreachable!("a start comes first") };
            let unpacked = archive::unpack(start, packed).expect("whole");
            std::hint::black_box(&unpacked);
        }
        best[1] = best[1].min(started.elapsed().as_secs_f64());
        let started = Instant::now();
        for log in logs {
            std::hint::black_box(Game::replay(log).expect("one game"));
        }
        best[2] = best[2].min(started.elapsed().as_secs_f64());
    }
    println!(
        "bare {:.4} s, unpacked {:.4} s, log replayed {:.4} s: {:.2} and {:.2} of bare speed",
        best[0],
        best[1],
        best[2],
        best[0] / best[1],
        best[0] / best[2]
    );
}
