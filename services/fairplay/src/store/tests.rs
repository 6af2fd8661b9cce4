//! Golden bytes: what stands in the log today must be readable for ever.

use std::collections::BTreeMap;

use domain_fairplay::pairs::{Event, MatchId, PairDayKey, PersonId, Refusal, UtcDay, pair_day_key};
use event_store::{Metadata, RecordedEvent};
use prost::Message as _;
use proto::fairplay::v1::{
    AnalysisParked, AnalysisQueued, Evaluation, EvidenceLevel, GameReport, PairingRefused, PlyReport,
    ReportReady, SideReport, evaluation::Score,
};
use time::OffsetDateTime;
use uuid::Uuid;

use super::analysis_log::{decode_queued, encode_parked, encode_queued, encode_ready};
use super::pair_log::{Seats, decode_event, encode, stream_id};
use super::{Encoded, ReadError};
use crate::app::analysis::FinishedGame;

const GOLDEN: &str = include_str!("golden_v1.txt");
const MATCH: MatchId = MatchId(0xc);

fn key() -> PairDayKey {
    pair_day_key(PersonId(0xb), PersonId(0xa), UtcDay(20_454)).expect("two persons")
}

fn seats() -> Seats {
    Seats { players: key(), person_ids: Vec::new() }
}

fn pair_events() -> [Event; 4] {
    [
        Event::PairingReserved { match_id: MATCH },
        Event::PairingRefused { match_id: MATCH, reason: Refusal::PairLimitReached },
        Event::PairingCounted { match_id: MATCH },
        Event::PairingReleased { match_id: MATCH },
    ]
}

fn game() -> FinishedGame {
    FinishedGame {
        game_id: Uuid::from_u128(0xd),
        white_id: Uuid::from_u128(0xa),
        black_id: Uuid::from_u128(0xb),
        moves: vec!["e2e4".to_owned(), "e7e5".to_owned()],
        start_fen: String::new(),
        is_staked: true,
        circumstances: None,
    }
}

fn side(color: i32, player_id: u128) -> SideReport {
    SideReport {
        color,
        player_id: Uuid::from_u128(player_id).to_string(),
        accuracy: 87.5,
        mean_loss: 1.25,
        mean_centipawn_loss: 20.0,
        eligible: 3,
        best_move_matches: 2,
        inaccuracies: 1,
        mistakes: 0,
        blunders: 1,
        excluded: BTreeMap::from([("opening".to_owned(), 6), ("decided".to_owned(), 2)]),
        level: EvidenceLevel::NotEnoughData.into(),
        evidence: None,
    }
}

fn game_report() -> GameReport {
    let ply = PlyReport {
        ply: 1,
        uci: "e2e4".to_owned(),
        before: Some(Evaluation { score: Some(Score::Centipawns(-15)) }),
        after: Some(Evaluation { score: Some(Score::MateIn(-1)) }),
        best_uci: "d2d4".to_owned(),
        accuracy: 99.5,
        excluded: "opening".to_owned(),
        lines: Vec::new(),
    };
    GameReport {
        game_id: Uuid::from_u128(0xd).to_string(),
        engine: "Stockfish 15.1".to_owned(),
        nodes: 25_000,
        multi_pv: 4,
        plies: vec![ply],
        white: Some(side(1, 0xa)),
        black: Some(side(2, 0xb)),
        engine_ms: 1_234,
        calibration_id: String::new(),
        last_lines: Vec::new(),
    }
}

/// Every event of version 1, as it is written today.
fn every_event() -> Vec<Encoded> {
    let mut all: Vec<Encoded> = pair_events().iter().map(|event| encode(&seats(), event)).collect();
    all.push(encode_queued(&game(), &[]));
    all.push(encode_ready(game_report()));
    all.push(encode_parked(Uuid::from_u128(0xd), "engine failed: the process ended"));
    all
}

