//! Packed games out of a damaged archive.

use std::sync::Arc;

use domain_chess::{
    Command, Event, Game, RuleSet, Start, StartPosition, Started, TimeControl, archive, decide, parse_uci,
};

use super::begun;
use crate::{Target, Verdict};

pub(super) const TARGET: Target = Target { name: "packed", check, seeds, words: &[] };

const LINES: [&str; 3] = [
    "",
    "f2f3 e7e5 g2g4 d8h4",
    "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5 a4b3 d7d6 c2c3 e8g8",
];

fn seeds() -> Vec<Vec<u8>> {
    LINES.iter().map(|line| archive::pack(&log(line)).expect("one game")).collect()
}

fn log(line: &str) -> Vec<Event> {
    let start = Start::new(Arc::new(RuleSet::fide()), Some(TimeControl::new(180_000, 2_000)), 1_000);
    let mut game = Game::new();
    let mut log = decide(&game, &Command::Start(Box::new(start))).expect("a start");
    log.iter().for_each(|event| game.evolve(event));
    for text in line.split_whitespace() {
        let uci = parse_uci(text).expect("a move");
        let (expected_ply, now_ms) = (game.ply() + 1, game.last_event_at_ms() + 1_700);
        let command = Command::PlayMove { by: game.side_to_move(), uci, expected_ply, now_ms, lag_ms: 30 };
        for event in decide(&game, &command).expect("a legal move") {
            game.evolve(&event);
            log.push(event);
        }
    }
    log
}

fn started() -> Started {
    let game = begun(StartPosition::default()).expect("the usual game");
    game.started().expect("it has begun").clone()
}

fn check(input: &[u8]) -> Verdict {
    match archive::unpack(&started(), input) {
        Ok(events) => {
            assert!(matches!(events.first(), Some(Event::Started(_))));
            Verdict::Accepted
        }
        Err(archive::Damaged) => Verdict::Refused,
    }
}
