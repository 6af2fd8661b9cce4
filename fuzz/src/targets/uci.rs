//! Moves as players send them: lines of them, played from the start position.

use std::hint::black_box;

use domain_chess::{Command, StartPosition, decide, parse_uci, read_san};

use super::{CHESS_WORDS, begun};
use crate::{Target, Verdict};

pub(super) const TARGET: Target = Target { name: "uci", check, seeds, words: CHESS_WORDS };

fn seeds() -> Vec<Vec<u8>> {
    [
        "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 e1g1",
        "e2e4 d7d5 e4d5 c7c5 d5c6 d8d2 b1d2",
        "a2a4 b7b5 a4b5 a7a6 b5a6 g7g6 a6a7 f8g7 a7b8q",
        "f2f3 e7e5 g2g4 d8h4",
    ]
    .map(|line| line.as_bytes().to_vec())
    .to_vec()
}

fn check(input: &[u8]) -> Verdict {
    let Ok(text) = std::str::from_utf8(input) else { return Verdict::Refused };
    let Some(mut game) = begun(StartPosition::default()) else { return Verdict::Refused };
    let mut verdict = Verdict::Refused;
    for word in text.split(' ') {
        black_box(read_san(game.position(), word));
        let Ok(uci) = parse_uci(word) else { continue };
        assert_eq!(uci.to_string(), word, "one move has one spelling");
        let is_legal = game.legal_moves().contains(&uci);
        let command = Command::PlayMove {
            by: game.side_to_move(),
            uci,
            expected_ply: game.ply() + 1,
            now_ms: game.last_event_at_ms() + 10,
            lag_ms: 5,
        };
        match decide(&game, &command) {
            Ok(events) => {
                assert!(is_legal, "{word} was played and is not legal");
                events.iter().for_each(|event| game.evolve(event));
                verdict = Verdict::Accepted;
            }
            Err(_) => assert!(!is_legal, "{word} is legal and was refused"),
        }
    }
    verdict
}
