use super::*;

const NOW_MS: i64 = 1_800_000_000_000;

fn ticket(number: u128, queued_at_ms: i64) -> Ticket {
    Ticket {
        ticket_id: Uuid::from_u128(200 + number),
        applicant: Applicant {
            player_id: Uuid::from_u128(number),
            name: format!("player-{number}"),
            request_id: Uuid::from_u128(100 + number),
            rating: 1500.0,
            color_balance: 0,
            last_game: None,
        },
        queue: QueueKey {
            city_id: "paris".to_owned(),
            time_control: TimeControl::minutes_plus_seconds(3, 2),
        },
        terms: Terms { stake_minor_units: 500, currency: "XPL".to_owned(), fee_basis_points: 500 },
        queued_at_ms,
        state: State::Searching,
        not_before_ms: 0,
        exhausted: Vec::new(),
    }
}

#[test]
fn two_who_wait_in_one_queue_are_paired() {
    assert_eq!(pairs(&[ticket(1, NOW_MS), ticket(2, NOW_MS)], &Apart::default(), NOW_MS, 0).len(), 1);
}

#[test]
fn a_ticket_in_a_match_is_not_paired() {
    let taken = Ticket { state: State::InMatch(Uuid::from_u128(9)), ..ticket(1, NOW_MS) };
    assert!(pairs(&[taken, ticket(2, NOW_MS)], &Apart::default(), NOW_MS, 0).is_empty());
}

// E01: a player alone is never paired with himself, however many tickets he should come to have.
#[test]
fn a_player_with_two_tickets_has_no_opponent() {
    assert!(pairs(&[ticket(1, NOW_MS), ticket(1, NOW_MS + 1)], &Apart::default(), NOW_MS + 1, 0).is_empty());
}

// MATCH-14
#[test]
fn one_who_has_blocked_the_other_is_enough_to_keep_two_apart() {
    let [first, second, third] = [1, 2, 3].map(Uuid::from_u128);
    let all = [ticket(1, NOW_MS), ticket(2, NOW_MS + 1), ticket(3, NOW_MS + 2)];
    for blocked in [vec![(first, second)], vec![(second, first)], vec![(first, second), (second, first)]] {
        let apart = Apart { blocked, ..Apart::default() };
        assert!(pairs(&all[..2], &apart, NOW_MS + 2, 0).is_empty());
        let (white, black) = pairs(&all, &apart, NOW_MS + 2, 0)[0];
        assert_eq!([white, black].into_iter().collect::<BTreeSet<_>>(), [first, third].into());
    }
}

// MATCH-14
#[test]
fn who_may_not_play_meets_nobody() {
    let apart = Apart { excluded: [Uuid::from_u128(1)].into(), ..Apart::default() };
    let both = [ticket(1, NOW_MS), ticket(2, NOW_MS)];
    assert!(pairs(&both, &apart, NOW_MS, 0).is_empty());
}

// E14: after the refusal both search on, and are not proposed to each other again on this day, but on the next.
#[test]
fn a_pair_that_has_used_up_its_day_searches_on_and_meets_again_the_next_day() {
    let mut first = ticket(1, NOW_MS);
    first.state = State::InMatch(Uuid::from_u128(9));
    first.search_again(CancelReason::PairLimitReached, Uuid::from_u128(2), NOW_MS);
    assert_eq!(first.state, State::Searching);
    let both = [first, ticket(2, NOW_MS)];
    assert!(pairs(&both, &Apart::default(), NOW_MS, 0).is_empty());
    assert_eq!(pairs(&both, &Apart::default(), NOW_MS + DAY_MS, 0).len(), 1);
}

#[test]
fn whoever_is_left_by_an_opponent_without_money_meets_the_next_one_at_once() {
    let mut first = ticket(1, NOW_MS);
    first.search_again(CancelReason::InsufficientFunds, Uuid::from_u128(3), NOW_MS);
    assert_eq!(pairs(&[first, ticket(2, NOW_MS)], &Apart::default(), NOW_MS, 0).len(), 1);
}

#[test]
fn a_pair_whose_match_timed_out_waits_a_little_before_the_next() {
    let mut first = ticket(1, NOW_MS);
    first.search_again(CancelReason::TimedOut, Uuid::from_u128(2), NOW_MS);
    let both = [first, ticket(2, NOW_MS)];
    assert!(pairs(&both, &Apart::default(), NOW_MS, 0).is_empty());
    assert_eq!(pairs(&both, &Apart::default(), NOW_MS + COOL_OFF_MS, 0).len(), 1);
}
