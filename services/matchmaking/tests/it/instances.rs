//! Two instances on one database, broker and Redis.

use std::time::{Duration, Instant};

use proto::matchmaking::v1::CancelReason;
use test_kit::eventually;
use test_peer::refusal::{metadata, reason};
use test_peer::{PATIENCE, Visitor};
use tonic::Code;
use uuid::Uuid;

use crate::support::{Ask, Client, Seeker, World};

async fn join(client: &Client, player: &Visitor) -> Seeker {
    client.join(player, &Ask::new()).await.expect("a ticket")
}

async fn searching(client: &Client, player: &Visitor) -> Seeker {
    let mut seeker = join(client, player).await;
    seeker.searching().await;
    seeker
}

#[tokio::test]
async fn players_at_two_instances_share_a_queue_and_its_counts() {
    let world = World::start().await;
    let second = world.another().await;
    let (here, there) = (world.client(), Client::of(&second));
    let (ada, ben) = (world.player("Ada"), world.player("Ben"));
    let mut first = searching(&here, &ada).await;
    assert_eq!(there.city("paris").await.waiting, 1, "counted at either instance");
    let mut other = join(&there, &ben).await;
    let match_id = first.securing().await;
    assert_eq!(other.securing().await, match_id);
    assert_eq!((here.city("paris").await.waiting, there.city("paris").await.waiting), (0, 0));
    world.agree(match_id).await;
    assert_eq!(first.matched().await.game_id, other.matched().await.game_id);
    assert_eq!((here.city("paris").await.playing, there.city("paris").await.playing), (1, 1));
}

// The answers of the other services reach one instance; a stream at the other hears of them all the same.
#[tokio::test]
async fn a_stream_at_either_instance_gets_to_the_game() {
    let world = World::start().await;
    let there = world.another().await;
    let pair = world.proposed().await;
    let mut seekers = vec![pair.first, pair.second];
    for index in 0..2 {
        let (player, ask) = (seekers[index].player.clone(), seekers[index].ask);
        seekers.push(Client::of(&there).join(&player, &ask).await.expect("it is his match"));
    }
    world.agree(pair.match_id).await;
    let mut games = Vec::new();
    for mut seeker in seekers {
        games.push(seeker.matched().await.game_id);
    }
    games.dedup();
    assert_eq!(games.len(), 1);
}

// MATCH-8
#[tokio::test]
async fn leaving_at_one_instance_closes_the_stream_at_the_other() {
    let world = World::start().await;
    let second = world.another().await;
    let (here, there) = (world.client(), Client::of(&second));
    let ada = world.player("Ada");
    let mut seeker = searching(&here, &ada).await;
    assert!(there.leave(&ada).await);
    assert_eq!(seeker.closed().await, CancelReason::PlayerLeft);
    assert_eq!(there.city("paris").await.waiting, 0);
    assert!(!here.leave(&ada).await);
}

// The one that leads the queue dies; nobody queues again for that.
#[tokio::test]
async fn when_the_leader_of_a_queue_dies_another_instance_pairs_on() {
    let mut world = World::start().await;
    // This pair is made by the first instance, which leads the queue from then on.
    let pair = world.proposed().await;
    drop(pair);
    let second = world.another().await;
    let there = Client::of(&second);
    let (ada, ben) = (world.player("Ada"), world.player("Ben"));
    let mut first = searching(&there, &ada).await;
    world.crash();
    let died_at = Instant::now();
    let mut other = join(&there, &ben).await;
    assert_eq!(first.securing().await, other.securing().await);
    assert!(died_at.elapsed() < Duration::from_secs(10), "{:?}", died_at.elapsed());
}

// A ticket survives a dropped stream, and the instance at which it was: it is resumed by its id with the wait it has served.
#[tokio::test]
async fn a_ticket_is_resumed_by_its_id_at_another_instance() {
    let mut world = World::start().await;
    let second = world.another().await;
    let there = Client::of(&second);
    let ada = world.player("Ada");
    let mut seeker = join(&world.client(), &ada).await;
    let before = seeker.searching().await;
    drop(seeker);
    world.crash();

    let ticket_id: Uuid = before.ticket_id.parse().expect("an id");
    let ask = Ask { ticket_id: Some(ticket_id), ..Ask::new() };
    let mut again = there.join(&ada, &ask).await.expect("it is kept");
    let after = again.searching().await;
    assert_eq!(after.ticket_id, before.ticket_id);
    let ben = world.player("Ben");
    let mut other = join(&there, &ben).await;
    assert_eq!(again.securing().await, other.securing().await);
}

#[tokio::test]
async fn a_ticket_that_was_left_is_not_resumed() {
    let world = World::start().await;
    let (ada, client) = (world.player("Ada"), world.client());
    let mut seeker = join(&client, &ada).await;
    let ticket_id: Uuid = seeker.searching().await.ticket_id.parse().expect("an id");
    assert!(client.leave(&ada).await);
    let ask = Ask { ticket_id: Some(ticket_id), ..Ask::new() };
    let refused = client.join(&ada, &ask).await.err().expect("she has left");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::NotFound, "TICKET_GONE"));
    assert_eq!(metadata(&refused, "ticket_id"), Some(ticket_id.to_string()));
    assert_eq!(client.city("paris").await.waiting, 0);
}

// E07: an instance dies with the streams it had; whoever does not come back is not paired.
#[tokio::test]
async fn a_player_whose_instance_died_is_passed_over_once_nobody_vouches_for_him() {
    let mut world = World::start().await;
    let second = world.another().await;
    let there = Client::of(&second);
    let ghost = world.player("Ghost");
    let _stream = searching(&world.client(), &ghost).await;
    world.crash();
    eventually(PATIENCE, || async { (there.city("paris").await.waiting == 0).then_some(()) }).await;
    let (ada, ben) = (world.player("Ada"), world.player("Ben"));
    let (mut first, mut other) = (searching(&there, &ada).await, join(&there, &ben).await);
    assert_eq!(first.opponent().await.1, ben.player_id);
    assert_eq!(other.opponent().await.1, ada.player_id);
    assert!(world.matches_of(&ghost).await.is_empty());
}
