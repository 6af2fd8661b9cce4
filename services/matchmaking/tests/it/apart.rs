//! MATCH-14: who is kept apart, and who is kept out.

use event_store::StreamId;
use proto::matchmaking::v1::{
    BlockPlayerRequest, BlockedPlayer, CancelReason, ListBlockedPlayersRequest, PlayerBlocked,
    UnblockPlayerRequest,
};
use proto::wallet::v1::PlayerExcluded;
use test_kit::eventually;
use test_peer::refusal::{bad_fields, metadata, reason};
use test_peer::{PATIENCE, Visitor};
use tonic::{Code, Status};
use uuid::Uuid;

use crate::support::{Ask, World};

impl World {
    async fn block(&self, player: &Visitor, other: Uuid) -> Result<(), Status> {
        let request =
            BlockPlayerRequest { request_id: Uuid::now_v7().to_string(), player_id: other.to_string() };
        self.client().grpc.block_player(player.request(request)).await.map(|_| ())
    }

    async fn unblock(&self, player: &Visitor, other: Uuid) {
        let request =
            UnblockPlayerRequest { request_id: Uuid::now_v7().to_string(), player_id: other.to_string() };
        self.client().grpc.unblock_player(player.request(request)).await.expect("unblocked");
    }

    async fn blocked_by(&self, player: &Visitor) -> Vec<BlockedPlayer> {
        let request = player.request(ListBlockedPlayersRequest {});
        self.client().grpc.list_blocked_players(request).await.expect("listed").into_inner().players
    }

    /// The wallet says that a player keeps himself from playing.
    async fn exclude(&self, player: &Visitor, until_ms: i64) {
        let player_id = player.player_id.to_string();
        let event = PlayerExcluded { player_id, until_ms, excluded_at_ms: 1 };
        let stream = StreamId::new("standing", Uuid::new_v5(&player.player_id, b"standing"));
        self.wallet.publish(stream, "PlayerExcluded", &event).await;
    }
}

#[tokio::test]
async fn two_of_whom_one_has_blocked_the_other_meet_others_and_each_other_again_once_it_is_lifted() {
    let world = World::start().await;
    let [ada, ben, cai] = ["Ada", "Ben", "Cai"].map(|name| world.player(name));
    world.block(&ben, ada.player_id).await.expect("blocked");
    let mut first = world.searching(&ada).await;
    let mut second = world.searching(&ben).await;
    // Ada has waited longest and is nearest to both: without the block she would have met Ben.
    let mut third = world.searching(&cai).await;
    assert_eq!(first.opponent().await.1, cai.player_id);
    assert_eq!(third.opponent().await.1, ada.player_id);
    assert!(world.matches_of(&ben).await.is_empty());

    world.unblock(&ben, ada.player_id).await;
    assert_eq!(world.blocked_by(&ben).await, []);
    assert!(world.client().leave(&ada).await, "the match is not confirmed");
    drop((first, third));
    world.client().leave(&cai).await;
    let _again = world.searching(&ada).await;
    assert_eq!(second.opponent().await.1, ada.player_id);
}

#[tokio::test]
async fn a_list_of_blocked_players_is_its_owners_own_and_repeats_change_nothing() {
    let world = World::start().await;
    let (ada, ben) = (world.player("Ada"), world.player("Ben"));
    for _ in 0..2 {
        world.block(&ada, ben.player_id).await.expect("blocked");
    }
    let blocked: PlayerBlocked =
        world.matchmaking.event(Uuid::new_v5(&ada.player_id, b"blocks"), "PlayerBlocked").await;
    assert_eq!(blocked.blocked_player_id, ben.player_id.to_string());
    let listed = world.blocked_by(&ada).await;
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].player_id, ben.player_id.to_string());
    assert_eq!(listed[0].blocked_at_ms, blocked.blocked_at_ms);
    assert_eq!(world.blocked_by(&ben).await, []);
    let events: i64 = sqlx::query_scalar("select count(*) from events where type = 'PlayerBlocked'")
        .fetch_one(world.pool())
        .await
        .expect("the database answers");
    assert_eq!(events, 1);

    let himself = world.block(&ada, ada.player_id).await.expect_err("nobody can block himself");
    assert_eq!((himself.code(), bad_fields(&himself)), (Code::InvalidArgument, vec!["player_id".to_owned()]));
}

#[tokio::test]
async fn a_list_has_an_end() {
    let world = World::start().await;
    let ada = world.player("Ada");
    sqlx::query(
        "insert into blocked_players (player_id, blocked_id, blocked_at)
         select $1, gen_random_uuid(), now() from generate_series(1, 500)",
    )
    .bind(ada.player_id)
    .execute(world.pool())
    .await
    .expect("the database answers");
    let full = world.block(&ada, Uuid::now_v7()).await.expect_err("it is full");
    assert_eq!((full.code(), reason(&full).as_str()), (Code::FailedPrecondition, "TOO_MANY_BLOCKED"));
    assert_eq!(metadata(&full, "max").as_deref(), Some("500"));
}

#[tokio::test]
async fn who_is_barred_or_excludes_himself_while_he_waits_is_in_no_queue_any_more() {
    let world = World::start().await;
    let (ada, ben) = (world.player("Ada"), world.player("Ben"));
    // Apart in rating, so that they do not meet.
    world.rate([(&ada, 1500.0), (&ben, 1900.0)], 1).await;
    let mut first = world.searching(&ada).await;
    world.bar(&ada).await;
    assert_eq!(first.closed().await, CancelReason::Barred);
    let mut second = world.searching(&ben).await;
    world.exclude(&ben, 0).await;
    assert_eq!(second.closed().await, CancelReason::Excluded);
    let refused = world.client().join(&ben, &Ask::new()).await.err().expect("he has excluded himself");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::FailedPrecondition, "EXCLUDED"));
    // A shorter one that comes later shortens nothing.
    world.exclude(&ben, 1).await;
    let cai = world.player("Cai");
    world.exclude(&cai, 1).await;
    eventually(PATIENCE, || async {
        let heard: i64 = sqlx::query_scalar("select count(*) from excluded_players")
            .fetch_one(world.pool())
            .await
            .expect("the database answers");
        (heard == 2).then_some(())
    })
    .await;
    assert!(world.client().join(&ben, &Ask::new()).await.is_err(), "still for ever");
    world.searching(&cai).await;
}
