//! Streams: every frame once, in order, from any point.

use proto::{
    game::v1::{self as pb, watch_game_response::Frame},
    types::v1::Color,
};
use tonic::{Code, Streaming};

use crate::{
    harness::{PATIENCE, Stand, bad_fields, reason, reason_metadata},
    lines,
};

type Stream = Streaming<pb::WatchGameResponse>;

/// The next frame that is not a heartbeat.
async fn next(stream: &mut Stream) -> Option<pb::WatchGameResponse> {
    loop {
        let frame = tokio::time::timeout(PATIENCE, stream.message()).await.expect("a frame comes");
        match frame.expect("the stream is whole") {
            Some(pb::WatchGameResponse { frame: Some(Frame::Heartbeat(_)), .. }) => {}
            other => return other,
        }
    }
}

/// Frames up to and with the end of the game; the stream must end there.
async fn rest(mut stream: Stream) -> Vec<pb::WatchGameResponse> {
    let mut frames = Vec::new();
    while let Some(frame) = next(&mut stream).await {
        frames.push(frame);
    }
    assert!(matches!(frames.last().and_then(|last| last.frame.as_ref()), Some(Frame::Ended(_))));
    frames
}

/// What a frame says, without when it was sent.
fn said(frames: &[pb::WatchGameResponse]) -> Vec<(u64, Option<Frame>)> {
    frames.iter().map(|frame| (frame.sequence, frame.frame.clone())).collect()
}

#[tokio::test]
async fn three_watchers_see_the_same_frames_without_a_gap_or_a_repeat() {
    let stand = Stand::start("three_watchers").await;
    let table = stand.table().await;
    let from_start = stand.caller().watch(table.game_id, Some(0)).await.expect("a stream");
    let mut dropping = stand.caller().watch(table.game_id, Some(0)).await.expect("a stream");
    let moves: Vec<&str> = lines::OPERA.split_whitespace().collect();

    stand.play(&table, &moves[..20].join(" "), 1_000).await;
    let mut joined = stand.caller().watch(table.game_id, None).await.expect("a stream");
    let snapshot = next(&mut joined).await.expect("a snapshot");
    let mut dropped = Vec::new();
    for _ in 0..12 {
        dropped.push(next(&mut dropping).await.expect("a frame"));
    }
    drop(dropping);

    stand.play(&table, &moves[20..28].join(" "), 1_000).await;
    let seen = dropped.last().expect("frames").sequence;
    let resumed = stand.caller().watch(table.game_id, Some(seen)).await.expect("a stream");
    stand.play(&table, &moves[28..].join(" "), 1_000).await;

    let whole = rest(from_start).await;
    let sequences: Vec<u64> = whole.iter().map(|frame| frame.sequence).collect();
    assert_eq!(sequences, (1..=35).collect::<Vec<_>>(), "start, 33 moves, end");
    assert!(matches!(whole[0].frame, Some(Frame::Started(_))));

    assert_eq!(snapshot.sequence, 21);
    let Some(Frame::Snapshot(game)) = &snapshot.frame else { panic!("a snapshot comes first: {snapshot:?}") };
    assert_eq!(game.moves.len(), 20);
    assert_eq!(said(&rest(joined).await), said(&whole[21..]));

    dropped.extend(rest(resumed).await);
    assert_eq!(said(&dropped), said(&whole));
}

// C14
#[tokio::test]
async fn a_stream_is_resumed_from_any_point_and_refused_beyond_the_log() {
    let stand = Stand::start("resume").await;
    let table = stand.table().await;
    let caller = stand.caller();
    stand.play(&table, &lines::OPERA.split_whitespace().take(10).collect::<Vec<_>>().join(" "), 100).await;
    caller.resign(&table.white, table.game_id).await.expect("resigned");
    for seen in 0..12 {
        let frames = rest(caller.watch(table.game_id, Some(seen)).await.expect("a stream")).await;
        let sequences: Vec<u64> = frames.iter().map(|frame| frame.sequence).collect();
        assert_eq!(sequences, (seen + 1..=12).collect::<Vec<_>>());
    }
    let mut nothing = caller.watch(table.game_id, Some(12)).await.expect("a stream");
    assert_eq!(next(&mut nothing).await, None);
    for beyond in [13, 1_000_000_000, u64::MAX] {
        let refused = caller.watch(table.game_id, Some(beyond)).await.expect_err("beyond the log");
        assert_eq!((refused.code(), reason(&refused).as_str()), (Code::OutOfRange, "RESUME_BEYOND_LOG"));
        assert_eq!(reason_metadata(&refused, "last_sequence").as_deref(), Some("12"));
    }
    let unknown = caller.watch(uuid::Uuid::now_v7(), None).await.expect_err("no such game");
    assert_eq!((unknown.code(), reason(&unknown).as_str()), (Code::NotFound, "GAME_UNKNOWN"));
    let request = pb::WatchGameRequest { game_id: "x".into(), resume_after: None };
    let malformed = caller.client.clone().watch_game(request).await.expect_err("no id");
    assert_eq!(bad_fields(&malformed), ["game_id"]);
}

