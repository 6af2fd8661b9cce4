//! Watching a game whose owner is at another instance (GAME-16).

use std::{
    collections::VecDeque,
    sync::{Mutex, atomic::Ordering},
};

use futures::future::BoxFuture;

use super::*;

/// Another instance: what is followed is told at the test's command.
#[derive(Debug, Default)]
struct Elsewhere {
    follows: Mutex<VecDeque<Arc<Followed>>>,
}

impl Peers for Elsewhere {
    fn ask(&self, _: Act, _: i64) -> BoxFuture<'_, Result<Receipt, ActError>> {
        Box::pin(async { Err(ActError::Unreachable) })
    }

    fn tell(&self, _: Sign, _: i64) {}

    fn begun(&self, _: GameId) {}

    fn announce(&self, _: GameId, _: &Arc<Frame>) {}

    /// One after the other; the last again and again.
    fn follow(&self, _: GameId) -> BoxFuture<'_, Option<Arc<Followed>>> {
        let mut follows = self.follows.lock().expect("unpoisoned");
        let followed = if follows.len() > 1 { follows.pop_front() } else { follows.front().cloned() };
        Box::pin(async { followed })
    }

    fn serve(&self, _: &Games, _: Arc<Holding>) {}

    fn are_ours(&self, _: &[ShardId]) {}

    fn have_company(&self, _: Company) {}
}

/// The same log at an instance that owns nothing, where these are followed in turn.
fn onlooker(stand: &Stand, follows: &[&Arc<Followed>]) -> Games {
    let stop = CancellationToken::new();
    let peers =
        Elsewhere { follows: Mutex::new(follows.iter().map(|followed| (*followed).clone()).collect()) };
    Games::among(
        Arc::new(stand.journal.clone()),
        Arc::new(stand.clock.clone()),
        WatchLimits::default(),
        Holdings::none(stop.clone()),
        Arc::new(peers),
        stop,
    )
}

async fn next(watch: &mut Watch) -> Version {
    let item = tokio::time::timeout(Duration::from_secs(20), watch.next()).await.expect("it is told in time");
    match item.expect("the stream goes on").expect("the log is there") {
        WatchItem::Frame(frame) => frame.version,
        WatchItem::Snapshot(_) => panic!("a snapshot in mid-stream"),
    }
}

#[tokio::test]
async fn what_was_lost_on_the_way_is_read_from_the_log() {
    let stand = Stand::new();
    let followed = Arc::new(Followed::new());
    let games = onlooker(&stand, &[&followed]);
    let mut watch = games.watch(stand.facts.game_id, Start::After(0)).await.expect("a watch");
    assert_eq!(next(&mut watch).await, 1);
    assert_eq!(followed.known.load(Ordering::SeqCst), 1, "what was read need not be heard");
    stand.white(play("e2e4", 0)).await.expect("a move");
    followed.told.send(Told::Look).expect("somebody listens");
    assert_eq!(next(&mut watch).await, 2);
}

#[tokio::test]
async fn what_one_watcher_finds_in_the_log_is_not_kept_from_another() {
    let stand = Stand::new();
    let followed = Arc::new(Followed::new());
    let games = onlooker(&stand, &[&followed]);
    let mut first = games.watch(stand.facts.game_id, Start::After(1)).await.expect("a watch");
    // Lost on the way; the second watcher reads it.
    stand.white(play("e2e4", 0)).await.expect("a move");
    let mut second = games.watch(stand.facts.game_id, Start::After(0)).await.expect("a watch");
    assert_eq!((next(&mut second).await, next(&mut second).await), (1, 2));
    assert_eq!(next(&mut first).await, 2);
}

#[tokio::test]
async fn who_begins_to_listen_as_the_telling_ends_listens_anew() {
    let stand = Stand::new();
    let (ended, followed) = (Arc::new(Followed::new()), Arc::new(Followed::new()));
    ended.end();
    let games = onlooker(&stand, &[&ended, &followed]);
    let mut watch = games.watch(stand.facts.game_id, Start::After(0)).await.expect("a watch");
    assert_eq!(next(&mut watch).await, 1);
    stand.white(play("e2e4", 0)).await.expect("a move");
    // Heard of or read, whichever comes first: nothing waits for what has ended.
    let _ = followed.told.send(Told::Look);
    assert_eq!(next(&mut watch).await, 2);
}

#[tokio::test]
async fn when_the_game_is_told_elsewhere_the_watch_goes_on_there() {
    let stand = Stand::new();
    let (first, second) = (Arc::new(Followed::new()), Arc::new(Followed::new()));
    let games = onlooker(&stand, &[&first, &second]);
    let mut watch = games.watch(stand.facts.game_id, Start::After(0)).await.expect("a watch");
    assert_eq!(next(&mut watch).await, 1);
    first.end();
    stand.white(play("e2e4", 0)).await.expect("a move");
    let told = until(async || {
        let _ = second.told.send(Told::Look);
        tokio::time::timeout(Duration::from_millis(50), watch.next()).await.ok()
    });
    assert!(matches!(told.await, Some(Ok(WatchItem::Frame(frame))) if frame.version == 2));
}
