use super::*;

const NOW_MS: i64 = 1_800_000_000_000;

fn applicant(number: u128) -> Applicant {
    Applicant {
        player_id: Uuid::from_u128(number),
        name: format!("player-{number}"),
        request_id: Uuid::from_u128(100 + number),
        rating: 1500.0,
        color_balance: 0,
        last_game: None,
        exhausted: HashSet::new(),
    }
}

fn queue() -> QueueKey {
    QueueKey { city_id: "paris".to_owned(), time_control: TimeControl::minutes_plus_seconds(3, 2) }
}

/// Queues a player and gives the reading end of his stream.
fn join(tickets: &mut Tickets, applicant: Applicant, now_ms: i64) -> mpsc::Receiver<Frame> {
    let (stream, frames) = mpsc::channel(FRAMES_PER_STREAM_MAX);
    let mut ticket = Ticket::new(applicant, queue(), now_ms, now_ms);
    assert_eq!(ticket.follow(stream), Followed::Yes);
    tickets.insert(ticket);
    frames
}

#[test]
fn two_who_wait_in_one_queue_are_paired() {
    let mut tickets = Tickets::default();
    let _frames = [join(&mut tickets, applicant(1), NOW_MS), join(&mut tickets, applicant(2), NOW_MS)];
    assert_eq!(tickets.pairs(NOW_MS, 0).len(), 1);
}

// E01: a player alone is never paired with himself, however often he comes and goes.
#[test]
fn a_player_who_queues_again_and_again_has_one_ticket_and_no_opponent() {
    let mut tickets = Tickets::default();
    let mut streams = Vec::new();
    for round in 0..1_000 {
        streams.push(join(&mut tickets, applicant(1), NOW_MS + round));
        if round % 2 == 0 {
            tickets.remove(Uuid::from_u128(1));
        }
        assert!(tickets.pairs(NOW_MS + round, 0).is_empty());
    }
    assert_eq!(tickets.waiting().get("paris"), Some(&1));
}

// E07: a ghost is not paired, does not stand in the way of others, and leaves after the grace.
#[test]
fn a_ticket_whose_last_stream_is_gone_is_passed_over_and_leaves_after_the_grace() {
    let mut tickets = Tickets::default();
    drop(join(&mut tickets, applicant(1), NOW_MS));
    let _frames = [join(&mut tickets, applicant(2), NOW_MS), join(&mut tickets, applicant(3), NOW_MS)];
    let pairs = tickets.pairs(NOW_MS, 0);
    assert_eq!(pairs.len(), 1);
    assert!(![pairs[0].0, pairs[0].1].contains(&Uuid::from_u128(1)));

    tickets.sweep(NOW_MS);
    assert!(tickets.get_mut(Uuid::from_u128(1)).is_some());
    tickets.sweep(NOW_MS + TICKET_GRACE_MS);
    assert!(tickets.get_mut(Uuid::from_u128(1)).is_none());
}

#[test]
fn a_stream_that_comes_back_within_the_grace_keeps_the_wait() {
    let mut tickets = Tickets::default();
    drop(join(&mut tickets, applicant(1), NOW_MS));
    tickets.sweep(NOW_MS);
    let (stream, _frames) = mpsc::channel(FRAMES_PER_STREAM_MAX);
    let ticket = tickets.get_mut(Uuid::from_u128(1)).expect("the ticket is kept");
    assert_eq!(ticket.follow(stream), Followed::Yes);
    assert_eq!(ticket.queued_at_ms, NOW_MS);
    tickets.sweep(NOW_MS + TICKET_GRACE_MS);
    assert!(tickets.get_mut(Uuid::from_u128(1)).is_some());
}

// E14: after the refusal both search on, and are not proposed to each other again on this day, but on the next.
#[test]
fn a_pair_that_has_used_up_its_day_searches_on_and_meets_again_the_next_day() {
    let mut tickets = Tickets::default();
    let mut frames = join(&mut tickets, applicant(1), NOW_MS);
    let _other = join(&mut tickets, applicant(2), NOW_MS);
    let ticket = tickets.get_mut(Uuid::from_u128(1)).expect("it was inserted");
    ticket.state = State::InMatch(Uuid::from_u128(9));
    ticket.search_again(CancelReason::PairLimitReached, Uuid::from_u128(2), NOW_MS);
    assert!(matches!(frames.try_recv(), Ok(Frame::Searching { .. })));
    assert!(tickets.pairs(NOW_MS, 0).is_empty());
    assert_eq!(tickets.pairs(NOW_MS + DAY_MS, 0).len(), 1);
}

