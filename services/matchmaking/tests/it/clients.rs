//! Clients that come twice, go away and come back.

use test_peer::refusal::{metadata, reason};
use tonic::Code;

use crate::support::{Ask, Pair, World};

// E01, MATCH-6
#[tokio::test]
async fn two_streams_of_one_player_follow_one_ticket_into_one_game() {
    let world = World::start().await;
    let (ada, client) = (world.player("Ada"), world.client());
    let (desk, phone) = (Ask::new(), Ask::new());
    let (desk, phone) = tokio::join!(client.join(&ada, &desk), client.join(&ada, &phone));
    let (mut desk, mut phone) = (desk.expect("a ticket"), phone.expect("the same"));
    assert_eq!(desk.searching().await.ticket_id, phone.searching().await.ticket_id);
    assert_eq!(client.city("paris").await.waiting, 1);

    let ben = world.player("Ben");
    let mut other = world.searching(&ben).await;
    let match_id = other.securing().await;
    assert_eq!((desk.securing().await, phone.securing().await), (match_id, match_id));
    world.agree(match_id).await;
    assert_eq!(desk.matched().await, phone.matched().await);
    assert_eq!(world.matches_of(&ada).await, [match_id]);
}

// E01
#[tokio::test]
async fn a_player_alone_who_comes_and_goes_and_comes_is_never_matched_with_himself() {
    let world = World::start().await;
    let (ada, client) = (world.player("Ada"), world.client());
    let mut seekers = Vec::new();
    for _ in 0..50 {
        seekers.push(world.searching(&ada).await);
        assert!(client.leave(&ada).await);
        seekers.push(world.searching(&ada).await);
        assert!(client.leave(&ada).await);
    }
    seekers.push(world.searching(&ada).await);
    assert_eq!(client.city("paris").await.waiting, 1);
    assert!(world.matches_of(&ada).await.is_empty());
}

// E02
#[tokio::test]
async fn a_second_request_gets_the_same_ticket_and_another_queue_is_refused() {
    let world = World::start().await;
    let ada = world.player("Ada");
    let mut first = world.client().join(&ada, &Ask::new()).await.expect("a ticket");
    let mut second = world.client().join(&ada, &Ask::new()).await.expect("the same");
    assert_eq!(first.searching().await.ticket_id, second.searching().await.ticket_id);

    let refused =
        world.client().join(&ada, &Ask::in_city("havana")).await.err().expect("one ticket a player");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::FailedPrecondition, "ALREADY_QUEUED"));
    assert_eq!(metadata(&refused, "city_id").as_deref(), Some("paris"));
    assert!(world.matches_of(&ada).await.is_empty());
}

// E06
#[tokio::test]
async fn joining_again_while_the_match_is_made_follows_it() {
    let world = World::start().await;
    let Pair { match_id, first, mut second } = world.proposed().await;
    let ada = first.player.clone();
    let mut again = world.client().join(&ada, &Ask::new()).await.expect("he has a ticket");
    assert_eq!(again.securing().await, match_id);
    let elsewhere = world.client().join(&ada, &Ask::in_city("havana")).await.err().expect("he is taken");
    assert_eq!(reason(&elsewhere), "ALREADY_QUEUED");

    world.agree(match_id).await;
    assert_eq!(again.matched().await.game_id, second.matched().await.game_id);
    assert_eq!(world.matches_of(&ada).await, [match_id]);
}

// E06, MATCH-7
#[tokio::test]
async fn the_request_that_led_to_a_game_is_answered_with_it_and_another_one_is_refused_until_it_is_over() {
    let world = World::start().await;
    let Pair { match_id, mut first, mut second } = world.proposed().await;
    // The stake is all he had; that must not keep him from his own game.
    world.reserve(match_id).await;
    world.hold_leaving(match_id, 0).await;
    world.begin(match_id).await;
    let game = first.matched().await;
    second.matched().await;
    let (ada, client) = (first.player.clone(), world.client());

    let mut same = client.join(&ada, &first.ask).await.expect("the first answer again");
    assert_eq!(same.matched().await, game);
    let refused = client.join(&ada, &Ask::new()).await.err().expect("a game of hers runs");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::FailedPrecondition, "IN_A_GAME"));
    assert_eq!(metadata(&refused, "game_id"), Some(game.game_id.clone()));

    world.end(match_id).await;
    world.until_status(match_id, "closed").await;
    let mut same = client.join(&ada, &first.ask).await.expect("the first answer again");
    assert_eq!(same.matched().await, game);
    assert_eq!(world.matches_of(&ada).await, [match_id], "no second stake");
    assert_eq!(client.city("paris").await.waiting, 0);
}

#[tokio::test]
async fn who_queues_in_the_moment_his_game_ends_is_let_in() {
    let world = World::start().await;
    let Pair { match_id, mut first, mut second } = world.proposed().await;
    world.agree(match_id).await;
    let _ = (first.matched().await, second.matched().await);
    // Not waited for: the join races with the news.
    world.end(match_id).await;
    world.searching(&first.player).await;
}

// Rejoining must not be refused because the stake that it is about is held.
#[tokio::test]
async fn a_stake_that_was_all_the_player_had_does_not_keep_him_from_his_match() {
    let world = World::start().await;
    let Pair { match_id, first, mut second } = world.proposed().await;
    world.reserve(match_id).await;
    world.hold_leaving(match_id, 0).await;
    world.until_status(match_id, "confirmed").await;
    let (ada, ask) = (first.player.clone(), first.ask);
    drop(first);
    let mut again = world.client().join(&ada, &ask).await.expect("it is his match");
    assert_eq!(again.securing().await, match_id);
    world.begin(match_id).await;
    assert_eq!(again.matched().await.game_id, second.matched().await.game_id);
}

// E07
#[tokio::test]
async fn a_player_whose_stream_is_gone_is_passed_over() {
    let world = World::start().await;
    let ghost = world.player("Ghost");
    drop(world.searching(&ghost).await);
    world.until_waiting("paris", 0).await;
    let (ada, ben) = (world.player("Ada"), world.player("Ben"));
    let mut first = world.searching(&ada).await;
    let mut second = world.searching(&ben).await;
    assert_eq!(first.opponent().await.1, ben.player_id);
    assert_eq!(second.opponent().await.1, ada.player_id);
    assert!(world.matches_of(&ghost).await.is_empty(), "nothing is staked for him");
    // He comes back within the grace and still has his ticket.
    let cai = world.player("Cai");
    let mut back = world.searching(&ghost).await;
    let mut third = world.searching(&cai).await;
    assert_eq!(back.securing().await, third.securing().await);
}

// E07
#[tokio::test]
async fn a_player_whose_stream_breaks_while_his_match_is_made_comes_back_to_his_game() {
    let world = World::start().await;
    let Pair { match_id, first, mut second } = world.proposed().await;
    let (ada, ask) = (first.player.clone(), first.ask);
    drop(first);
    world.agree(match_id).await;
    let game = second.matched().await;
    let mut again = world.client().join(&ada, &ask).await.expect("it is his game");
    assert_eq!(again.matched().await.game_id, game.game_id);
}
