//! What is packed comes out again. Games of people are in the tests of the crate; here are the odd ones.

use std::sync::Arc;

use super::*;
use crate::{
    Clocks, Color, Command, EndReason, Ended, Game, Outcome, RuleSet, Start, StartPosition, TimeControl,
    decide, parse_uci,
};

fn played(rules: RuleSet, control: Option<TimeControl>, moves: &str) -> Vec<Event> {
    let mut game = Game::new();
    let mut events = Vec::new();
    let mut now_ms = 1_760_000_000_000;
    let start = Start::new(Arc::new(rules), control, now_ms);
    let mut command = Some(Command::Start(Box::new(start)));
    let mut moves = moves.split_whitespace();
    while let Some(next) = command {
        for event in decide(&game, &next).expect("a legal game") {
            game.evolve(&event);
            events.push(event);
        }
        now_ms += 1_234 + i64::from(game.ply()) * 77;
        command = moves.next().map(|uci| Command::PlayMove {
            by: game.side_to_move(),
            uci: parse_uci(uci).expect("uci"),
            expected_ply: game.ply() + 1,
            now_ms,
            lag_ms: 40 * (game.ply() % 3),
        });
    }
    events
}

const BLITZ: Option<TimeControl> = Some(TimeControl::new(180_000, 2_000));
const MATE: &str = "f2f3 e7e5 g2g4 d8h4";

fn start_of(events: &[Event]) -> &Started {
    match &events[0] {
        Event::Started(started) => started,
        _ => panic!("a game begins with its start"),
    }
}

fn survives(events: &[Event]) -> usize {
    let packed = pack(events).expect("one game");
    assert_eq!(unpack(start_of(events), &packed).as_deref(), Ok(events));
    packed.len()
}

#[test]
fn a_game_by_the_clock_comes_out_as_it_went_in() {
    assert!(survives(&played(RuleSet::city(), BLITZ, MATE)) < 20);
    survives(&played(RuleSet::fide(), BLITZ, "e2e4 e7e5 e1e2 e8e7"));
}

#[test]
fn a_game_without_clocks_and_one_without_moves_come_out_as_they_went_in() {
    survives(&played(RuleSet::solo(), None, MATE));
    survives(&played(RuleSet::city(), BLITZ, ""));
}

// Promotions, castling, en passant by two pawns, three knights for one square, pinned pieces, and a check with all kinds of answers.
#[test]
fn every_legal_move_of_odd_positions_survives() {
    let fens = [
        "1n1rk2r/P1P3pp/8/8/8/5N2/1p4PP/RN2K2R w KQk - 0 1",
        "r3k2r/8/8/8/1b6/8/8/R3K2R w KQkq - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
        "4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 2",
        "8/8/8/K1PpP2r/8/8/8/4k3 w - d6 0 2",
        "4k3/8/2N1N3/8/2N1N3/8/4r3/4K3 w - - 0 1",
        "4k3/8/8/8/2b4q/4P1N1/3PBPP1/RN2K2R w KQ - 0 1",
        "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
        "4k2r/8/8/8/4r3/8/PPPPBPPP/RNBQKBNR w KQk - 0 1",
    ];
    for fen in fens {
        let start_position = StartPosition::from_fen(fen).expect(fen);
        let start = Start { start_position, ..Start::new(Arc::new(RuleSet::friendly()), None, 5) };
        let mut begun = Game::new();
        let first = decide(&begun, &Command::Start(Box::new(start))).expect(fen);
        first.iter().for_each(|event| begun.evolve(event));
        assert!(!begun.legal_moves().is_empty());
        for uci in begun.legal_moves() {
            let by = begun.side_to_move();
            let command = Command::PlayMove { by, uci, expected_ply: begun.ply() + 1, now_ms: 6, lag_ms: 0 };
            let events = [first.clone(), decide(&begun, &command).expect(fen)].concat();
            assert!(survives(&events) < 20, "{uci} in {fen}");
        }
    }
}

#[test]
fn every_kind_of_event_survives_whatever_its_times() {
    let mut events = played(RuleSet::city(), BLITZ, "e2e4 e7e5");
    let at_ms = 1_760_000_111_111;
    for by in [Color::White, Color::Black] {
        events.push(Event::DrawOffered { by, at_ms });
        events.push(Event::DrawDeclined { by, at_ms: at_ms - 7 });
        events.push(Event::PlayerGone { by, at_ms });
        events.push(Event::PlayerBack { by, at_ms });
    }
    events.push(Event::Resumed { at_ms: at_ms + 1, stood_still_ms: 99_999 });
    survives(&events);
    for reason in EndReason::ALL {
        for outcome in [Outcome::WhiteWins, Outcome::BlackWins, Outcome::Draw, Outcome::Aborted] {
            let clocks = Some(Clocks { white_ms: 3, black_ms: -4 });
            let mut ended = events.clone();
            ended.push(Event::Ended(Ended { outcome, reason, at_ms: 5, clocks }));
            survives(&ended);
        }
    }
}

#[test]
fn clocks_that_do_not_follow_from_the_times_survive() {
    let mut events = played(RuleSet::city(), BLITZ, MATE);
    for event in &mut events {
        if let Event::MovePlayed(played) = event {
            played.charged_ms += 1;
            played.received_at_ms -= 3;
            played.clocks = Some(Clocks { white_ms: i64::from(played.ply), black_ms: i64::MAX / 4 });
        }
    }
    survives(&events);
}

#[test]
fn what_is_not_one_game_is_refused() {
    let events = played(RuleSet::city(), BLITZ, MATE);
    assert_eq!(pack(&events[1..]), Err(Unpackable::NoStart));
    assert_eq!(pack(&[]), Err(Unpackable::NoStart));
    let twice = [&events[..1], &events].concat();
    assert_eq!(pack(&twice), Err(Unpackable::NoStart));
    let gap = [&events[..1], &events[2..]].concat();
    assert!(matches!(pack(&gap), Err(Unpackable::Move { .. })));
    let mut negative = events.clone();
    if let Event::MovePlayed(played) = &mut negative[2] {
        played.elapsed_ms = -1;
    }
    assert_eq!(pack(&negative), Err(Unpackable::Time { index: 2 }));
}

#[test]
fn damaged_bytes_never_panic_and_strange_ones_are_refused() {
    let events = played(RuleSet::city(), BLITZ, MATE);
    let packed = pack(&events).expect("one game");
    assert_eq!(unpack(start_of(&events), &[]), Err(Damaged));
    assert_eq!(unpack(start_of(&events), &[0x71, 1, 2]), Err(Damaged));
    // The first form, which is not read any more, and a unit that nobody knows.
    assert_eq!(unpack(start_of(&events), &[&[0x10], &packed[1..]].concat()), Err(Damaged));
    assert_eq!(unpack(start_of(&events), &[&[0x25], &packed[1..]].concat()), Err(Damaged));
    for place in 0..packed.len() {
        for flip in 0..8 {
            let mut damaged = packed.clone();
            damaged[place] ^= 1 << flip;
            let _ = unpack(start_of(&events), &damaged);
        }
        let _ = unpack(start_of(&events), &packed[..place]);
    }
    let longer = [packed.as_slice(), &[1; 9]].concat();
    assert_eq!(unpack(start_of(&events), &longer), Err(Damaged));
}

// The bytes of packed games stand in databases: if this fails, the format needs another number and a reader for the old one.
#[test]
fn the_bytes_of_the_format_stay_what_they_are() {
    let packed = pack(&played(RuleSet::city(), BLITZ, MATE)).expect("one game");
    let hex: String = packed.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex, "2012b27587bfdc2e94432e5c617c");
}
