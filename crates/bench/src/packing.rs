//! The rest of P9: finished games in few bytes.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use domain_chess::{Event, archive, pgn_import::Games};

use crate::decisions;
use crate::figure::{Figure, Goal};

const PACKED_BYTES_MAX: f64 = 130.0;
const BITS_PER_PLY_MAX: f64 = 6.0;
const RANDOM_GAMES: usize = 200;
const RANDOM_THINK_MS: i64 = 2_000;

/// The games of a file.
///
/// # Errors
/// When the file cannot be read.
pub fn read(file: &Path) -> anyhow::Result<Vec<Vec<Event>>> {
    let mut games = Vec::new();
    for game in Games::new(BufReader::new(File::open(file)?)) {
        games.extend(game?.ok().map(|game| game.events));
    }
    Ok(games)
}

/// Packed games of people with their clocks; random ones, which nobody can foresee, where there are none.
pub fn measure(of_people: &[Vec<Event>]) -> anyhow::Result<Vec<Figure>> {
    if of_people.is_empty() {
        let random: Vec<_> = decisions::games(RANDOM_GAMES, 9)
            .iter()
            .map(|game| decisions::log(game, RANDOM_THINK_MS))
            .collect();
        let sizes = Sizes::of(&random)?;
        let name =
            "packed random game of 80 half-moves with clocks (GAMES=file.pgn for games of people)".to_owned();
        let (value, n) = (sizes.bytes_per_ply * decisions::PLIES as f64, random.len());
        return Ok(vec![Figure { id: "P9", name, value, unit: "bytes", goal: Goal::None, n }]);
    }
    let (sizes, n) = (Sizes::of(of_people)?, of_people.len());
    Ok(vec![
        Figure {
            id: "P9",
            name: "packed game of 80 half-moves with the clocks of its file, mean over games of people"
                .to_owned(),
            value: sizes.bytes_per_ply * decisions::PLIES as f64,
            unit: "bytes",
            goal: Goal::AtMost(PACKED_BYTES_MAX),
            n,
        },
        Figure {
            id: "P9",
            name: "moves of packed games of people, without times".to_owned(),
            value: sizes.bits_per_move,
            unit: "bits per half-move",
            goal: Goal::AtMost(BITS_PER_PLY_MAX),
            n,
        },
    ])
}

struct Sizes {
    bytes_per_ply: f64,
    bits_per_move: f64,
}

impl Sizes {
    fn of(games: &[Vec<Event>]) -> anyhow::Result<Sizes> {
        let (mut bytes, mut bare_bytes, mut plies) = (0, 0, 0);
        for events in games {
            bytes += archive::pack(events)?.len();
            bare_bytes += archive::pack(&without_times(events))?.len();
            plies += events.iter().filter(|event| matches!(event, Event::MovePlayed(_))).count();
        }
        let per_ply = |bytes: usize| bytes as f64 / plies.max(1) as f64;
        Ok(Sizes { bytes_per_ply: per_ply(bytes), bits_per_move: per_ply(bare_bytes) * 8.0 })
    }
}

/// The game as if nobody had thought.
fn without_times(events: &[Event]) -> Vec<Event> {
    let mut events = events.to_vec();
    let mut at_ms = 0;
    for event in &mut events {
        match event {
            Event::Started(started) => {
                started.time_control = None;
                at_ms = started.at_ms;
            }
            Event::MovePlayed(played) => {
                (played.elapsed_ms, played.charged_ms, played.clocks) = (0, 0, None);
                played.received_at_ms = at_ms;
            }
            Event::Ended(ended) => (ended.at_ms, ended.clocks) = (at_ms, None),
            _ => {}
        }
    }
    events
}
