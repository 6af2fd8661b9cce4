//! The queues as operators see them.

use proto::matchmaking::v1::queue_service_client::QueueServiceClient;
use proto::matchmaking::v1::{ListQueuesRequest, QueueStanding};
use service_kit::auth::Role;
use test_kit::eventually;
use test_peer::{PATIENCE, Visitor};
use tonic::{Code, Status};
use uuid::Uuid;

use crate::support::World;

impl World {
    async fn queues(&self, caller: &Visitor) -> Result<Vec<QueueStanding>, Status> {
        let mut client = QueueServiceClient::new(self.channel());
        Ok(client.list_queues(caller.request(ListQueuesRequest {})).await?.into_inner().queues)
    }

    async fn queue(&self, city_id: &str, base_ms: i64) -> QueueStanding {
        let operator = self.keys.visitor(Uuid::now_v7(), "Olga", &[Role::Operator]);
        let mut queues = self.queues(&operator).await.expect("listed").into_iter();
        let is_it = |queue: &QueueStanding| {
            queue.city_id == city_id && queue.time_control.is_some_and(|clock| clock.base_ms == base_ms)
        };
        queues.find(is_it).expect("the city has such a queue")
    }
}

#[tokio::test]
async fn whoever_waits_is_shown_with_his_window_and_is_gone_when_he_has_left() {
    let mut world = World::start().await;
    let ada = world.player("Ada");
    let empty = world.queue("paris", 180_000).await;
    assert_eq!((empty.waiting, empty.tickets.len(), empty.recent_wait_ms), (0, 0, None));
    let seeker = world.searching(&ada).await;
    let queue = eventually(PATIENCE, || async {
        let queue = world.queue("paris", 180_000).await;
        (queue.waiting == 1).then_some(queue)
    })
    .await;
    let [ticket] = &queue.tickets[..] else { panic!("one ticket") };
    let player = ticket.player.clone().expect("a player");
    assert_eq!((player.player_id, player.name.as_str()), (ada.player_id.to_string(), "Ada"));
    assert_eq!(ticket.rating, 1_500);
    assert!((100..=250).contains(&ticket.window), "{}", ticket.window);
    assert_eq!(queue.city_name, "Paris");

    assert!(world.client().leave(&ada).await);
    eventually(PATIENCE, || async { (world.queue("paris", 180_000).await.waiting == 0).then_some(()) }).await;
    drop(seeker);
    world.stop().await.expect("it stops");
}

#[tokio::test]
async fn a_pair_that_was_made_counts_as_paired_and_waits_no_more() {
    let mut world = World::start().await;
    let _pair = world.proposed().await;
    let queue = world.queue("paris", 180_000).await;
    assert_eq!((queue.waiting, queue.recently_paired), (0, 2));
    world.stop().await.expect("it stops");
}

#[tokio::test]
async fn only_operators_see_the_queues_and_a_lost_store_is_said() {
    let mut world = World::start().await;
    for role in [Role::Player, Role::Computer, Role::Moderator] {
        let caller = world.keys.visitor(Uuid::now_v7(), "Eve", &[role]);
        assert_eq!(world.queues(&caller).await.expect_err("no operator").code(), Code::PermissionDenied);
    }
    world.kill_redis();
    let operator = world.keys.visitor(Uuid::now_v7(), "Olga", &[Role::Operator]);
    assert_eq!(world.queues(&operator).await.expect_err("no store").code(), Code::Unavailable);
    world.stop().await.expect("it stops");
}
