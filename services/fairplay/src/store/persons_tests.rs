//! Golden bytes of the events of persons, of signs of collusion, and of what came to older events with them.

use domain_fairplay::pairs::{Event, MatchId, PersonId, Refusal, UtcDay, pair_day_key};
use proto::fairplay::v1 as wire;
use uuid::Uuid;

use super::Encoded;
use super::analysis_log::encode_queued;
use super::pair_log::{self, Seats};
use super::player_log::{PlayerEvent, encode};
use crate::app::analysis::FinishedGame;

const GOLDEN: &str = include_str!("golden_v1_persons.txt");

fn id(number: u128) -> String {
    Uuid::from_u128(number).to_string()
}

fn player_events() -> [PlayerEvent; 3] {
    [
        PlayerEvent::PersonLinked(wire::PersonLinked {
            player_id: id(0xb),
            person_id: id(0xa),
            player_ids: vec![id(0xa), id(0xb)],
            linked_by: id(3),
            reason: "one passport".to_owned(),
            linked_at_ms: 2_000,
        }),
        PlayerEvent::PersonUnlinked(wire::PersonUnlinked {
            player_id: id(0xb),
            person_id: id(0xa),
            unlinked_by: id(3),
            reason: "two brothers".to_owned(),
            unlinked_at_ms: 3_000,
        }),
        PlayerEvent::CollusionSignalRaised(wire::CollusionSignalRaised {
            signal: Some(wire::CollusionSignal {
                signal_id: id(7),
                kind: wire::CollusionKind::ShortWins.into(),
                strength: wire::CollusionStrength::Report.into(),
                player_ids: vec![id(0xb), id(0xa)],
                from_ms: 1_000,
                until_ms: 2_000,
                observed: 6.0,
                expected: 0.1875,
                p_value: 0.0625,
                tests: 12,
                game_ids: vec![id(0xd)],
                raised_at_ms: 3_000,
            }),
        }),
    ]
}

fn pair_events() -> [Encoded; 2] {
    let players = pair_day_key(PersonId(0xb), PersonId(0xa), UtcDay(20_454)).expect("two players");
    let seats = |persons: &[u128]| Seats {
        players,
        person_ids: persons.iter().map(|number| Uuid::from_u128(*number)).collect(),
    };
    let match_id = MatchId(0xc);
    let refused = Event::PairingRefused { match_id, reason: Refusal::SamePerson };
    [
        pair_log::encode(&seats(&[0x9, 0xb]), &Event::PairingReserved { match_id }),
        pair_log::encode(&seats(&[0x9]), &refused),
    ]
}

#[test]
fn the_bytes_of_events_of_persons_and_signs_stay_what_they_are() {
    let queued = encode_queued(
        &FinishedGame {
            game_id: Uuid::from_u128(0xd),
            white_id: Uuid::from_u128(0xa),
            black_id: Uuid::from_u128(0xb),
            moves: vec!["e2e4".to_owned()],
            start_fen: String::new(),
            is_staked: false,
            circumstances: None,
        },
        &[],
    );
    let mut events: Vec<Encoded> = player_events().iter().map(encode).collect();
    events.push(queued);
    events.extend(pair_events());
    let hex = |data: &[u8]| data.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let written: String =
        events.iter().map(|event| format!("{} {}\n", event.kind, hex(&event.data))).collect();
    assert_eq!(written, GOLDEN);
}
