//! Several instances share the games: whoever is asked, the owner answers; whoever owns, nobody notices when he changes.

use std::time::Duration;

use proto::game::v1::{self as pb, watch_game_response::Frame};
use tonic::{Code, Streaming};
use uuid::Uuid;

use crate::{
    harness::{Caller, PATIENCE, Stand, Table, reason, reason_metadata},
    lines,
};

/// Short, so that a test does not wait long for the end of a lease.
const LEASE_MS: u32 = 1_000;

/// A stand with a second instance, each owning its part.
async fn two(name: &str) -> Stand {
    let mut stand = Stand::start(name).await;
    stand.config.lease_ms = LEASE_MS;
    stand.join().await;
    both_own(&stand).await;
    stand
}

async fn both_own(stand: &Stand) {
    let owners = "select count(distinct i.name) from fences f join instances i on i.instance_id = f.holder
                  where i.expires_at > clock_timestamp()";
    test_kit::eventually(PATIENCE, || async {
        let count: i64 = sqlx::query_scalar(owners).fetch_one(stand.pool()).await.expect("a count");
        (count == 2).then_some(())
    })
    .await;
}

/// The name of the instance that owns a game.
async fn owner(stand: &Stand, game_id: Uuid) -> Option<String> {
    sqlx::query_scalar(
        "select i.name from fences f join instances i on i.instance_id = f.holder where f.fence = $1",
    )
    .bind(i32::from(game_id.as_bytes()[15]))
    .fetch_optional(stand.pool())
    .await
    .expect("an answer")
}

/// A game that has just begun and is owned by this instance.
async fn table_at(stand: &Stand, instance: &str) -> Table {
    let mut table = stand.seats();
    while owner(stand, table.game_id).await.as_deref() != Some(instance) {
        table = stand.seats();
    }
    stand.matchmaking.confirm(&crate::harness::proposal(&table)).await;
    stand.begun(&table).await;
    table
}

/// Plays plies from `first` on, each through the next of the callers.
async fn play_through(stand: &Stand, callers: &[Caller], table: &Table, plies: std::ops::Range<usize>) {
    let moves: Vec<&str> = lines::L7_100.split_whitespace().collect();
    for ply in plies {
        stand.clock.advance(100);
        let mover = if ply % 2 == 0 { &table.white } else { &table.black };
        let seen = u32::try_from(ply).expect("a short game");
        let (request_id, caller) = (Uuid::new_v4(), &callers[ply % callers.len()]);
        // As every client does: the same request again when it is told to.
        test_kit::eventually(PATIENCE, || async {
            match caller.play_as(mover, request_id, table.game_id, moves[ply], seen).await {
                Ok(_) => Some(()),
                Err(status) if status.code() == Code::Unavailable => None,
                Err(status) => panic!("ply {ply}: {status:?}"),
            }
        })
        .await;
    }
}

async fn nonce(stream: &mut Streaming<pb::WatchGameResponse>) -> u64 {
    loop {
        let frame = tokio::time::timeout(PATIENCE, stream.message()).await.expect("a frame comes");
        let frame = frame.expect("the stream is whole").expect("it goes on");
        if let Some(Frame::Heartbeat(pb::HeartbeatFrame { nonce: nonce @ 1.. })) = frame.frame {
            return nonce;
        }
    }
}

async fn sequences(stream: &mut Streaming<pb::WatchGameResponse>, last: u64) -> Vec<u64> {
    let mut seen = Vec::new();
    while seen.last() != Some(&last) {
        let frame = tokio::time::timeout(PATIENCE, stream.message()).await.expect("a frame comes");
        let frame = frame.expect("the stream is whole").expect("it goes on");
        if !matches!(frame.frame, Some(Frame::Heartbeat(_))) {
            seen.push(frame.sequence);
        }
    }
    seen
}

// GAME-15, GAME-16
#[tokio::test]
async fn commands_and_streams_reach_the_owner_through_every_instance() {
    let stand = two("through").await;
    let callers = [stand.caller(), stand.caller_of(0)];
    for instance in ["stand", "other-0"] {
        let table = table_at(&stand, instance).await;
        let mut streams = Vec::new();
        for caller in &callers {
            streams.push(caller.watch(table.game_id, Some(0)).await.expect("a stream"));
        }
        // White plays through one instance, Black through the other.
        play_through(&stand, &callers, &table, 0..12).await;
        for stream in &mut streams {
            assert_eq!(sequences(stream, 13).await, (1..=13).collect::<Vec<_>>(), "{instance}");
        }
        for caller in &callers {
            assert_eq!(caller.game(table.game_id).await.moves.len(), 12);
        }
        assert_eq!(stand.logged(&table, &["GameResumed"]).await, 0);
    }
}

