//! Golden bytes: what stands in the log today must be readable for ever.

use event_store::Metadata;
use time::OffsetDateTime;

use super::*;
use crate::app::rate_game::{Page, rate};

fn rated() -> RatedGame {
    let game = EndedGame::new(GameParts {
        game_id: GameId(Uuid::from_u128(1)),
        pool: find_pool("3+2").expect("3+2 is a pool"),
        players: Pair { white: PlayerId(Uuid::from_u128(2)), black: PlayerId(Uuid::from_u128(3)) },
        white_score: Score::Win,
        ended_at_ms: 1_700_000_000_000,
    })
    .expect("two players");
    let before = Pair { white: Standing::FRESH, black: Standing::FRESH };
    rate(game, Page { sequence: 7, before })
}

fn recorded(data: Vec<u8>) -> RecordedEvent {
    RecordedEvent {
        stream_id: Uuid::from_u128(1),
        version: 1,
        event_id: Uuid::from_u128(9),
        kind: RATINGS_CHANGED.to_owned(),
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

/// Without what the event does not say.
fn as_recorded(mut rated: RatedGame) -> RatedGame {
    for change in [&mut rated.changes.white, &mut rated.changes.black] {
        change.after.last_game_at_ms = None;
    }
    rated
}

#[test]
fn the_bytes_of_version_1_stay_what_they_are_and_are_read() {
    let golden = include_str!("golden_v1.txt").trim_end();
    let written: String = write(&rated()).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(written, golden);
    let bytes = (0..golden.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&golden[at..at + 2], 16).expect("hexadecimal"))
        .collect();
    let read = read(&recorded(bytes)).expect("readable");
    assert_eq!(read, as_recorded(rated()));
}

#[test]
fn damaged_events_are_named_and_never_read_as_something_else() {
    let whole = recorded(write(&rated()));
    let mut unknown = whole.clone();
    unknown.schema = 2;
    let mut cut = whole.clone();
    cut.data.truncate(60);
    let mut empty = whole.clone();
    empty.data.clear();
    for damaged in [unknown, cut, empty] {
        let error = read(&damaged).expect_err("it is damaged");
        assert_eq!(error.stream_id, damaged.stream_id);
    }
}
