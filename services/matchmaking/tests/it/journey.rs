//! From two tickets to a game, and the ways on which that comes to nothing.

use proto::matchmaking::v1::{CancelReason, MatchCancelled, Matched};
use proto::types::v1::{Color, Money};
use proto::wallet::v1::RefusalReason;
use uuid::Uuid;

use crate::support::{Pair, World};

const WHOLE_STORY: [&str; 5] =
    ["MatchProposed", "StakesRequested", "MatchConfirmed", "MatchStarted", "MatchClosed"];

fn names(matched: &Matched) -> (Color, &str) {
    (matched.color(), matched.opponent.as_ref().map(|opponent| opponent.name.as_str()).unwrap_or_default())
}

#[tokio::test]
async fn two_who_queue_get_one_game_with_opposite_colours_and_the_match_closes_with_it() {
    let world = World::start().await;
    let Pair { match_id, mut first, mut second } = world.proposed().await;
    world.agree(match_id).await;
    let (ada, ben) = (first.matched().await, second.matched().await);

    assert_eq!(ada.game_id, ben.game_id);
    assert_eq!(
        (ada.match_id.as_str(), ben.match_id.as_str()),
        (&*match_id.to_string(), &*match_id.to_string())
    );
    let ((ada_color, ada_meets), (ben_color, ben_meets)) = (names(&ada), names(&ben));
    assert_eq!((ada_meets, ben_meets), ("Ben", "Ada"));
    let colors = [ada_color, ben_color];
    assert!(colors.contains(&Color::White) && colors.contains(&Color::Black), "{colors:?}");

    let proposal = world.proposal(match_id).await;
    assert_eq!(proposal.game_id, ada.game_id);
    assert_eq!(proposal.stake, Some(Money { minor_units: 500, currency: "XPL".to_owned() }));
    assert_eq!((proposal.fee_basis_points, proposal.time_scale), (500, 1));
    assert_eq!((proposal.city_id.as_str(), proposal.rule_set.as_str()), ("paris", "city"));
    let white = proposal.white.expect("a match has two sides");
    assert_eq!(white.name, if ada_color == Color::White { "Ada" } else { "Ben" });

    world.end(match_id).await;
    for (name, version) in WHOLE_STORY.into_iter().zip(1..) {
        let message = world.matchmaking.message(match_id, name).await;
        assert_eq!((message.version, message.follows), (version, version - 1), "{name}");
        assert_eq!(message.metadata.correlation_id, match_id);
    }
    assert_eq!(world.matchmaking.names(match_id), WHOLE_STORY);
}

#[tokio::test]
async fn an_aborted_game_closes_its_match_and_frees_both_players() {
    let world = World::start().await;
    let Pair { match_id, mut first, mut second } = world.proposed().await;
    world.agree(match_id).await;
    let _ = (first.matched().await, second.matched().await);
    world.abort(match_id).await;
    world.until_status(match_id, "closed").await;
    // An aborted game is no encounter: nothing keeps the two from each other.
    let mut first = world.searching(&first.player).await;
    let mut second = world.searching(&second.player).await;
    let again = first.securing().await;
    assert_eq!(second.securing().await, again);
    assert_ne!(again, match_id);
}

// E14
#[tokio::test]
async fn a_pair_that_fair_play_refuses_searches_on_and_is_not_proposed_again_that_day() {
    let world = World::start().await;
    let mut pair = world.proposed().await;
    world.refuse_pair(pair.match_id).await;
    let (ada, ben) = pair.failed().await;
    assert_eq!((ada.1, ben.1), (CancelReason::PairLimitReached, CancelReason::PairLimitReached));
    pair.first.searching().await;
    pair.second.searching().await;
    // Tickets forget, the projection does not: the same after both have left and come back.
    let (ada, ben) = (pair.first.player.clone(), pair.second.player.clone());
    assert!(world.client().leave(&ada).await && world.client().leave(&ben).await);
    let mut first = world.searching(&ada).await;
    let _second = world.searching(&ben).await;

    let cai = world.player("Cai");
    let mut third = world.searching(&cai).await;
    let (match_id, opponent) = third.opponent().await;
    assert_eq!(opponent, ada.player_id, "the one who has waited longest");
    assert_eq!(first.securing().await, match_id);
    assert_eq!(world.matches_of(&ben).await, [pair.match_id]);
}