// GAME-15, GAME-4
#[tokio::test]
async fn an_answer_is_the_same_through_every_instance() {
    let stand = two("answers").await;
    let callers = [stand.caller(), stand.caller_of(0)];
    let table = table_at(&stand, "other-0").await;
    let request_id = Uuid::new_v4();
    let first = callers[0].play_as(&table.white, request_id, table.game_id, "e2e4", 0).await.expect("played");
    for caller in &callers {
        let again = caller.play_as(&table.white, request_id, table.game_id, "e2e4", 0).await;
        assert_eq!(again.expect("the first answer"), first);
        let other = caller.play_as(&table.white, request_id, table.game_id, "d2d4", 0).await;
        assert_eq!(reason(&other.expect_err("another body")), "REQUEST_ID_REUSED");
        let turn = caller.play(&table.white, table.game_id, "d2d4", 1).await.expect_err("Black is on move");
        assert_eq!(reason(&turn), "NOT_YOUR_TURN");
        let illegal = caller.play(&table.black, table.game_id, "e7e4", 1).await.expect_err("illegal");
        assert_eq!((reason(&illegal).as_str(), illegal.code()), ("ILLEGAL_MOVE", Code::FailedPrecondition));
        assert_eq!(reason_metadata(&illegal, "uci").as_deref(), Some("e7e4"));
        let stale = caller.play(&table.black, table.game_id, "e7e5", 0).await.expect_err("stale");
        assert_eq!((reason(&stale).as_str(), stale.code()), ("PLY_STALE", Code::Aborted));
        assert_eq!(reason_metadata(&stale, "last_uci").as_deref(), Some("e2e4"));
        let stranger = caller.resign(&stand.player("Eve"), table.game_id).await.expect_err("a stranger");
        assert_eq!(stranger.code(), Code::PermissionDenied);
        let unknown = caller.resign(&table.white, Uuid::now_v7()).await.expect_err("no such game");
        assert_eq!(unknown.code(), Code::NotFound);
    }
    callers[0].resign(&table.black, table.game_id).await.expect("resigned");
    for caller in &callers {
        let over = caller.play(&table.black, table.game_id, "e7e5", 1).await.expect_err("game over");
        assert_eq!(reason_metadata(&over, "end_reason").as_deref(), Some("RESIGNATION"));
    }
}

// GAME-6, GAME-15, GAME-16
#[tokio::test]
async fn a_planned_stop_hands_every_game_over_and_costs_nobody_time() {
    let mut stand = two("planned").await;
    let moving = table_at(&stand, "other-0").await;
    let staying = table_at(&stand, "stand").await;
    let caller = stand.caller();
    let mut stream = caller.watch(moving.game_id, Some(0)).await.expect("a stream");
    for table in [&moving, &staying] {
        play_through(&stand, &[caller.clone(), stand.caller_of(0)], table, 0..6).await;
    }
    let before = caller.game(moving.game_id).await;
    stand.stop_other().await.expect("a clean stop");
    stand.clock.advance(500_000);
    let resumed = test_kit::eventually(PATIENCE, || async {
        Some(stand.logged(&moving, &["GameResumed"]).await).filter(|count| *count > 0)
    });
    assert_eq!(resumed.await, 1);
    assert_eq!(owner(&stand, moving.game_id).await.as_deref(), Some("stand"));
    play_through(&stand, std::slice::from_ref(&caller), &moving, 6..10).await;
    assert_eq!(sequences(&mut stream, 12).await, (1..=12).collect::<Vec<_>>());
    let after = caller.game(moving.game_id).await;
    assert_eq!((after.status(), after.moves.len()), (pb::GameStatus::Live, 10));
    assert!(before.white_clock_ms - after.moves[6].white_clock_ms < 1_000, "White was charged for the stop");
}

