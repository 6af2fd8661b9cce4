//! The service dies or stops in the middle of a match.

use std::time::Instant;

use proto::matchmaking::v1::CancelReason;
use proto::matchmaking::v1::join_queue_response::Frame;
use service_kit::server::STOP_MAX;
use tonic::Code;

use crate::support::{Pair, Seeker, World};

/// Both come back with the requests they had; answers the new streams.
async fn rejoin(world: &World, pair: &Pair) -> [Seeker; 2] {
    let mut seekers = Vec::new();
    for seeker in [&pair.first, &pair.second] {
        seekers.push(world.client().join(&seeker.player, &seeker.ask).await.expect("it is his match"));
    }
    seekers.try_into().ok().expect("two went in")
}

async fn assert_one_game(world: &World, pair: &Pair, mut seekers: [Seeker; 2]) {
    let [first, second] = &mut seekers;
    let (ada, ben) = (first.matched().await, second.matched().await);
    assert_eq!(ada.game_id, ben.game_id);
    assert_ne!(ada.color(), ben.color());
    assert_eq!(world.matches_of(&pair.first.player).await, [pair.match_id]);
    assert_eq!(world.matches_of(&pair.second.player).await, [pair.match_id]);
}

#[tokio::test]
async fn a_match_that_was_proposed_goes_on_after_a_crash() {
    let mut world = World::start().await;
    let pair = world.proposed().await;
    world.crash();
    world.start_again().await;
    let mut seekers = rejoin(&world, &pair).await;
    assert_eq!(seekers[0].securing().await, pair.match_id);
    world.agree(pair.match_id).await;
    assert_one_game(&world, &pair, seekers).await;
}

#[tokio::test]
async fn a_match_whose_stakes_were_requested_goes_on_after_a_crash() {
    let mut world = World::start().await;
    let pair = world.proposed().await;
    world.reserve(pair.match_id).await;
    world.until_status(pair.match_id, "stakes_requested").await;
    world.crash();
    world.start_again().await;
    let seekers = rejoin(&world, &pair).await;
    world.hold_leaving(pair.match_id, 0).await;
    world.begin(pair.match_id).await;
    assert_one_game(&world, &pair, seekers).await;
}

// The answers come while nobody is there, and the clients come back when the game runs already.
#[tokio::test]
async fn a_confirmed_match_goes_on_after_a_crash_and_its_players_find_their_game() {
    let mut world = World::start().await;
    let pair = world.proposed().await;
    world.reserve(pair.match_id).await;
    world.hold_leaving(pair.match_id, 0).await;
    world.until_status(pair.match_id, "confirmed").await;
    // The confirmation is out, otherwise nobody would begin the game.
    world.matchmaking.message(pair.match_id, "MatchConfirmed").await;
    world.crash();
    world.begin(pair.match_id).await;
    world.start_again().await;
    world.until_status(pair.match_id, "started").await;
    let seekers = rejoin(&world, &pair).await;
    assert_one_game(&world, &pair, seekers).await;
}

// A proposal whose pair does not come back is given up like any other, and holds nobody.
#[tokio::test]
async fn a_match_whose_players_do_not_come_back_after_a_crash_can_still_be_left() {
    let mut world = World::start().await;
    let pair = world.proposed().await;
    world.crash();
    world.start_again().await;
    assert!(world.client().leave(&pair.first.player).await);
    world.until_status(pair.match_id, "cancelled").await;
    let mut second = world.searching(&pair.second.player).await;
    assert!(world.client().leave(&pair.second.player).await);
    assert_eq!(second.closed().await, CancelReason::PlayerLeft);
}

// H02, KIT-5
#[tokio::test]
async fn a_stop_sends_open_streams_away_and_ends_in_time() {
    let mut world = World::start().await;
    let mut pair = world.proposed().await;
    let cai = world.player("Cai");
    let mut third = world.searching(&cai).await;
    let asked_at = Instant::now();
    world.ask_to_stop();
    for seeker in [&mut pair.first, &mut pair.second, &mut third] {
        let draining = loop {
            match seeker.next().await.expect("first a word, then the end") {
                Some(Frame::Searching(_) | Frame::SecuringStakes(_)) => {}
                Some(Frame::Draining(draining)) => break draining,
                other => panic!("{} should be sent away: {other:?}", seeker.player.name),
            }
        };
        assert!(draining.reconnect_after_ms > 0);
        let end = seeker.next().await.expect_err("never a clean end");
        assert_eq!(end.code(), Code::Unavailable);
    }
    world.stop().await.expect("a stop is no failure");
    assert!(asked_at.elapsed() < STOP_MAX, "{:?}", asked_at.elapsed());

    world.start_again().await;
    let seekers = rejoin(&world, &pair).await;
    world.agree(pair.match_id).await;
    assert_one_game(&world, &pair, seekers).await;
}
