//! Golden bytes: what stands in the log today must be readable for ever.

use domain_glicko::{Pair, Pool, Score};
use event_store::Metadata;
use time::OffsetDateTime;

use super::*;
use crate::app::book::PoolBook;
use crate::app::correction::{Adjustment, Correction, CorrectionKind, Ruling};
use crate::app::ended_game::{EndedGame, GameId, GameParts, PlayerId};

const WHITE: PlayerId = PlayerId(Uuid::from_u128(2));
const BLACK: PlayerId = PlayerId(Uuid::from_u128(3));

fn book(pool: &str) -> PoolBook {
    PoolBook::new(Pool::find(pool).expect("a pool"), 6)
}

fn rated(book: &mut PoolBook) -> Change {
    let game = EndedGame::new(GameParts {
        game_id: GameId(Uuid::from_u128(1)),
        pool: book.pool(),
        players: Pair { white: WHITE, black: BLACK },
        white_score: Score::Win,
        ended_at_ms: 1_700_000_000_000,
    })
    .expect("two players");
    Change::Game(book.rate(game))
}

fn corrected(book: &mut PoolBook, kind: CorrectionKind) -> Change {
    rated(book);
    let mut adjustments = vec![Adjustment { player: BLACK, opponent: WHITE, points: 12.5 }];
    if kind == CorrectionKind::Voided {
        adjustments.insert(0, Adjustment { player: WHITE, opponent: BLACK, points: -12.5 });
    }
    let ruling = Ruling {
        actor_id: Uuid::from_u128(4),
        request_id: Uuid::from_u128(5),
        reason: "White had help — 7 of 9".to_owned(),
        at_ms: 1_700_000_000_001,
    };
    let (game_id, pool) = (GameId(Uuid::from_u128(1)), book.pool());
    Change::Correction(book.correct(Correction { game_id, pool, kind, adjustments, ruling }))
}

fn recorded(kind: &str, data: Vec<u8>) -> RecordedEvent {
    RecordedEvent {
        stream_id: Uuid::from_u128(1),
        version: 1,
        event_id: Some(Uuid::from_u128(9)),
        kind: kind.to_owned(),
        schema: SCHEMA,
        data,
        metadata: Metadata {
            correlation_id: Uuid::nil(),
            causation_id: Uuid::nil(),
            actor: "rating".to_owned(),
            trace_parent: None,
        },
        recorded_at: OffsetDateTime::UNIX_EPOCH,
    }
}

/// Without what the events do not say.
fn as_recorded(mut change: Change) -> Change {
    match &mut change {
        Change::Game(rated) => {
            for change in [&mut rated.changes.white, &mut rated.changes.black] {
                change.before.last_game_at_ms = None;
                change.after.last_game_at_ms = None;
            }
        }
        Change::Correction(made) => {
            for one in &mut made.players {
                one.before.last_game_at_ms = None;
                one.after.last_game_at_ms = None;
            }
        }
    }
    change
}

#[track_caller]
fn assert_golden(change: &Change, golden: &str) {
    let written: String = write(change).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(written, golden.trim_end());
    let golden = golden.trim_end();
    let bytes = (0..golden.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&golden[at..at + 2], 16).expect("hexadecimal"))
        .collect();
    let read = read(&recorded(kind(change), bytes)).expect("readable");
    assert_eq!(read, as_recorded(change.clone()));
}

#[test]
fn the_bytes_of_a_rated_game_stay_what_they_are_and_are_read() {
    assert_golden(&rated(&mut book("3+2")), include_str!("golden_ratings_changed_v1.txt"));
    assert_golden(&rated(&mut book("table")), include_str!("golden_ratings_changed_table_v1.txt"));
}

#[test]
fn the_bytes_of_a_correction_stay_what_they_are_and_are_read() {
    let voided = corrected(&mut book("3+2"), CorrectionKind::Voided);
    assert_golden(&voided, include_str!("golden_rating_corrected_voided_v1.txt"));
    let adjusted = corrected(&mut book("table"), CorrectionKind::Adjusted);
    assert_golden(&adjusted, include_str!("golden_rating_corrected_adjusted_v1.txt"));
}

#[test]
fn damaged_events_are_named_and_never_read_as_something_else() {
    for change in [rated(&mut book("3+2")), corrected(&mut book("3+2"), CorrectionKind::Voided)] {
        let whole = recorded(kind(&change), write(&change));
        let mut unknown = whole.clone();
        unknown.schema = 2;
        let mut other = whole.clone();
        other.kind = "GameEnded".to_owned();
        let mut cut = whole.clone();
        cut.data.truncate(60);
        let mut empty = whole.clone();
        empty.data.clear();
        let mut elsewhere = whole.clone();
        elsewhere.stream_id = Uuid::from_u128(77);
        for damaged in [unknown, other, cut, empty, elsewhere] {
            let error = read(&damaged).expect_err("it is damaged");
            assert_eq!(error.stream_id, damaged.stream_id);
        }
    }
}