fn golden(kind: &str) -> Vec<u8> {
    let line =
        GOLDEN.lines().find(|line| line.split(' ').next() == Some(kind)).expect("a line for each event");
    let digits = line.split_once(' ').expect("a name and bytes").1;
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("two digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}

fn recorded(kind: &str, data: Vec<u8>) -> RecordedEvent {
    RecordedEvent {
        stream_id: Uuid::from_u128(1),
        version: 1,
        event_id: Some(Uuid::from_u128(2)),
        kind: kind.to_owned(),
        schema: 1,
        data,
        metadata: Metadata {
            correlation_id: Uuid::nil(),
            causation_id: Uuid::nil(),
            actor: "fairplay".to_owned(),
            trace_parent: None,
        },
        recorded_at: OffsetDateTime::UNIX_EPOCH,
    }
}

#[test]
fn the_bytes_of_version_1_of_every_event_stay_what_they_are() {
    let hex = |data: &[u8]| data.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let written: String =
        every_event().iter().map(|event| format!("{} {}\n", event.kind, hex(&event.data))).collect();
    assert_eq!(written, GOLDEN);
}

#[test]
fn the_stored_bytes_of_version_1_are_read() {
    for event in pair_events() {
        let kind = encode(&seats(), &event).kind;
        assert_eq!(decode_event(&recorded(kind, golden(kind))).expect("readable"), event);
    }
    let queued = recorded("AnalysisQueued", golden("AnalysisQueued"));
    assert_eq!(decode_queued(&queued).expect("readable"), game());
    let ready = ReportReady::decode(golden("ReportReady").as_slice()).expect("readable");
    assert_eq!(ready.report, Some(game_report()));
    let parked = AnalysisParked::decode(golden("AnalysisParked").as_slice()).expect("readable");
    assert_eq!(parked.cause, "engine failed: the process ended");
}

#[test]
fn the_persons_behind_accounts_are_told_and_one_person_is_a_reason() {
    let persons = vec![Uuid::from_u128(0x9), Uuid::from_u128(0xb)];
    let seats = Seats { players: key(), person_ids: persons };
    let event = Event::PairingRefused { match_id: MATCH, reason: Refusal::SamePerson };
    let Encoded { kind, data } = encode(&seats, &event);
    let stored = PairingRefused::decode(data.as_slice()).expect("readable");
    assert_eq!(stored.person_ids.len(), 2);
    assert_eq!(stored.first_player_id, Uuid::from_u128(0xa).to_string());
    assert_eq!(decode_event(&recorded(kind, data)).expect("readable"), event);
}

#[test]
fn damaged_events_are_named_and_never_read_as_something_else() {
    let whole = recorded("PairingRefused", golden("PairingRefused"));
    let mut unknown = whole.clone();
    unknown.schema = 2;
    let mut renamed = whole.clone();
    renamed.kind = "PairingPostponed".to_owned();
    let mut cut = whole.clone();
    cut.data.truncate(whole.data.len() - 1);
    let mut without_reason = whole.clone();
    without_reason.data.truncate(whole.data.len() - 2);
    for damaged in [unknown, renamed, cut, without_reason] {
        let error = decode_event(&damaged).expect_err("it is damaged");
        assert!(matches!(&error, ReadError::Unreadable { kind, .. } if *kind == damaged.kind), "{error}");
    }
    let nameless = AnalysisQueued { game_id: "7".to_owned(), ..AnalysisQueued::default() };
    assert!(decode_queued(&recorded("AnalysisQueued", nameless.encode_to_vec())).is_err());
}

#[test]
fn the_stream_of_a_pairs_day_depends_on_pair_and_day_alone() {
    let other_way = pair_day_key(PersonId(0xa), PersonId(0xb), UtcDay(20_454)).expect("two persons");
    let next_day = pair_day_key(PersonId(0xa), PersonId(0xb), UtcDay(20_455)).expect("two persons");
    assert_eq!(stream_id(&key()), stream_id(&other_way));
    assert_ne!(stream_id(&key()), stream_id(&next_day));
    // Part of the stored history: it must never change.
    assert_eq!(stream_id(&key()).to_string(), "4bae5713-4142-514e-a481-0b7f4746f7d7");
}