#[test]
fn whoever_is_left_by_an_opponent_without_money_meets_the_next_one_at_once() {
    let mut tickets = Tickets::default();
    let _frames = [join(&mut tickets, applicant(1), NOW_MS), join(&mut tickets, applicant(2), NOW_MS)];
    let ticket = tickets.get_mut(Uuid::from_u128(1)).expect("it was inserted");
    ticket.search_again(CancelReason::InsufficientFunds, Uuid::from_u128(3), NOW_MS);
    assert_eq!(tickets.pairs(NOW_MS, 0).len(), 1);
}

#[test]
fn a_ticket_that_nobody_follows_is_not_counted_as_waiting() {
    let mut tickets = Tickets::default();
    let _frames = join(&mut tickets, applicant(1), NOW_MS);
    drop(join(&mut tickets, applicant(2), NOW_MS));
    assert_eq!(tickets.waiting().get("paris"), Some(&1));
}

#[test]
fn a_pair_whose_match_timed_out_waits_a_little_before_the_next() {
    let mut tickets = Tickets::default();
    let _frames = [join(&mut tickets, applicant(1), NOW_MS), join(&mut tickets, applicant(2), NOW_MS)];
    let ticket = tickets.get_mut(Uuid::from_u128(1)).expect("it was inserted");
    ticket.search_again(CancelReason::TimedOut, Uuid::from_u128(2), NOW_MS);
    assert!(tickets.pairs(NOW_MS, 0).is_empty());
    assert_eq!(tickets.pairs(NOW_MS + COOL_OFF_MS, 0).len(), 1);
}

#[test]
fn a_searching_player_hears_when_his_window_widens_and_at_least_every_few_seconds() {
    let mut tickets = Tickets::default();
    let mut frames = join(&mut tickets, applicant(1), NOW_MS);
    let mut windows = Vec::new();
    for second in 0..=45 {
        tickets.sweep(NOW_MS + second * 1_000);
        while let Ok(Frame::Searching { window, waited_ms, .. }) = frames.try_recv() {
            windows.push((window, waited_ms));
        }
    }
    assert_eq!(windows.first(), Some(&(100, 0)));
    assert_eq!(windows.last().map(|(window, _)| *window), Some(250));
    let gaps = windows.windows(2).map(|pair| pair[1].1 - pair[0].1);
    assert!(gaps.max() <= Some(SEARCHING_FRAME_EVERY_MS));
}

#[test]
fn a_reader_that_does_not_keep_up_is_let_go() {
    let mut tickets = Tickets::default();
    let frames = join(&mut tickets, applicant(1), NOW_MS);
    for second in 0..=i64::try_from(FRAMES_PER_STREAM_MAX).expect("small") {
        tickets.sweep(NOW_MS + second * SEARCHING_FRAME_EVERY_MS);
    }
    assert_eq!(frames.len(), FRAMES_PER_STREAM_MAX);
    let ticket = tickets.get_mut(Uuid::from_u128(1)).expect("kept for the grace");
    assert!(!ticket.is_watched());
}

#[test]
fn a_ticket_has_a_bounded_number_of_streams() {
    let mut tickets = Tickets::default();
    let _first = join(&mut tickets, applicant(1), NOW_MS);
    let ticket = tickets.get_mut(Uuid::from_u128(1)).expect("it was inserted");
    let mut kept = Vec::new();
    for _ in 1..STREAMS_PER_TICKET_MAX {
        let (stream, frames) = mpsc::channel(1);
        assert_eq!(ticket.follow(stream), Followed::Yes);
        kept.push(frames);
    }
    let (stream, _frames) = mpsc::channel(1);
    assert_eq!(ticket.follow(stream), Followed::TooManyStreams);
}
