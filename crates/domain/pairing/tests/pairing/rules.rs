//! Given these tickets, when a pass is made, then these meet.

use std::collections::BTreeSet;

use domain_pairing::history::WAITS_MIN;
use domain_pairing::pass::PASSED_OVER_MAX;
use domain_pairing::veto::REMATCH_MEMORY_MS;
use domain_pairing::{
    Encounter, Pairing, PlayerId, REMATCH_HOLD_MS, Round, Ticket, Veto, estimated_wait_ms, pair, veto,
    window, without_opponent,
};

use crate::{NOW_MS, coming_from, player, waiting};

fn round() -> Round {
    Round { now_ms: NOW_MS, coin: 7, excluded: BTreeSet::new() }
}

/// The pairs without their colours, smaller player first, in the order they were made.
fn meetings(tickets: &[Ticket]) -> Vec<(u128, u128)> {
    pair(tickets, &round())
        .into_iter()
        .map(|Pairing { white, black }| {
            let (low, high) = (white.min(black), white.max(black));
            (low.value(), high.value())
        })
        .collect()
}

#[test]
fn the_window_is_100_for_ten_seconds_and_250_from_forty() {
    for (waited_ms, expected) in [
        (-5, 100),
        (0, 100),
        (10_000, 100),
        (10_199, 100),
        (10_200, 101),
        (25_000, 175),
        (39_999, 249),
        (40_000, 250),
        (i64::MAX, 250),
    ] {
        assert_eq!(window(waited_ms), expected, "after {waited_ms} ms");
    }
}

#[test]
fn nobody_meets_in_an_empty_queue_or_alone() {
    assert_eq!(pair(&[], &round()), []);
    assert_eq!(pair(&[waiting(1, 1500, 90_000)], &round()), []);
}

/// PAIRING-2: the shorter wait decides.
#[test]
fn both_windows_must_allow_a_pair() {
    let apart = |difference, other_waited_ms| {
        meetings(&[waiting(1, 1500, 60_000), waiting(2, 1500 + difference, other_waited_ms)])
    };
    assert_eq!(apart(100, 0), [(1, 2)]);
    assert_eq!(apart(101, 0), []);
    assert_eq!(apart(-100, 0), [(1, 2)]);
    assert_eq!(apart(-101, 0), []);
    assert_eq!(apart(175, 25_000), [(1, 2)]);
    assert_eq!(apart(176, 25_000), []);
    assert_eq!(apart(250, 40_000), [(1, 2)]);
    assert_eq!(apart(251, 40_000), []);
}

#[test]
fn the_longest_wait_is_served_first() {
    let tickets = [waiting(1, 1500, 1_000), waiting(2, 1510, 2_000), waiting(3, 1590, 9_000)];
    assert_eq!(meetings(&tickets), [(2, 3)]);
}

#[test]
fn the_nearest_rating_is_taken_on_either_side() {
    let tickets =
        |below, above| [waiting(1, 1500, 9_000), waiting(2, below, 3_000), waiting(3, above, 2_000)];
    assert_eq!(meetings(&tickets(1450, 1540)), [(1, 3)]);
    assert_eq!(meetings(&tickets(1470, 1540)), [(1, 2)]);
}

#[test]
fn of_two_equally_near_the_one_who_has_waited_longer_is_taken() {
    for (low, high, met) in [(3_000, 2_000, 2), (2_000, 3_000, 3)] {
        let tickets = [waiting(1, 1500, 9_000), waiting(2, 1460, low), waiting(3, 1540, high)];
        assert_eq!(meetings(&tickets), [(1, met)]);
    }
    let below = [waiting(1, 1500, 9_000), waiting(2, 1460, 2_000), waiting(3, 1460, 3_000)];
    assert_eq!(meetings(&below), [(1, 3)]);
}

/// A near player whose window is still narrow does not hide a farther one whose window is wide.
#[test]
fn somebody_out_of_reach_does_not_hide_somebody_in_reach() {
    let tickets =
        [waiting(1, 1500, 60_000), waiting(2, 1620, 0), waiting(3, 1640, 0), waiting(4, 1700, 50_000)];
    assert_eq!(meetings(&tickets), [(1, 4), (2, 3)]);
}

