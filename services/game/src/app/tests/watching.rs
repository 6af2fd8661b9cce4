//! Watching: every event once, in order, without a gap (GAME-5).

use domain_chess::Event;

use super::*;

const OPENING: &str = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5 a4b3 d7d6 c2c3 e8g8 h2h3 c6a5 b3c2 \
                       c7c5 d2d4 d8c7 b1d2 c5d4 c3d4 a5c6 d2b3 a6a5";

async fn frames(watch: &mut Watch, count: usize) -> Vec<Version> {
    let mut seen = Vec::new();
    while seen.len() < count {
        match watch.next().await.expect("the stream goes on").expect("the log is there") {
            WatchItem::Frame(frame) => seen.push(frame.version),
            WatchItem::Snapshot(snapshot) => {
                panic!("a snapshot of {} events in mid-stream", snapshot.0.version())
            }
        }
    }
    seen
}

// H11: far more events than the owner's buffer holds.
#[tokio::test]
async fn a_slow_reader_misses_nothing() {
    let stand = Stand::new();
    let mut slow = stand.games.watch(stand.facts.game_id, Start::After(0)).await.expect("a watch");
    stand.games.take_up(stand.facts.game_id);
    assert_eq!(frames(&mut slow, 1).await, [1]);
    stand.white(play("e2e4", 0)).await.expect("a move");
    assert_eq!(frames(&mut slow, 1).await, [2]);
    let rest: Vec<&str> = OPENING.split_whitespace().skip(1).collect();
    for (uci, plies_seen) in rest.iter().zip(1..) {
        let action = play(uci, plies_seen);
        let played = if plies_seen % 2 == 0 { stand.white(action).await } else { stand.black(action).await };
        played.expect("a good move");
    }
    let expected: Vec<Version> = (3..=29).collect();
    assert_eq!(frames(&mut slow, expected.len()).await, expected);
}

#[tokio::test]
async fn a_watch_begins_where_it_is_asked_to() {
    let stand = Stand::new();
    stand.play(OPENING).await;
    let mut snapshot = stand.games.watch(stand.facts.game_id, Start::Snapshot).await.expect("a watch");
    let Some(Ok(WatchItem::Snapshot(first))) = snapshot.next().await else {
        panic!("a snapshot comes first")
    };
    assert_eq!((first.0.version(), first.1.ply()), (29, 28));
    let mut middle = stand.games.watch(stand.facts.game_id, Start::After(20)).await.expect("a watch");
    assert_eq!(frames(&mut middle, 9).await, (21..=29).collect::<Vec<_>>());
    stand.white(Action::Resign).await.expect("resigned");
    assert_eq!(frames(&mut snapshot, 1).await, [30]);
    assert_eq!(frames(&mut middle, 1).await, [30]);
    assert!(snapshot.next().await.is_none() && middle.next().await.is_none(), "the end ends the stream");
}

// C14
#[tokio::test]
async fn a_watch_beyond_the_log_is_refused_with_its_end() {
    let stand = Stand::new();
    for beyond in [2, 1_000_000_000, u64::MAX] {
        let refused = stand.games.watch(stand.facts.game_id, Start::After(beyond)).await;
        assert!(matches!(refused, Err(WatchError::BeyondLog { last: 1 })), "{beyond}: {refused:?}");
    }
    assert!(stand.games.watch(stand.facts.game_id, Start::After(1)).await.is_ok());
    let unknown = stand.games.watch(GameId(Uuid::new_v4()), Start::Snapshot).await;
    assert!(matches!(unknown, Err(WatchError::Unknown)), "{unknown:?}");
}

#[tokio::test]
async fn an_ended_game_is_given_from_the_log_and_the_stream_ends() {
    let stand = Stand::new();
    stand.white(Action::Resign).await.expect("resigned");
    let mut whole = stand.games.watch(stand.facts.game_id, Start::After(0)).await.expect("a watch");
    assert_eq!(frames(&mut whole, 2).await, [1, 2]);
    assert!(whole.next().await.is_none());
    let mut nothing = stand.games.watch(stand.facts.game_id, Start::After(2)).await.expect("a watch");
    assert!(nothing.next().await.is_none());
    let mut snapshot = stand.games.watch(stand.facts.game_id, Start::Snapshot).await.expect("a watch");
    assert!(matches!(snapshot.next().await, Some(Ok(WatchItem::Snapshot(_)))));
    assert!(snapshot.next().await.is_none());
}

#[tokio::test]
async fn a_watch_outlives_the_owner_it_began_with() {
    let stand = Stand::new();
    stand.white(play("e2e4", 0)).await.expect("a move");
    let stand = stand.restarted().await;
    // Nobody owns the game yet: the watch has it taken up, which resumes it.
    let mut watch = stand.games.watch(stand.facts.game_id, Start::After(0)).await.expect("a watch");
    assert_eq!(frames(&mut watch, 3).await, [1, 2, 3]);
    stand.black(play("e7e5", 1)).await.expect("a move");
    assert_eq!(frames(&mut watch, 1).await, [4]);
}

// GAME-10
#[tokio::test]
async fn one_watcher_too_many_is_refused_until_another_leaves() {
    let stand = Stand::new();
    stand.white(play("e2e4", 0)).await.expect("a move");
    let mut watches = Vec::new();
    for _ in 0..3 {
        watches.push(stand.games.watch(stand.facts.game_id, Start::Snapshot).await.expect("there is room"));
    }
    let refused = stand.games.watch(stand.facts.game_id, Start::Snapshot).await;
    assert!(matches!(refused, Err(WatchError::TooMany)), "{refused:?}");
    watches.pop();
    assert!(stand.games.watch(stand.facts.game_id, Start::Snapshot).await.is_ok());
}

// B14
#[tokio::test]
async fn no_frame_shows_a_negative_clock() {
    let stand = Stand::new();
    let mut watch = stand.games.watch(stand.facts.game_id, Start::After(0)).await.expect("a watch");
    stand.play("e2e4 e7e5").await;
    stand.clock.advance(500_000);
    loop {
        match watch.next().await {
            Some(Ok(WatchItem::Frame(frame))) => {
                let clocks = frame.clocks.expect("a timed game");
                assert!((0..=184_000).contains(&clocks.white_ms) && (0..=184_000).contains(&clocks.black_ms));
                if matches!(frame.event, Event::Ended(_)) {
                    break;
                }
            }
            other => panic!("{other:?}"),
        }
    }
}