#[tokio::test]
async fn a_stream_tells_offers_and_their_answers() {
    let stand = Stand::start("stream_offers").await;
    let table = stand.table().await;
    let caller = stand.caller();
    let mut stream = caller.watch(table.game_id, Some(1)).await.expect("a stream");
    stand.play(&table, "e2e4", 1_000).await;
    caller.offer(&table.white, table.game_id).await.expect("offered");
    caller.decline(&table.black, table.game_id).await.expect("declined");
    stand.play(&table, "e7e5", 2_000).await;
    let mut frames = Vec::new();
    for _ in 0..4 {
        frames.push(next(&mut stream).await.and_then(|frame| frame.frame).expect("a frame"));
    }
    assert!(matches!(&frames[0], Frame::Move(played) if played.san == "e4" && played.elapsed_ms == 1_000));
    assert!(matches!(&frames[1], Frame::DrawOffered(offer) if offer.by() == Color::White));
    assert!(matches!(&frames[2], Frame::DrawDeclined(answer) if answer.by() == Color::Black));
    assert!(matches!(&frames[3], Frame::Move(played) if played.black_clock_ms == 182_000));
}

// H11: a reader who does not read for a while.
#[tokio::test]
async fn a_slow_reader_gets_every_frame_and_no_clean_end_before_the_games() {
    let stand = Stand::start("slow_reader").await;
    let table = stand.table().await;
    let slow = stand.caller().watch(table.game_id, Some(0)).await.expect("a stream");
    stand.play(&table, lines::L7_100, 100).await;
    let sequences: Vec<u64> = rest(slow).await.iter().map(|frame| frame.sequence).collect();
    assert_eq!(sequences, (1..=102).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_silent_stream_says_at_least_every_ten_seconds_that_it_lives() {
    let stand = Stand::start("heartbeat").await;
    let table = stand.table().await;
    stand.play(&table, "e2e4", 1_000).await;
    let mut stream = stand.caller().watch(table.game_id, Some(0)).await.expect("a stream");
    for _ in 0..2 {
        next(&mut stream).await.expect("a frame");
    }
    let beat = tokio::time::timeout(std::time::Duration::from_secs(10), stream.message());
    let beat = beat.await.expect("within ten seconds").expect("the stream is whole").expect("it goes on");
    assert!(matches!(beat.frame, Some(Frame::Heartbeat(_))), "{beat:?}");
    assert_eq!((beat.sequence, beat.server_time_ms), (2, stand.now_ms()));
}

// H02
#[tokio::test]
async fn a_stop_sends_watchers_elsewhere_and_they_resume_without_a_gap() {
    let mut stand = Stand::start("draining").await;
    let table = stand.table().await;
    stand.play(&table, "e2e4 e7e5", 1_000).await;
    let mut streams = Vec::new();
    for _ in 0..20 {
        streams.push(stand.caller().watch(table.game_id, None).await.expect("a stream"));
    }
    for stream in &mut streams {
        next(stream).await.expect("a snapshot");
    }
    let asked = std::time::Instant::now();
    stand.ask_to_stop();
    for stream in &mut streams {
        let draining = next(stream).await.expect("a last frame");
        let Some(Frame::Draining(drain)) = draining.frame else { panic!("{draining:?}") };
        assert!(drain.reconnect_after_ms > 0 && draining.sequence == 3);
        let end = tokio::time::timeout(PATIENCE, stream.message()).await.expect("an end");
        assert_eq!(end.expect_err("not a clean end").code(), Code::Unavailable);
    }
    stand.stop().await.expect("a clean stop");
    assert!(asked.elapsed() < service_kit::server::STOP_MAX);
    stand.start_again().await;
    let mut resumed = stand.caller().watch(table.game_id, Some(3)).await.expect("a stream");
    let frame = next(&mut resumed).await.expect("the game was taken up");
    assert!(frame.sequence == 4 && matches!(frame.frame, Some(Frame::Resumed(_))), "{frame:?}");
}

// B14
#[tokio::test]
async fn no_frame_shows_a_clock_below_zero_or_above_what_was_given() {
    let stand = Stand::start("clock_range").await;
    let table = stand.table().await;
    let stream = stand.caller().watch(table.game_id, Some(0)).await.expect("a stream");
    stand.play(&table, "e2e4 e7e5 g1f3", 10_000).await;
    stand.clock.advance(1_000_000);
    stand.ended(&table).await;
    for frame in rest(stream).await {
        let clocks = match frame.frame.expect("content") {
            Frame::Started(started) => started.game.map(|game| [game.white_clock_ms, game.black_clock_ms]),
            Frame::Move(played) => Some([played.white_clock_ms, played.black_clock_ms]),
            Frame::Ended(ended) => Some([ended.white_clock_ms, ended.black_clock_ms]),
            other => panic!("{other:?}"),
        };
        for clock_ms in clocks.expect("clocks") {
            assert!((0..=184_000).contains(&clock_ms), "{clock_ms}");
        }
    }
}
