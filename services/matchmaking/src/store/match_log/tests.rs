//! MATCH-10: the bytes of every stored event, pinned. A change here means that logs written before cannot be read any more;
//! a new shape of an event needs a new schema number and a constant of its own, and these stay.

use proto::matchmaking::v1::CancelReason;
use proto::types::v1::{Money, Player, TimeControl};

use super::*;

const MATCH_PROPOSED_1: &str = "\
    0a2430303030303030302d303030302d303030302d303030302d303030303030303030303031122430303030303030302d30\
    3030302d303030302d303030302d3030303030303030303030321a057061726973222b0a2430313938633561322d37663365\
    2d376331312d386235612d32663664316530633961343412034164612a2e0a2430303030303030302d303030302d30303030\
    2d303030302d3030303030303030303030341206c39664c3b66e320708a0fe0a10d00f3a0808f403120358504c40f4034a04\
    63697479508080b3c19c33580160f0b1b2c19c3368f8d8b2c19c33";
const STAKES_REQUESTED_1: &str = "\
    0a2430303030303030302d303030302d303030302d303030302d303030303030303030303031122430313938633561322d37\
    6633652d376331312d386235612d3266366431653063396134341a2430303030303030302d303030302d303030302d303030\
    302d303030303030303030303034220808f403120358504c28f403322430303030303030302d303030302d303030302d3030\
    30302d303030303030303030303032";
const MATCH_CONFIRMED_1: &str = "\
    0ae3010a2430303030303030302d303030302d303030302d303030302d303030303030303030303031122430303030303030\
    302d303030302d303030302d303030302d3030303030303030303030321a057061726973222b0a2430313938633561322d37\
    6633652d376331312d386235612d32663664316530633961343412034164612a2e0a2430303030303030302d303030302d30\
    3030302d303030302d3030303030303030303030341206c39664c3b66e320708a0fe0a10d00f3a0808f403120358504c40f4\
    034a0463697479508080b3c19c33580160f0b1b2c19c3368f8d8b2c19c33";
const MATCH_CANCELLED_1: &str = "\
    0a2430303030303030302d303030302d303030302d303030302d30303030303030303030303110031a243031393863356132\
    2d376633652d376331312d386235612d326636643165306339613434222430313938633561322d376633652d376331312d38\
    6235612d3266366431653063396134342a2430303030303030302d303030302d303030302d303030302d3030303030303030\
    30303034";
const MATCH_CANCELLED_BY_NOBODY_1: &str = "\
    0a2430303030303030302d303030302d303030302d303030302d303030303030303030303031100422243031393863356132\
    2d376633652d376331312d386235612d3266366431653063396134342a2430303030303030302d303030302d303030302d30\
    3030302d303030303030303030303034";
const MATCH_STARTED_1: &str = "\
    0a2430303030303030302d303030302d303030302d303030302d303030303030303030303031122430303030303030302d30\
    3030302d303030302d303030302d303030303030303030303032";
const MATCH_CLOSED_1: &str = "\
    0a2430303030303030302d303030302d303030302d303030302d303030303030303030303031122430303030303030302d30\
    3030302d303030302d303030302d303030303030303030303032";

const WHITE: Uuid = Uuid::from_u128(0x0198_c5a2_7f3e_7c11_8b5a_2f6d_1e0c_9a44);

fn proposal() -> MatchProposed {
    MatchProposed {
        match_id: Uuid::from_u128(1).to_string(),
        game_id: Uuid::from_u128(2).to_string(),
        city_id: "paris".to_owned(),
        white: Some(Player { player_id: WHITE.to_string(), name: "Ada".to_owned() }),
        black: Some(Player { player_id: Uuid::from_u128(4).to_string(), name: "Ödön".to_owned() }),
        time_control: Some(TimeControl { base_ms: 180_000, increment_ms: 2_000 }),
        stake: Some(Money { minor_units: 500, currency: "XPL".to_owned() }),
        fee_basis_points: 500,
        rule_set: "city".to_owned(),
        proposed_at_ms: 1_760_000_000_000,
        time_scale: 1,
        white_queued_at_ms: 1_759_999_990_000,
        black_queued_at_ms: 1_759_999_995_000,
    }
}

fn steps() -> [(Step, &'static str); 7] {
    let left = Step::Cancel { reason: CancelReason::PlayerLeft, player: Some(WHITE) };
    let timed_out = Step::Cancel { reason: CancelReason::TimedOut, player: None };
    [
        (Step::Propose, MATCH_PROPOSED_1),
        (Step::RequestStakes, STAKES_REQUESTED_1),
        (Step::Confirm, MATCH_CONFIRMED_1),
        (left, MATCH_CANCELLED_1),
        (timed_out, MATCH_CANCELLED_BY_NOBODY_1),
        (Step::Start, MATCH_STARTED_1),
        (Step::Close, MATCH_CLOSED_1),
    ]
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u32> = hex.chars().map(|digit| digit.to_digit(16).expect("a hex digit")).collect();
    digits.chunks(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]).expect("two hex digits")).collect()
}

#[test]
fn every_event_is_stored_in_the_bytes_it_was_always_stored_in() {
    for (step, golden) in steps() {
        assert_eq!(hex(&encode(&proposal(), step)), golden, "{}", step.event_name());
    }
}

#[test]
fn the_bytes_of_old_logs_are_read_as_what_was_written() {
    let read = MatchProposed::decode(bytes(MATCH_PROPOSED_1).as_slice()).expect("readable");
    assert_eq!(read, proposal());
    let read = MatchConfirmed::decode(bytes(MATCH_CONFIRMED_1).as_slice()).expect("readable");
    assert_eq!(read.proposal, Some(proposal()));
    let read = StakesRequested::decode(bytes(STAKES_REQUESTED_1).as_slice()).expect("readable");
    assert_eq!((read.stake, read.fee_basis_points), (proposal().stake, 500));
    assert_eq!((read.match_id, read.game_id), (proposal().match_id, proposal().game_id));
    assert_eq!(read.white_player_id, WHITE.to_string());
    let read = MatchCancelled::decode(bytes(MATCH_CANCELLED_1).as_slice()).expect("readable");
    assert_eq!(read.reason(), CancelReason::PlayerLeft);
    assert_eq!(read.player_id, WHITE.to_string());
    let read = MatchCancelled::decode(bytes(MATCH_CANCELLED_BY_NOBODY_1).as_slice()).expect("readable");
    assert_eq!((read.reason(), read.player_id.as_str()), (CancelReason::TimedOut, ""));
    let read = MatchStarted::decode(bytes(MATCH_STARTED_1).as_slice()).expect("readable");
    assert_eq!(read.game_id, proposal().game_id);
    let read = MatchClosed::decode(bytes(MATCH_CLOSED_1).as_slice()).expect("readable");
    assert_eq!(read.game_id, proposal().game_id);
}

/// What a match's log may say next to its events is in the names, and they are stored too.
#[test]
fn the_names_of_the_events_stay() {
    let names: Vec<_> = steps().into_iter().map(|(step, _)| step.event_name()).collect();
    assert_eq!(
        names,
        [
            "MatchProposed",
            "StakesRequested",
            "MatchConfirmed",
            "MatchCancelled",
            "MatchCancelled",
            "MatchStarted",
            "MatchClosed"
        ]
    );
}
