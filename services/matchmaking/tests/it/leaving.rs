//! Leaving: while nothing is held for good, and not after.

use proto::matchmaking::v1::{CancelReason, MatchCancelled};
use proto::wallet::v1::RefusalReason;

use crate::support::{Ask, Pair, World};

#[tokio::test]
async fn who_searches_may_leave_and_his_stream_says_so_and_ends() {
    let world = World::start().await;
    let ada = world.player("Ada");
    let mut seeker = world.searching(&ada).await;
    assert!(world.client().leave(&ada).await);
    assert_eq!(seeker.closed().await, CancelReason::PlayerLeft);
    assert!(!world.client().leave(&ada).await, "leaving without a ticket is no error");
    assert!(world.matches_of(&ada).await.is_empty());
}

/// The first player leaves; the second is told and searches on with the wait he has served.
async fn assert_first_leaves(world: &World, pair: &mut Pair) {
    let ada = pair.first.player.clone();
    assert!(world.client().leave(&ada).await);
    assert_eq!(pair.failed().await.0.1, CancelReason::PlayerLeft);
    assert_eq!(pair.first.closed().await, CancelReason::PlayerLeft);
    let again = pair.second.searching().await;
    let proposal = world.proposal(pair.match_id).await;
    let queued_at_ms = proposal.white_queued_at_ms.max(proposal.black_queued_at_ms);
    assert!(again.waited_ms >= proposal.proposed_at_ms - queued_at_ms, "{again:?}");
    let cancelled: MatchCancelled = world.matchmaking.event(pair.match_id, "MatchCancelled").await;
    assert_eq!(cancelled.reason(), CancelReason::PlayerLeft);
    assert_eq!(cancelled.player_id, ada.player_id.to_string());
    let message = world.matchmaking.message(pair.match_id, "MatchCancelled").await;
    assert_eq!(message.metadata.actor, ada.player_id.to_string());
}

/// Somebody else comes and meets the one who was left; whatever was said of the cancelled match has been handled by then.
async fn assert_others_go_on(world: &World, pair: &Pair, story: &[&str]) {
    let cai = world.player("Cai");
    let mut third = world.searching(&cai).await;
    let (match_id, opponent) = third.opponent().await;
    assert_eq!(opponent, pair.second.player.player_id);
    world.agree(match_id).await;
    third.matched().await;
    assert_eq!(world.matchmaking.names(pair.match_id), story);
}

// MATCH-2: the answer that comes too late wakes nothing.
#[tokio::test]
async fn who_leaves_while_the_match_is_proposed_cancels_it() {
    let world = World::start().await;
    let mut pair = world.proposed().await;
    assert_first_leaves(&world, &mut pair).await;
    world.reserve(pair.match_id).await;
    assert_others_go_on(&world, &pair, &["MatchProposed", "MatchCancelled"]).await;
}

// MATCH-2, MATCH-4
#[tokio::test]
async fn who_leaves_while_the_stakes_are_requested_cancels_the_match() {
    let world = World::start().await;
    let mut pair = world.proposed().await;
    world.reserve(pair.match_id).await;
    world.until_status(pair.match_id, "stakes_requested").await;
    assert_first_leaves(&world, &mut pair).await;
    world.hold(pair.match_id).await;
    assert_others_go_on(&world, &pair, &["MatchProposed", "StakesRequested", "MatchCancelled"]).await;
}

// MATCH-3
#[tokio::test]
async fn nobody_leaves_a_confirmed_match() {
    let world = World::start().await;
    let Pair { match_id, mut first, mut second } = world.proposed().await;
    world.reserve(match_id).await;
    world.hold(match_id).await;
    world.until_status(match_id, "confirmed").await;
    assert!(!world.client().leave(&first.player).await);
    world.begin(match_id).await;
    assert_eq!(first.matched().await.game_id, second.matched().await.game_id);
    assert!(!world.client().leave(&first.player).await, "nor the game");
}

// MATCH-8: of two who leave at once one finds the match cancelled already. His ticket must not search on behind his back.
#[tokio::test]
async fn two_who_leave_one_match_at_once_are_both_out() {
    let world = World::start().await;
    for _ in 0..10 {
        let pair = world.proposed().await;
        let (ada, ben) = (pair.first.player.clone(), pair.second.player.clone());
        let client = world.client();
        let left = tokio::join!(client.leave(&ada), client.leave(&ben));
        assert_eq!(left, (true, true));
        assert_eq!((client.leave(&ada).await, client.leave(&ben).await), (false, false));
    }
    assert_eq!(world.client().city("paris").await.waiting, 0);
}

// MATCH-8: the refusal is in the log, the ticket has not heard of it; whoever leaves now is out all the same.
#[tokio::test]
async fn who_leaves_in_the_moment_of_a_refusal_is_out() {
    let world = World::start().await;
    for round in 0..10 {
        let mut pair = world.proposed().await;
        if round % 2 == 0 {
            world.refuse_pair(pair.match_id).await;
        } else {
            world.reserve(pair.match_id).await;
            world.refuse_stakes(pair.match_id, None, RefusalReason::Invalid).await;
        }
        // Not waited for: the leave races with the refusal.
        let ada = pair.first.player.clone();
        assert!(world.client().leave(&ada).await);
        let failed = pair.first.failed().await;
        assert_eq!(failed.0, pair.match_id);
        assert_eq!(pair.first.closed().await, CancelReason::PlayerLeft);
        assert_eq!(world.matches_of(&ada).await, [pair.match_id]);
        pair.second.failed().await;
        assert!(world.client().leave(&pair.second.player).await);
    }
}

#[tokio::test]
async fn who_has_left_may_queue_elsewhere() {
    let world = World::start().await;
    let ada = world.player("Ada");
    let _seeker = world.searching(&ada).await;
    assert!(world.client().leave(&ada).await);
    let mut seeker = world.client().join(&ada, &Ask::in_city("havana")).await.expect("she is free");
    seeker.searching().await;
    assert_eq!(world.client().city("havana").await.waiting, 1);
}
