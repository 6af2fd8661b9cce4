//! Redis dies with all tickets and comes back empty.

use std::time::{Duration, Instant};

use matchmaking::app::cities::TimeControl;
use matchmaking::app::tickets::{QueueKey, State};
use matchmaking::store::tickets::{Move, TicketStore};
use proto::matchmaking::v1::CancelReason;
use test_kit::eventually;
use test_peer::{PATIENCE, Visitor};
use uuid::Uuid;

use crate::support::{Ask, Client, Seeker, World};

/// H09: how long a match may take once Redis is back.
const MATCH_AFTER_RETURN_MAX: Duration = Duration::from_secs(10);

/// Rating points between the two of a pair: a little more than a new ticket's window, so that they meet after some twelve seconds.
const APART: f64 = 110.0;

const CITIES: [&str; 5] = ["paris", "havana", "reykjavik", "monte-carlo", "greenwich"];

impl World {
    async fn rated_apart(&self, number: u64) -> [Visitor; 2] {
        let pair = [self.player("Low"), self.player("High")];
        self.rate([(&pair[0], 1500.0), (&pair[1], 1500.0 + APART)], number).await;
        eventually(PATIENCE, || async {
            let known: i64 =
                sqlx::query_scalar("select count(*) from player_ratings where player_id = any($1)")
                    .bind(pair.each_ref().map(|player| player.player_id).to_vec())
                    .fetch_one(self.pool())
                    .await
                    .expect("the database answers");
            (known == 2).then_some(())
        })
        .await;
        pair
    }
}

// H09, MATCH-12: ten players in five queues at two instances, none of whom may meet before Redis dies.
#[tokio::test]
async fn ten_players_are_matched_within_ten_seconds_of_redis_return() {
    let mut world = World::start().await;
    let second = world.another().await;
    let clients = [world.client(), Client::of(&second)];
    let mut seekers: Vec<Seeker> = Vec::new();
    for (city_id, number) in CITIES.into_iter().zip(1..) {
        for (player, client) in world.rated_apart(number).await.iter().zip(&clients) {
            seekers.push(client.join(player, &Ask::in_city(city_id)).await.expect("a ticket"));
        }
    }
    let mut tickets = Vec::new();
    for seeker in &mut seekers {
        tickets.push(seeker.searching().await.ticket_id);
    }
    // The window of the last to come begins to widen: the pairs are about to meet, and then there is no Redis.
    while seekers.last_mut().expect("ten").searching().await.window == 100 {}
    world.kill_redis();
    for seeker in &seekers {
        assert!(world.matches_of(&seeker.player).await.is_empty(), "too early");
    }
    world.restart_redis();
    let returned_at = Instant::now();

    let mut matches = Vec::new();
    for (seeker, ticket_id) in seekers.iter_mut().zip(&tickets) {
        let (match_id, waited) = seeker.securing_with_ticket(ticket_id).await;
        assert!(waited, "{} heard of another ticket", seeker.player.name);
        matches.push(match_id);
    }
    let took = returned_at.elapsed();
    assert!(took < MATCH_AFTER_RETURN_MAX, "{took:?}");
    for pair in matches.chunks(2) {
        assert_eq!(pair[0], pair[1]);
    }
    for (seeker, match_id) in seekers.iter().zip(&matches) {
        assert_eq!(world.matches_of(&seeker.player).await, [*match_id], "neither lost nor doubled");
    }
}

// MATCH-8: what was left while Redis had forgotten it does not come back.
#[tokio::test]
async fn who_leaves_before_the_tickets_are_put_back_stays_out() {
    let mut world = World::start().await;
    let second = world.another().await;
    let there = Client::of(&second);
    let ada = world.player("Ada");
    let mut seeker = world.searching(&ada).await;
    world.kill_redis();
    let down = there.leave_answer(&ada).await.expect_err("whether there is a ticket cannot be said");
    assert_eq!(down.code(), tonic::Code::Unavailable);
    world.restart_redis();
    // The other instance knows nothing of her, and Redis may not know her yet; the answer may be either, and she is out.
    eventually(PATIENCE, || async { there.leave_answer(&ada).await.ok() }).await;
    assert_eq!(seeker.closed().await, CancelReason::PlayerLeft);
    let mut other = world.searching(&world.player("Ben")).await;
    assert_eq!(there.city("paris").await.waiting, 1);
    assert!(world.matches_of(&ada).await.is_empty());
    assert!(there.leave(&other.player.clone()).await);
    assert_eq!(other.closed().await, CancelReason::PlayerLeft);
}

#[tokio::test]
async fn a_match_that_is_being_made_needs_no_redis() {
    let mut world = World::start().await;
    let mut pair = world.proposed().await;
    world.kill_redis();
    // While Redis is gone a stream hears nothing but what it asks for again.
    world.agree(pair.match_id).await;
    world.until_status(pair.match_id, "started").await;
    let mut again = world.client().join(&pair.first.player, &pair.first.ask).await.expect("it is her game");
    let game = again.matched().await;
    world.restart_redis();
    assert_eq!(pair.second.matched().await.game_id, game.game_id);
}

// A leader dies between the claim of two tickets and the writing of their match.
#[tokio::test]
async fn tickets_that_were_claimed_for_a_match_that_nobody_wrote_search_on() {
    let world = World::start().await;
    let (ada, ben) = (world.player("Ada"), world.player("Ben"));
    let mut first = world.searching(&ada).await;
    let store = TicketStore::new(&world.redis_url(), Uuid::now_v7()).expect("an address");
    let queue =
        QueueKey { city_id: "paris".to_owned(), time_control: TimeControl::minutes_plus_seconds(3, 2) };
    let claim = Move {
        player_id: ada.player_id,
        queue: &queue,
        from: State::Searching,
        to: State::InMatch(Uuid::now_v7()),
        search: None,
    };
    assert!(store.change(claim).await.expect("Redis answers"));
    let mut second = world.searching(&ben).await;
    assert_eq!(first.securing().await, second.securing().await);
}
