//! Answers that come twice, too early or too late.

use event_store::StreamId;
use proto::fairplay::v1::PairingReserved;
use proto::matchmaking::v1::StakesRequested;
use test_kit::eventually;
use test_peer::PATIENCE;

use crate::support::{Pair, World, story::today};

async fn assert_nothing_is_parked(world: &World) {
    let parked: i64 = sqlx::query_scalar("select count(*) from dead_letters")
        .fetch_one(world.pool())
        .await
        .expect("the database answers");
    assert_eq!(parked, 0);
}

// MATCH-1
#[tokio::test]
async fn every_answer_may_come_twice() {
    let world = World::start().await;
    let Pair { match_id, mut first, mut second } = world.proposed().await;
    for _ in 0..2 {
        world.reserve(match_id).await;
    }
    for _ in 0..2 {
        world.hold(match_id).await;
    }
    for _ in 0..2 {
        world.begin(match_id).await;
    }
    assert_eq!(first.matched().await.game_id, second.matched().await.game_id);
    // An answer to a question of long ago, and the end twice.
    world.reserve(match_id).await;
    for _ in 0..2 {
        world.end(match_id).await;
    }
    world.until_status(match_id, "closed").await;
    // Another match goes its way after all that, on the same streams of consumers.
    let Pair { match_id: next, mut first, mut second } = world.proposed().await;
    world.agree(next).await;
    let _ = (first.matched().await, second.matched().await);
    world.matchmaking.message(next, "MatchStarted").await;
    world.matchmaking.message(match_id, "MatchClosed").await;
    let story = world.matchmaking.names(match_id);
    assert_eq!(story, ["MatchProposed", "StakesRequested", "MatchConfirmed", "MatchStarted", "MatchClosed"]);
    assert_nothing_is_parked(&world).await;
}

// The wallet's answer overtakes fair-play's: it waits for its turn and is not lost.
#[tokio::test]
async fn an_answer_that_comes_before_its_question_is_taken_when_its_time_comes() {
    let world = World::start().await;
    let Pair { match_id, mut first, mut second } = world.proposed().await;
    let proposal = world.proposal(match_id).await;
    let player = |player: Option<proto::types::v1::Player>| player.expect("two sides").player_id;
    let asked = StakesRequested {
        match_id: match_id.to_string(),
        game_id: proposal.game_id,
        white_player_id: player(proposal.white),
        black_player_id: player(proposal.black),
        stake: proposal.stake,
        fee_basis_points: proposal.fee_basis_points,
    };
    world.say_held(&asked, 0).await;
    world.reserve(match_id).await;
    world.begin(match_id).await;
    assert_eq!(first.matched().await.game_id, second.matched().await.game_id);
    world.matchmaking.message(match_id, "MatchStarted").await;
    assert_eq!(
        world.matchmaking.names(match_id),
        ["MatchProposed", "StakesRequested", "MatchConfirmed", "MatchStarted"]
    );
}

// BUS-6: what cannot be understood is parked and keeps nobody else waiting.
#[tokio::test]
async fn an_answer_that_makes_no_sense_is_parked_and_others_go_on() {
    let world = World::start().await;
    let Pair { match_id, mut first, mut second } = world.proposed().await;
    let nonsense =
        PairingReserved { match_id: "not an id".to_owned(), day: today(), ..PairingReserved::default() };
    let stream = StreamId::new("pair", uuid::Uuid::now_v7());
    world.fairplay.publish(stream, "PairingReserved", &nonsense).await;
    world.agree(match_id).await;
    assert_eq!(first.matched().await.game_id, second.matched().await.game_id);
    eventually(PATIENCE, || async {
        let reasons: Vec<String> = sqlx::query_scalar("select reason from dead_letters where stream_id = $1")
            .bind(stream.id)
            .fetch_all(world.pool())
            .await
            .expect("the database answers");
        (reasons == ["fault"]).then_some(())
    })
    .await;
}

// A deposit and a hold come by two consumers: the later balance counts, whichever is heard last.
#[tokio::test]
async fn an_older_balance_that_comes_late_does_not_lock_a_player_out() {
    let world = World::start().await;
    let Pair { match_id, mut first, mut second } = world.proposed().await;
    world.reserve(match_id).await;
    world.hold_leaving(match_id, 0).await;
    world.begin(match_id).await;
    let _ = (first.matched().await, second.matched().await);
    let ada = first.player.clone();
    // Written down after the hold, and then the hold is heard of again.
    world.deposit(&ada, 70_000).await;
    let available = async || {
        sqlx::query_scalar::<_, i64>("select available from player_balances where player_id = $1")
            .bind(ada.player_id)
            .fetch_one(world.pool())
            .await
            .expect("the database answers")
    };
    eventually(PATIENCE, || async { (available().await == 70_000).then_some(()) }).await;
    sqlx::query("update inbox set version = 0 where consumer = 'matchmaking_stakes' and stream_id = $1")
        .bind(match_id)
        .execute(world.pool())
        .await
        .expect("the database answers");
    event_bus::republish(world.wallet.pool(), time::OffsetDateTime::UNIX_EPOCH)
        .await
        .expect("the log can be sent again");
    let heard_again = "select version from inbox where consumer = 'matchmaking_stakes' and stream_id = $1";
    eventually(PATIENCE, || async {
        let version: i64 = sqlx::query_scalar(heard_again)
            .bind(match_id)
            .fetch_one(world.pool())
            .await
            .expect("the database answers");
        (version == 1).then_some(())
    })
    .await;
    assert_eq!(available().await, 70_000);
}
