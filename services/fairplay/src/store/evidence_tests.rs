//! Golden bytes of the events of evidence, and the way of evidence over the wire.

use domain_fairplay::Color;
use domain_fairplay::bayes::Likelihoods;
use domain_fairplay::evidence::{Evidence, Outcome, Seat, TellingMove};
use domain_fairplay::expectation::Channel;
use domain_fairplay::time_class::TimeClass;
use domain_fairplay::timing::TimeEvidence;
use prost::Message as _;
use proto::fairplay::v1 as wire;
use uuid::Uuid;

use super::analysis_log::{encode_queued, encode_second_pass};
use super::evidence::{from_wire, to_wire};
use super::player_log::{PlayerEvent, encode};
use crate::app::analysis::{Circumstances, FinishedGame};
use crate::app::scoring::Scored;

const GOLDEN: &str = include_str!("golden_v1_evidence.txt");

fn id(number: u128) -> String {
    Uuid::from_u128(number).to_string()
}

fn scored() -> Scored {
    let channel = |moves| Channel { moves, observed: 7.0, expected: 5.5, variance: 2.25 };
    Scored {
        seat: Seat { color: Color::Black, rating: 1650.5, class: TimeClass::Blitz, outcome: Outcome::Lost },
        evidence: Evidence {
            outcome: Outcome::Lost,
            likelihoods: Likelihoods {
                engine: [0.5, 1.0, 1.5, 2.0, -2.5, -8.0],
                human: [0.0, 0.25, 0.5, 0.125, -0.25],
            },
            matches: channel(12),
            spared: Channel { moves: 12, observed: -1.5, expected: -3.25, variance: 0.75 },
            matches_stronger: channel(12),
            spared_stronger: channel(12),
            time: Some(TimeEvidence {
                moves: 20,
                correlation: 0.375,
                variation: 0.75,
                easy_ratio: 0.5,
                flat_streak: 3,
            }),
        },
        telling: vec![TellingMove {
            ply: 24,
            uci: "d8h4".to_owned(),
            human_probability: 0.0625,
            loss: 0.0,
            weight: 2.5,
        }],
    }
}

fn assessment() -> wire::Assessment {
    wire::Assessment {
        player_id: id(0xa),
        time_class: "blitz".to_owned(),
        level: wire::EvidenceLevel::Hold.into(),
        log_bayes: 7.5,
        engine_share: 0.35,
        stronger_by: 200.0,
        games: 4,
        moves: 60,
        calibration_id: "stockfish-15.1".to_owned(),
        ..wire::Assessment::default()
    }
}

fn player_events() -> Vec<PlayerEvent> {
    vec![
        PlayerEvent::LevelChanged(Box::new(wire::LevelChanged {
            player_id: id(0xa),
            time_class: "blitz".to_owned(),
            before: wire::EvidenceLevel::Clean.into(),
            after: wire::EvidenceLevel::Hold.into(),
            assessment: Some(assessment()),
        })),
        PlayerEvent::PrizeHoldPlaced(wire::PrizeHoldPlaced {
            hold_id: id(1),
            player_id: id(0xa),
            placed_at_ms: 1_000,
            until_ms: 259_201_000,
        }),
        PlayerEvent::PrizeHoldReleased(wire::PrizeHoldReleased {
            hold_id: id(1),
            player_id: id(0xa),
            end: wire::PrizeHoldEnd::Decided.into(),
            released_at_ms: 2_000,
        }),
        PlayerEvent::PlayerBarred(wire::PlayerBarred { player_id: id(0xa), case_id: id(2) }),
        PlayerEvent::PlayerUnbarred(wire::PlayerUnbarred { player_id: id(0xa), case_id: id(2) }),
        PlayerEvent::CaseOpened(wire::CaseOpened {
            case_id: id(2),
            player_id: id(0xa),
            time_class: "blitz".to_owned(),
            opened_at_ms: 1_000,
        }),
        PlayerEvent::CaseDecided(wire::CaseDecided {
            case_id: id(2),
            player_id: id(0xa),
            decided_by: id(3),
            decision: wire::CaseDecision::Cleared.into(),
            before: wire::CaseDecision::Confirmed.into(),
            reason: "a known master".to_owned(),
            decided_at_ms: 2_000,
            game_ids: vec![id(0xd)],
            lost_stakes: Vec::new(),
        }),
        PlayerEvent::PlayerReported(wire::PlayerReported {
            player_id: id(0xa),
            reported_by: id(0xb),
            game_id: id(0xd),
            reason: "too good".to_owned(),
        }),
    ]
}

#[test]
fn the_bytes_of_version_1_of_every_event_of_evidence_stay_what_they_are() {
    let game = FinishedGame {
        game_id: Uuid::from_u128(0xd),
        white_id: Uuid::from_u128(0xa),
        black_id: Uuid::from_u128(0xb),
        moves: vec!["e2e4".to_owned(), "e7e5".to_owned()],
        start_fen: String::new(),
        is_staked: true,
        circumstances: Some(Circumstances {
            white_rating: 1500.0,
            black_rating: 1650.5,
            base_ms: 180_000,
            increment_ms: 2_000,
            white_score: 0.5,
            ended_at_ms: 1_767_225_540_000,
            charged_ms: vec![0, 1_250],
        }),
    };
    let second = wire::SecondPassReady {
        game_id: id(0xd),
        player_id: id(0xb),
        nodes: 100_000,
        engine: "Stockfish 15.1".to_owned(),
        calibration_id: "stockfish-15.1".to_owned(),
        evidence: Some(to_wire(&scored())),
    };
    let mut events = vec![encode_queued(&game, &[]), encode_second_pass(&second)];
    events.extend(player_events().iter().map(encode));
    let hex = |data: &[u8]| data.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let written: String =
        events.iter().map(|event| format!("{} {}\n", event.kind, hex(&event.data))).collect();
    assert_eq!(written, GOLDEN);
}

#[test]
fn evidence_comes_back_from_the_wire_bit_by_bit() {
    let scored = scored();
    let bytes = to_wire(&scored).encode_to_vec();
    let read = wire::SideEvidence::decode(bytes.as_slice()).expect("readable");
    assert_eq!(from_wire(&read), scored.evidence);
    assert_eq!(read.time_class, "blitz");
}