/// E01, E02: however often somebody queues, he has one ticket and never meets himself. (PAIRING-1)
#[test]
fn a_player_with_many_tickets_meets_nobody_alone_and_one_other_at_most() {
    let many: Vec<Ticket> = (0..1000).map(|wait| waiting(1, 1500, wait * 20)).collect();
    assert_eq!(pair(&many, &round()), []);

    let mut with_two_others = many;
    with_two_others.push(waiting(2, 1500, 0));
    with_two_others.push(waiting(3, 1500, 5));
    assert_eq!(meetings(&with_two_others), [(1, 3)]);
}

/// E04: of three, two meet and the third waits. (PAIRING-1)
#[test]
fn of_three_equal_players_two_meet_and_the_newest_waits() {
    for turn in 0..3 {
        let mut tickets = [waiting(1, 1500, 3_000), waiting(2, 1500, 2_000), waiting(3, 1500, 1_000)];
        tickets.rotate_left(turn);
        assert_eq!(meetings(&tickets), [(1, 2)]);
    }
}

/// E09: far apart there is no game at any wait; after the widest window both are told.
#[test]
fn players_too_far_apart_are_told_that_nobody_is_in_reach() {
    for (waited_ms, told) in [(39_999, vec![]), (40_000, vec![player(1), player(2)])] {
        let tickets = [waiting(1, 2600, waited_ms), waiting(2, 1900, waited_ms)];
        let pairings = pair(&tickets, &round());
        assert_eq!(pairings, []);
        assert_eq!(without_opponent(&tickets, &pairings, &round()), told);
    }
    let in_reach = [waiting(1, 2100, 50_000), waiting(2, 1900, 50_000)];
    let pairings = pair(&in_reach, &round());
    assert_eq!(pairings.len(), 1);
    assert_eq!(without_opponent(&in_reach, &pairings, &round()), []);
}

/// E11: two who have just played wait ten seconds for somebody else. (PAIRING-3)
#[test]
fn two_who_have_just_played_meet_again_only_after_the_hold() {
    let after = |waited_ms| {
        meetings(&[
            coming_from(waiting(1, 1500, waited_ms + 500), 2),
            coming_from(waiting(2, 1500, waited_ms), 1),
        ])
    };
    assert_eq!(after(0), []);
    assert_eq!(after(REMATCH_HOLD_MS - 1), []);
    assert_eq!(after(REMATCH_HOLD_MS), [(1, 2)]);
}

/// E11: a third in range comes first, during the hold and after it, even when his rating is farther away.
#[test]
fn a_third_player_in_range_comes_before_a_rematch() {
    for waited_ms in [2_000, REMATCH_HOLD_MS, 60_000] {
        let tickets = [
            coming_from(waiting(1, 1500, waited_ms + 1), 2),
            coming_from(waiting(2, 1500, waited_ms), 1),
            waiting(3, 1580, 0),
        ];
        assert_eq!(meetings(&tickets), [(1, 3)], "after {waited_ms} ms");
    }
}

/// It takes one of the two to remember: the other may have played somebody else since.
#[test]
fn a_rematch_is_recognised_from_either_side() {
    for tickets in [
        [coming_from(waiting(1, 1500, 50), 2), waiting(2, 1500, 20)],
        [waiting(1, 1500, 50), coming_from(waiting(2, 1500, 20), 1)],
    ] {
        assert_eq!(meetings(&tickets), []);
    }
}

#[test]
fn an_opponent_of_long_ago_is_anybody() {
    let since = |ago_ms| {
        let met = Ticket {
            last_encounter: Some(Encounter { opponent: player(2), ended_at_ms: NOW_MS - ago_ms }),
            ..waiting(1, 1500, 0)
        };
        meetings(&[met, waiting(2, 1500, 0)])
    };
    assert_eq!(since(REMATCH_MEMORY_MS), []);
    assert_eq!(since(REMATCH_MEMORY_MS + 1), [(1, 2)]);
}

