//! A player's open stream is his presence; who is gone too long on his own turn loses, and nobody has to claim it.

use proto::{
    game::v1::{self as pb, watch_game_response::Frame},
    types::v1::{Color, TimeControl},
};
use tonic::Streaming;

use crate::harness::{PATIENCE, Stand, Table, reason};

const BLITZ: Option<TimeControl> = Some(TimeControl { base_ms: 180_000, increment_ms: 2_000 });

type Stream = Streaming<pb::WatchGameResponse>;

/// Waits until the log says that somebody went or came back, turning the clock a little at a time.
async fn noted(stand: &Stand, table: &Table, kind: &str, count: i64) {
    test_kit::eventually(PATIENCE, || async {
        stand.clock.advance(250);
        (stand.logged(table, &[kind]).await == count).then_some(())
    })
    .await;
}

/// The next frame of interest.
async fn until(stream: &mut Stream, wanted: impl Fn(&Frame) -> bool) -> pb::WatchGameResponse {
    loop {
        let frame = tokio::time::timeout(PATIENCE, stream.message()).await.expect("a frame comes");
        let frame = frame.expect("the stream is whole").expect("it goes on");
        if frame.frame.as_ref().is_some_and(&wanted) {
            return frame;
        }
    }
}

/// The stream of somebody whose presence has arrived: a snapshot, then his first nonce.
async fn seated(stand: &Stand, table: &Table, player: &crate::harness::Player) -> Stream {
    let mut stream = stand.caller().sit(player, table.game_id).await;
    until(&mut stream, |frame| matches!(frame, Frame::Heartbeat(beat) if beat.nonce != 0)).await;
    stream
}

// B21, B22: there is no claim; the count runs by itself and coming back stops it.
#[tokio::test]
async fn who_is_gone_for_a_minute_on_his_own_turn_loses_and_coming_back_stops_the_count() {
    let stand = Stand::start("gone_city").await;
    let table = stand.table().await;
    stand.play(&table, "e2e4 e7e5", 1_000).await;
    let white = seated(&stand, &table, &table.white).await;
    let mut black = seated(&stand, &table, &table.black).await;

    drop(white);
    noted(&stand, &table, "PlayerGone", 1).await;
    let gone = until(&mut black, |frame| matches!(frame, Frame::PlayerGone(_))).await;
    let Some(Frame::PlayerGone(said)) = gone.frame else { unreachable!() };
    assert_eq!((said.by(), said.loses_after_ms), (Color::White, 60_000));
    assert_eq!(gone.abandonment_at_ms, said.gone_since_ms + 60_000, "White is on move");
    let game = stand.caller().game(table.game_id).await;
    assert_eq!((game.white_gone_since_ms, game.black_gone_since_ms), (said.gone_since_ms, 0));
    assert_eq!(game.abandonment_at_ms, gone.abandonment_at_ms);

    let white = seated(&stand, &table, &table.white).await;
    noted(&stand, &table, "PlayerBack", 1).await;
    let back = until(&mut black, |frame| matches!(frame, Frame::PlayerBack(_))).await;
    assert_eq!(back.abandonment_at_ms, 0);
    stand.clock.advance(90_000);
    assert_eq!(stand.caller().game(table.game_id).await.status(), pb::GameStatus::Live);

    drop(white);
    noted(&stand, &table, "PlayerGone", 2).await;
    let since_ms = stand.caller().game(table.game_id).await.white_gone_since_ms;
    stand.clock.advance(since_ms + 60_000 - stand.now_ms());
    let ended = stand.ended(&table).await;
    assert_eq!((ended.result(), ended.end_reason()), (pb::GameResult::BlackWins, pb::EndReason::Abandonment));
    assert_eq!(ended.ended_at_ms, since_ms + 60_000, "at the instant itself");
    let late = stand.caller().play(&table.white, table.game_id, "g1f3", 2).await.expect_err("game over");
    assert_eq!(reason(&late), "GAME_OVER");
}