#[tokio::test]
async fn who_cannot_pay_is_out_and_the_other_searches_on_without_a_word_about_the_purse() {
    let world = World::start().await;
    let mut pair = world.proposed().await;
    world.reserve(pair.match_id).await;
    let ben = pair.second.player.clone();
    world.refuse_stakes(pair.match_id, Some(&ben), RefusalReason::InsufficientFunds).await;

    assert_eq!(pair.second.failed().await, (pair.match_id, CancelReason::InsufficientFunds));
    assert_eq!(pair.second.closed().await, CancelReason::InsufficientFunds);
    assert_eq!(pair.first.failed().await, (pair.match_id, CancelReason::StakesRefused));
    let again = pair.first.searching().await;

    let proposal = world.proposal(pair.match_id).await;
    let white = proposal.white.expect("a match has two sides").player_id;
    let is_white = white == pair.first.player.player_id.to_string();
    let queued_at_ms = if is_white { proposal.white_queued_at_ms } else { proposal.black_queued_at_ms };
    assert!(again.waited_ms >= proposal.proposed_at_ms - queued_at_ms, "the wait counts on: {again:?}");
    // It was not her purse: she meets the next one at once.
    let cai = world.player("Cai");
    let mut third = world.searching(&cai).await;
    let (next, opponent) = third.opponent().await;
    assert_eq!(opponent, pair.first.player.player_id);
    let proposal = world.proposal(next).await;
    let joined_at_ms = proposal.white_queued_at_ms.max(proposal.black_queued_at_ms);
    assert!(proposal.proposed_at_ms - joined_at_ms < 2_000, "{proposal:?}");
    assert!(!world.client().leave(&ben).await, "he has no ticket any more");
}

#[tokio::test]
async fn stakes_that_are_refused_for_nobodys_fault_send_both_back_to_the_queue() {
    let world = World::start().await;
    let mut pair = world.proposed().await;
    world.reserve(pair.match_id).await;
    world.refuse_stakes(pair.match_id, None, RefusalReason::Invalid).await;
    let (ada, ben) = pair.failed().await;
    assert_eq!((ada.1, ben.1), (CancelReason::StakesRefused, CancelReason::StakesRefused));
    pair.first.searching().await;
    pair.second.searching().await;
}

async fn let_it_be_due(world: &World, match_id: Uuid) {
    sqlx::query("update matches set due_at = now() - interval '1 second' where match_id = $1")
        .bind(match_id)
        .execute(world.pool())
        .await
        .expect("the database answers");
}

async fn assert_given_up(world: &World, pair: &mut Pair) {
    let (ada, ben) = pair.failed().await;
    assert_eq!((ada.1, ben.1), (CancelReason::TimedOut, CancelReason::TimedOut));
    pair.first.searching().await;
    pair.second.searching().await;
    let cancelled: MatchCancelled = world.matchmaking.event(pair.match_id, "MatchCancelled").await;
    assert_eq!((cancelled.reason(), cancelled.player_id.as_str()), (CancelReason::TimedOut, ""));
    assert!(!cancelled.white_player_id.is_empty() && !cancelled.black_player_id.is_empty());
}

#[tokio::test]
async fn a_match_that_fair_play_does_not_answer_is_given_up() {
    let world = World::start().await;
    let mut pair = world.proposed().await;
    let_it_be_due(&world, pair.match_id).await;
    assert_given_up(&world, &mut pair).await;
}

// MATCH-3: the same clock that gives up a waiting match leaves a confirmed one alone.
#[tokio::test]
async fn a_match_that_the_wallet_does_not_answer_is_given_up_and_a_confirmed_one_is_not() {
    let world = World::start().await;
    let Pair { match_id: confirmed, mut first, mut second } = world.proposed().await;
    world.reserve(confirmed).await;
    world.hold(confirmed).await;
    world.until_status(confirmed, "confirmed").await;
    let mut pair = world.proposed().await;
    world.reserve(pair.match_id).await;
    world.until_status(pair.match_id, "stakes_requested").await;

    let_it_be_due(&world, confirmed).await;
    let_it_be_due(&world, pair.match_id).await;
    assert_given_up(&world, &mut pair).await;
    world.begin(confirmed).await;
    assert_eq!(first.matched().await.game_id, second.matched().await.game_id);
}

#[tokio::test]
async fn cities_tell_how_many_wait_and_play() {
    let world = World::start().await;
    let counts = async || {
        let city = world.client().city("paris").await;
        (city.waiting, city.playing)
    };
    assert_eq!(counts().await, (0, 0));
    let ada = world.player("Ada");
    let mut first = world.searching(&ada).await;
    assert_eq!(counts().await, (1, 0));
    let ben = world.player("Ben");
    let _second = world.searching(&ben).await;
    let match_id = first.securing().await;
    assert_eq!(counts().await, (0, 0), "they wait no more and do not play yet");
    world.agree(match_id).await;
    first.matched().await;
    assert_eq!(counts().await, (0, 1));
    assert_eq!(world.client().city("havana").await.playing, 0);
    world.end(match_id).await;
    world.until_status(match_id, "closed").await;
    assert_eq!(counts().await, (0, 0));
}