/// PAIRING-3
#[test]
fn a_veto_of_either_side_keeps_two_apart_and_each_has_its_name() {
    let one = waiting(1, 1500, 60_000);
    let two = waiting(2, 1500, 60_000);
    let blocking = Ticket { blocked: BTreeSet::from([player(2)]), ..one.clone() };
    let worn_out = Ticket { exhausted: BTreeSet::from([player(2)]), ..one.clone() };
    assert_eq!(veto(&one, &two), None);
    assert_eq!(veto(&one, &one), Some(Veto::SamePlayer));
    for (first, named) in [(blocking, Veto::Blocked), (worn_out, Veto::PairLimitReached)] {
        assert_eq!(veto(&first, &two), Some(named));
        assert_eq!(veto(&two, &first), Some(named));
        assert_eq!(meetings(&[first.clone(), two.clone()]), []);
        // E14: somebody else is not affected.
        let third = waiting(3, 1540, 0);
        assert_eq!(meetings(&[first, two.clone(), third]), [(1, 3)]);
    }
}

#[test]
fn an_excluded_player_meets_nobody_and_hides_nobody() {
    let tickets = [waiting(1, 1500, 50_000), waiting(2, 1500, 49_000), waiting(3, 1500, 1_000)];
    let round = Round { excluded: BTreeSet::from([player(2)]), ..round() };
    let pairings = pair(&tickets, &round);
    assert_eq!(pairings.len(), 1);
    let met = BTreeSet::from([pairings[0].white, pairings[0].black]);
    assert_eq!(met, BTreeSet::from([player(1), player(3)]));
    assert_eq!(without_opponent(&tickets, &pairings, &round), []);
}

#[test]
fn white_goes_to_the_player_who_has_had_it_less() {
    for (first, second, white) in [(1, 0, 2), (0, 1, 1), (-3, -2, 1), (4, -4, 2)] {
        for coin in 0..16 {
            let tickets = [
                Ticket { color_balance: first, ..waiting(1, 1500, 0) },
                Ticket { color_balance: second, ..waiting(2, 1500, 0) },
            ];
            let round = Round { coin, ..round() };
            assert_eq!(pair(&tickets, &round)[0].white, player(white));
        }
    }
}

/// PAIRING-5
#[test]
fn between_equals_the_coin_decides_fairly_and_repeatably() {
    let white_of = |coin, number: u128| {
        let tickets = [waiting(number, 1500, 0), waiting(number + 1, 1500, 0)];
        let round = Round { coin, ..round() };
        let first = pair(&tickets, &round)[0];
        assert_eq!(pair(&tickets, &round)[0], first);
        first.white == PlayerId::new(number)
    };
    let by_coin = (0..1000).filter(|&coin| white_of(coin, 1)).count();
    let by_players = (0..1000).filter(|&number| white_of(1, 2 * number)).count();
    assert!((400..=600).contains(&by_coin), "{by_coin} of 1000");
    assert!((400..=600).contains(&by_players), "{by_players} of 1000");
}

/// The bound on what is passed over: the longest waits are still served, and nobody is paired against a veto.
#[test]
fn a_crowd_that_blocks_itself_is_bounded_and_does_not_stop_the_longest_wait() {
    let crowd = 1_000;
    let everybody: BTreeSet<PlayerId> = (0..crowd).map(player).collect();
    let mut tickets: Vec<Ticket> = (0..crowd)
        .map(|number| Ticket { blocked: everybody.clone(), ..waiting(number, 1500, 30_000) })
        .collect();
    assert!(crowd * (crowd - 1) / 2 > u128::from(PASSED_OVER_MAX));
    assert_eq!(pair(&tickets, &round()), []);

    tickets.push(waiting(crowd, 1590, 1_000));
    assert_eq!(meetings(&tickets), [(0, crowd)]);
}

#[test]
fn the_estimated_wait_is_the_median_and_absent_when_few_have_been_paired() {
    assert_eq!(estimated_wait_ms(&[]), None);
    assert_eq!(estimated_wait_ms(&[700; WAITS_MIN - 1]), None);
    assert_eq!(estimated_wait_ms(&[9_000, 1_000, 3_600_000, 2_000, 3_000]), Some(3_000));
    assert_eq!(estimated_wait_ms(&[40, 10, 30, 20]), Some(20));
    assert_eq!(estimated_wait_ms(&[-5, -5, -5, -5]), Some(0));
}