#[tokio::test]
async fn the_count_begins_with_the_turn_and_every_frame_carries_it() {
    let stand = Stand::start("gone_turn").await;
    let table = stand.table().await;
    stand.play(&table, "e2e4 e7e5", 1_000).await;
    let mut white = seated(&stand, &table, &table.white).await;
    let black = seated(&stand, &table, &table.black).await;
    drop(black);
    noted(&stand, &table, "PlayerGone", 1).await;
    let gone = until(&mut white, |frame| matches!(frame, Frame::PlayerGone(_))).await;
    assert_eq!(gone.abandonment_at_ms, 0, "White is on move");
    stand.play(&table, "g1f3", 30_000).await;
    let turn_ms = stand.now_ms();
    let moved = until(&mut white, |frame| matches!(frame, Frame::Move(_))).await;
    assert_eq!(moved.abandonment_at_ms, turn_ms + 60_000);
    let beat = until(&mut white, |frame| matches!(frame, Frame::Heartbeat(_))).await;
    assert_eq!(beat.abandonment_at_ms, turn_ms + 60_000, "the countdown goes on in heartbeats");
    stand.clock.advance(60_000);
    let ended = stand.ended(&table).await;
    assert_eq!((ended.result(), ended.end_reason()), (pb::GameResult::WhiteWins, pb::EndReason::Abandonment));
}

#[tokio::test]
async fn a_reload_is_no_going_and_a_second_tab_is_presence_too() {
    let stand = Stand::start("reload").await;
    let table = stand.table().await;
    stand.play(&table, "e2e4 e7e5", 1_000).await;
    let first = seated(&stand, &table, &table.white).await;
    let second = seated(&stand, &table, &table.white).await;
    drop(first);
    stand.clock.advance(100_000);
    drop(second);
    let third = seated(&stand, &table, &table.white).await;
    stand.clock.advance(50_000);
    stand.play(&table, "g1f3", 0).await;
    assert_eq!(stand.logged(&table, &["PlayerGone", "PlayerBack"]).await, 0);
    drop(third);
}

// GAME-6
#[tokio::test]
async fn a_restart_of_the_service_is_nobodys_going() {
    let mut stand = Stand::start("restart_presence").await;
    let table = stand.table().await;
    stand.play(&table, "e2e4 e7e5", 1_000).await;
    let white = seated(&stand, &table, &table.white).await;
    let black = seated(&stand, &table, &table.black).await;
    stand.stop().await.expect("a clean stop");
    stand.clock.advance(300_000);
    stand.start_again().await;
    drop((white, black));
    noted(&stand, &table, "GameResumed", 1).await;
    stand.clock.advance(20_000);
    let white = seated(&stand, &table, &table.white).await;
    stand.clock.advance(60_000);
    stand.play(&table, "g1f3", 0).await;
    assert_eq!(stand.logged(&table, &["PlayerGone", "GameEnded"]).await, 0);
    drop(white);
}

#[tokio::test]
async fn who_is_gone_when_the_service_stops_is_given_the_time_it_stood() {
    let mut stand = Stand::start("gone_restart").await;
    let table = stand.table().await;
    stand.play(&table, "e2e4 e7e5", 1_000).await;
    drop(seated(&stand, &table, &table.white).await);
    noted(&stand, &table, "PlayerGone", 1).await;
    let before = stand.caller().game(table.game_id).await;
    stand.crash();
    stand.clock.advance(300_000);
    stand.start_again().await;
    noted(&stand, &table, "GameResumed", 1).await;
    let after = stand.caller().game(table.game_id).await;
    assert!(after.white_gone_since_ms >= before.white_gone_since_ms + 300_000);
    stand.clock.advance(after.abandonment_at_ms - stand.now_ms());
    assert_eq!(stand.ended(&table).await.end_reason(), pb::EndReason::Abandonment);
}

#[tokio::test]
async fn where_only_the_clock_decides_going_is_shown_and_costs_nothing() {
    let stand = Stand::start("gone_match").await;
    let table = stand.table_of("match", BLITZ).await;
    stand.play(&table, "e2e4 e7e5", 1_000).await;
    drop(seated(&stand, &table, &table.white).await);
    noted(&stand, &table, "PlayerGone", 1).await;
    let game = stand.caller().game(table.game_id).await;
    assert!(game.white_gone_since_ms > 0 && game.abandonment_at_ms == 0);
    stand.clock.advance(100_000);
    assert_eq!(stand.caller().game(table.game_id).await.status(), pb::GameStatus::Live);
}
