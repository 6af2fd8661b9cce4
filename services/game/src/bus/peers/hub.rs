//! The games that are followed here while their owners are elsewhere: one subscription a game, however many follow it.
//!
//! The broker may lose what it carries, so what is known here is compared with the log every now and then: what the log had at one
//! look and is not known at the next was lost. What is missing is not
//! fetched here: whoever follows the game reads the log from where he stands.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak, atomic::Ordering},
    time::Duration,
};

use async_nats::{Client, Subscriber};
use futures::StreamExt as _;
use prost::Message as _;
use proto::game::v1 as pb;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use super::{frames_subject, words};
use crate::app::{Followed, GameId, Journal, ShardId, Told};

/// How often what is known is compared with the log. An event that the broker has lost is seen twice as late at most.
const COMPARE_EVERY: Duration = Duration::from_secs(2);
/// How many logs are looked at with one statement.
const COMPARED_AT_ONCE_MAX: usize = 1_000;
/// How long a subscription may take.
const SUBSCRIBE_MAX: Duration = Duration::from_secs(1);

/// The games that are followed here.
#[derive(Debug)]
pub(super) struct Hub {
    client: Client,
    games: Mutex<HashMap<GameId, Entry>>,
}

#[derive(Clone, Debug)]
struct Entry {
    followed: Arc<Followed>,
    /// Set once events are heard.
    subscribed: Arc<OnceCell<()>>,
    stop: CancellationToken,
    /// Where the log ended at the last look.
    head: i64,
}

impl Hub {
    pub(super) fn new(client: Client) -> Hub {
        Hub { client, games: Mutex::default() }
    }

    /// Follows a game; `None` when the broker is away.
    pub(super) async fn follow(&self, game_id: GameId) -> Option<Arc<Followed>> {
        let entry = self.entry(game_id);
        let subscribing = entry.subscribed.get_or_try_init(|| async {
            let messages = self.client.subscribe(frames_subject(game_id)).await.ok().ok_or(())?;
            self.client.flush().await.ok().ok_or(())?;
            tokio::spawn(hear(messages, Arc::downgrade(&entry.followed), entry.stop.clone()));
            Ok::<(), ()>(())
        });
        tokio::time::timeout(SUBSCRIBE_MAX, subscribing).await.ok()?.ok()?;
        Some(entry.followed)
    }

    fn entry(&self, game_id: GameId) -> Entry {
        let new = || Entry {
            followed: Arc::new(Followed::new()),
            subscribed: Arc::default(),
            stop: CancellationToken::new(),
            head: 0,
        };
        self.lock().entry(game_id).or_insert_with(new).clone()
    }

    /// Whoever follows games of these shards looks for their owners again.
    pub(super) fn are_ours(&self, shards: &[ShardId]) {
        self.drop_where(|game_id, _| shards.contains(&ShardId::of(*game_id)));
    }

    /// Nothing is followed any more.
    pub(super) fn close(&self) {
        self.drop_where(|_, _| true);
    }

    fn drop_where(&self, is_over: impl Fn(&GameId, &Entry) -> bool) {
        self.lock().retain(|game_id, entry| {
            let is_over = is_over(game_id, entry);
            if is_over {
                entry.stop.cancel();
                entry.followed.end();
            }
            !is_over
        });
    }

    /// Compares what is known with the log, for ever.
    pub(super) async fn compare_with_log(&self, journal: &dyn Journal) {
        loop {
            tokio::time::sleep(COMPARE_EVERY).await;
            // The map itself holds one.
            self.drop_where(|_, entry| Arc::strong_count(&entry.followed) == 1);
            let followed: Vec<GameId> = self.lock().keys().copied().collect();
            for games in followed.chunks(COMPARED_AT_ONCE_MAX) {
                match journal.heads(games.to_vec()).await {
                    Ok(heads) => heads.into_iter().for_each(|(game_id, head)| self.note_head(game_id, head)),
                    Err(error) => tracing::debug!(%error, "what is followed cannot be compared with the log"),
                }
            }
        }
    }

    fn note_head(&self, game_id: GameId, head: i64) {
        let mut games = self.lock();
        let Some(entry) = games.get_mut(&game_id) else { return };
        // What was written since the last look may be on its way.
        let lost = entry.followed.known.fetch_max(entry.head, Ordering::AcqRel) < entry.head;
        entry.head = head;
        if lost {
            let _ = entry.followed.told.send(Told::Look);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<GameId, Entry>> {
        // Nothing that can panic happens under the lock, and a map is whole after every call.
        self.games.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells those who follow a game what its owner says, until nobody does.
async fn hear(mut messages: Subscriber, followed: Weak<Followed>, stop: CancellationToken) {
    loop {
        let message = tokio::select! {
            () = stop.cancelled() => None,
            message = messages.next() => message,
        };
        let (Some(message), Some(followed)) = (message, followed.upgrade()) else { break };
        let note = pb::FrameNote::decode(message.payload.as_ref()).ok();
        let told = match note.as_ref().and_then(words::read_frame) {
            Some(frame) => {
                followed.known.fetch_max(frame.version, Ordering::AcqRel);
                Told::Frame(frame)
            }
            None => Told::Look,
        };
        let _ = followed.told.send(told);
    }
    // Best effort: the subscription ends with its handle as well.
    let _ = messages.unsubscribe().await;
}