// GAME-2, GAME-6
#[tokio::test]
async fn a_crashed_instance_is_followed_when_its_lease_runs_out() {
    let mut stand = two("crashed").await;
    let table = table_at(&stand, "other-0").await;
    let caller = stand.caller();
    let mut stream = caller.watch(table.game_id, Some(0)).await.expect("a stream");
    play_through(&stand, &[caller.clone(), stand.caller_of(0)], &table, 0..7).await;
    stand.crash_other();
    play_through(&stand, std::slice::from_ref(&caller), &table, 7..9).await;
    assert_eq!(sequences(&mut stream, 11).await, (1..=11).collect::<Vec<_>>());
    assert_eq!(stand.logged(&table, &["GameResumed"]).await, 1);
    assert_eq!(stand.logged(&table, &["MovePlayed"]).await, 9);
    assert_eq!(owner(&stand, table.game_id).await.as_deref(), Some("stand"));
}

// GAME-2: the database decides, whatever a process believes of itself.
#[tokio::test]
async fn an_owner_whose_shard_was_taken_is_refused_and_drops_its_games() {
    let stand = Stand::start("stale").await;
    let table = stand.table().await;
    stand.play(&table, "e2e4 e7e5", 1_000).await;
    let (usurper, fence) = (Uuid::new_v4(), i32::from(table.game_id.as_bytes()[15]));
    sqlx::query("insert into instances values ('usurper', $1, clock_timestamp() + interval '6 seconds')")
        .bind(usurper)
        .execute(stand.pool())
        .await
        .expect("entered");
    sqlx::query("update fences set epoch = epoch + 1, holder = $1 where fence = $2")
        .bind(usurper)
        .bind(fence)
        .execute(stand.pool())
        .await
        .expect("taken");
    let request_id = Uuid::new_v4();
    let caller = stand.caller();
    let refused = caller.play_as(&table.white, request_id, table.game_id, "g1f3", 2).await;
    assert_eq!(refused.expect_err("nobody can write it").code(), Code::Unavailable);
    assert_eq!(stand.logged(&table, &["MovePlayed"]).await, 2);
    // The usurper does not renew; what it took comes back, and the same request is played once.
    let played = test_kit::eventually(PATIENCE, || async {
        caller.play_as(&table.white, request_id, table.game_id, "g1f3", 2).await.ok()
    })
    .await;
    assert_eq!(stand.logged(&table, &["MovePlayed"]).await, 3);
    assert_eq!(stand.logged(&table, &["GameResumed"]).await, 1);
    assert_eq!(played.sequence, 5, "the game stood still before the move");
}

// GAME-11, GAME-12
#[tokio::test]
async fn a_player_at_another_instance_is_there_and_his_network_is_measured() {
    let mut stand = two("present").await;
    let table = table_at(&stand, "stand").await;
    let other = stand.caller_of(0);
    let mut white = other.sit(&table.white, table.game_id).await;
    let mut moves = lines::L7_100.split_whitespace();
    let mut credited = 0;
    // A nonce that comes back here before the owner has heard of it measures nothing; the next one does.
    while credited == 0 {
        let nonce = nonce(&mut white).await;
        stand.clock.advance(300);
        stand.caller().pong(&table.white, table.game_id, nonce).await;
        let of_white = stand.play(&table, moves.next().expect("a move"), 2_000).await;
        credited = of_white.r#move.expect("a move").lag_credit_ms;
        stand.play(&table, moves.next().expect("a move"), 2_000).await;
    }
    assert!(credited <= 300, "credited {credited} ms");
    drop(white);
    let gone = test_kit::eventually(PATIENCE, || async {
        stand.clock.advance(250);
        Some(stand.logged(&table, &["PlayerGone"]).await).filter(|count| *count > 0)
    });
    assert_eq!(gone.await, 1);
    stand.stop_other().await.expect("a clean stop");
}

// GAME-3, GAME-13: a game begins wherever it is heard of, and its owner is told.
#[tokio::test]
async fn a_first_move_that_does_not_come_aborts_a_game_whoever_made_it() {
    let stand = two("first").await;
    let tables = [table_at(&stand, "stand").await, table_at(&stand, "other-0").await];
    // Without a call of anybody: the owners were told that the games began, and look at the clock.
    let all = test_kit::eventually(PATIENCE, || async {
        stand.clock.advance(2_000);
        let mut aborted = 0;
        for table in &tables {
            aborted += stand.logged(table, &["GameAborted"]).await;
        }
        (aborted == 2).then_some(())
    });
    all.await;
    tokio::time::timeout(Duration::from_secs(5), stand.ended(&tables[1])).await.expect("seen everywhere");
}
