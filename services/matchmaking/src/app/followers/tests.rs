use proto::matchmaking::v1::CancelReason;

use super::*;
use crate::app::cities::{Terms, TimeControl};
use crate::app::tickets::{Applicant, QueueKey};

const NOW_MS: i64 = 1_800_000_000_000;

fn ticket(number: u128) -> Ticket {
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
        queued_at_ms: NOW_MS,
        state: State::Searching,
        not_before_ms: 0,
        exhausted: Vec::new(),
    }
}

/// Follows a player's ticket and gives the reading end of his stream.
fn follow(followers: &mut Followers, number: u128) -> mpsc::Receiver<Frame> {
    let (stream, frames) = mpsc::channel(FRAMES_PER_STREAM_MAX);
    let mut follower = Follower::new(ticket(number));
    assert_eq!(follower.follow(stream), Followed::Yes);
    followers.insert(follower);
    frames
}

/// Sweeps once a second for so long and answers every frame with the second it came in.
fn frames_of(seconds: i64) -> Vec<(i64, Frame)> {
    let mut followers = Followers::default();
    let mut stream = follow(&mut followers, 1);
    let mut frames = Vec::new();
    for second in 0..=seconds {
        followers.sweep(NOW_MS + second * 1_000);
        while let Ok(frame) = stream.try_recv() {
            frames.push((second, frame));
        }
    }
    frames
}

// E07: whose last reader is gone is said once it is known, and the ticket is forgotten here after the grace.
#[test]
fn a_ticket_whose_last_stream_is_gone_is_reported_and_forgotten_after_the_grace() {
    let mut followers = Followers::default();
    drop(follow(&mut followers, 1));
    let _frames = follow(&mut followers, 2);
    assert_eq!(followers.sweep(NOW_MS), [Uuid::from_u128(1)]);
    followers.get_mut(Uuid::from_u128(1)).expect("it is kept").is_vouched_for = false;
    assert!(followers.sweep(NOW_MS + TICKET_GRACE_MS - 1).is_empty());
    assert!(followers.get(Uuid::from_u128(1)).is_some());
    followers.sweep(NOW_MS + TICKET_GRACE_MS);
    assert!(followers.get(Uuid::from_u128(1)).is_none());
    assert!(followers.get(Uuid::from_u128(2)).is_some());
}

#[test]
fn a_stream_that_comes_back_within_the_grace_keeps_the_ticket() {
    let mut followers = Followers::default();
    drop(follow(&mut followers, 1));
    followers.sweep(NOW_MS);
    let (stream, _frames) = mpsc::channel(FRAMES_PER_STREAM_MAX);
    let follower = followers.get_mut(Uuid::from_u128(1)).expect("the ticket is kept");
    assert_eq!(follower.follow(stream), Followed::Yes);
    assert!(followers.sweep(NOW_MS + TICKET_GRACE_MS).is_empty());
    assert!(followers.get(Uuid::from_u128(1)).is_some_and(Follower::is_watched));
}

#[test]
fn a_searching_player_hears_when_his_window_widens_and_at_least_every_few_seconds() {
    let windows: Vec<(u32, i64)> = frames_of(45)
        .into_iter()
        .filter_map(|(_, frame)| match frame {
            Frame::Searching { window, waited_ms, .. } => Some((window, waited_ms)),
            _ => None,
        })
        .collect();
    assert_eq!(windows.first(), Some(&(100, 0)));
    assert_eq!(windows.last().map(|(window, _)| *window), Some(250));
    let gaps = windows.windows(2).map(|pair| pair[1].1 - pair[0].1);
    assert!(gaps.max() <= Some(SEARCHING_FRAME_EVERY_MS));
}

// E09: not silence.
#[test]
fn a_player_without_anybody_in_reach_is_told_so_at_the_documented_time_and_again() {
    let told: Vec<i64> = frames_of(110)
        .into_iter()
        .filter(|(_, frame)| matches!(frame, Frame::NoOpponent { window: 250, .. }))
        .map(|(second, _)| second)
        .collect();
    assert_eq!(told, [45, 75, 105]);
}

#[test]
fn a_player_whose_match_is_being_made_is_not_told_that_he_is_alone() {
    let mut followers = Followers::default();
    let mut frames = follow(&mut followers, 1);
    let follower = followers.get_mut(Uuid::from_u128(1)).expect("it was inserted");
    follower.ticket.state = State::InMatch(Uuid::from_u128(9));
    followers.sweep(NOW_MS + ALONE_AFTER_MS);
    assert!(frames.try_recv().is_err());
}

#[test]
fn a_reader_that_does_not_keep_up_is_let_go() {
    let mut followers = Followers::default();
    let frames = follow(&mut followers, 1);
    let follower = followers.get_mut(Uuid::from_u128(1)).expect("it was inserted");
    for _ in 0..=FRAMES_PER_STREAM_MAX {
        follower.send(&Frame::TicketClosed { reason: CancelReason::PlayerLeft });
    }
    assert_eq!(frames.len(), FRAMES_PER_STREAM_MAX);
    assert!(!follower.is_watched());
}

#[test]
fn a_ticket_has_a_bounded_number_of_streams() {
    let mut follower = Follower::new(ticket(1));
    let mut kept = Vec::new();
    for _ in 0..STREAMS_PER_TICKET_MAX {
        let (stream, frames) = mpsc::channel(1);
        assert_eq!(follower.follow(stream), Followed::Yes);
        kept.push(frames);
    }
    let (stream, _frames) = mpsc::channel(1);
    assert_eq!(follower.follow(stream), Followed::TooManyStreams);
}
