//! Following a game: every event of its log once, in order, without a gap (GAME-5).
//!
//! A watch subscribes to the owner first and reads the log afterwards, so nothing can fall between the two; what comes
//! twice is dropped by its place. A watcher who is too slow for the owner's buffer is never skipped: his watch reads the
//! log again from where he stands. The same happens when the owner goes away, and when the game's owner is at another instance and
//! something that he told got lost.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use domain_chess::{Clocks, Event, Game, gone_deadline_ms, gone_ms_max};
use tokio::sync::broadcast;

use super::{
    facts::{Facts, GameId},
    journal::{Entry, JournalError, Record, Version},
    peers::Followed,
    registry::{Context, Registry},
};

/// How long a watch waits before it looks for an owner again after one went away without ending its game.
const OWNER_GONE_PAUSE: Duration = Duration::from_millis(100);

/// The limits of watching.
#[derive(Clone, Copy, Debug)]
pub struct WatchLimits {
    /// How many may follow one game through this process.
    pub watchers_per_game_max: usize,
}

impl Default for WatchLimits {
    fn default() -> WatchLimits {
        WatchLimits { watchers_per_game_max: 5_000 }
    }
}

/// Where a watch begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// With the game as it stands.
    Snapshot,
    /// With the event after this one; 0 is the beginning of the log.
    After(u64),
}

/// An event as watchers see it.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Its place in the log.
    pub version: Version,
    /// What happened.
    pub event: Event,
    /// Both clocks at that moment; `None` without clocks.
    pub clocks: Option<Clocks>,
    /// When the side to move then loses by having been gone too long, unless he comes back.
    pub gone_deadline_ms: Option<i64>,
    /// How long a player may be gone while on move; `None` where only the clock decides.
    pub gone_ms_max: Option<u32>,
}

impl Frame {
    /// An event and what it made of the game.
    pub(super) fn new(entry: &Entry, game_after: &Game) -> Frame {
        let clocks = game_after.clocks_at(entry.event.at_ms());
        Frame {
            version: entry.version,
            event: entry.event.clone(),
            clocks,
            gone_deadline_ms: gone_deadline_ms(game_after),
            gone_ms_max: gone_ms_max(game_after),
        }
    }
}

/// What those who follow a game are told.
#[derive(Clone, Debug)]
pub enum Told {
    /// This happened.
    Frame(Arc<Frame>),
    /// Something happened that was not heard, or is told elsewhere from now on: the log has it.
    Look,
}

/// What a watch gives.
#[derive(Clone, Debug)]
pub enum WatchItem {
    /// The game as it stands, always the first if at all.
    Snapshot(Box<(Record, Game)>),
    /// The next event.
    Frame(Arc<Frame>),
}

/// Why a game cannot be watched, or not any further.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// There is no such game.
    #[error("there is no such game")]
    Unknown,
    /// The watcher claims to have seen what has not happened.
    #[error("the log ends at {last}")]
    BeyondLog {
        /// The last event.
        last: Version,
    },
    /// Too many watch this game.
    #[error("too many are watching this game")]
    TooMany,
    /// The log failed.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Somebody following a game.
#[derive(Debug)]
pub struct Watch {
    game_id: GameId,
    context: Arc<Context>,
    registry: Arc<Registry>,
    limits: WatchLimits,
    facts: Arc<Facts>,
    snapshot: Option<Box<(Record, Game)>>,
    backlog: VecDeque<Arc<Frame>>,
    live: Option<Live>,
    last: Version,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Following,
    /// Everything has been given.
    Over,
}

/// Where a game's events come from at the moment.
#[derive(Debug)]
struct Live {
    told: broadcast::Receiver<Told>,
    /// When its owner is elsewhere.
    followed: Option<Arc<Followed>>,
}

/// What came of listening.
enum Heard {
    /// The owner told an event.
    Frame(Arc<Frame>),
    /// The owner is gone, or was too quick.
    Nothing,
    /// The log was read.
    Backlog,
}

impl Watch {
    pub(super) async fn open(
        game_id: GameId,
        start: Start,
        context: Arc<Context>,
        registry: Arc<Registry>,
        limits: WatchLimits,
    ) -> Result<Watch, WatchError> {
        let live = subscribe(&context, &registry, game_id, limits).await?;
        let _place = context.reader().await;
        let record = context.journal.load(game_id).await?.ok_or(WatchError::Unknown)?;
        note_known(live.as_ref(), &record);
        // Of a game that is over nothing more is heard.
        let live = live.filter(|_| record.end().is_none());
        let mut watch = Watch {
            game_id,
            context,
            registry,
            limits,
            facts: record.facts().clone(),
            snapshot: None,
            backlog: VecDeque::new(),
            live,
            last: 0,
            phase: Phase::Following,
        };
        match start {
            Start::Snapshot => {
                let game = record.replay().map_err(|misfit| JournalError::misfit(game_id, misfit))?;
                watch.last = record.version();
                if record.end().is_some() {
                    watch.phase = Phase::Over;
                }
                watch.snapshot = Some(Box::new((record, game)));
            }
            Start::After(seen) => {
                let seen = Version::try_from(seen).ok().filter(|seen| *seen <= record.version());
                watch.last = seen.ok_or(WatchError::BeyondLog { last: record.version() })?;
                watch.take_backlog(&record)?;
            }
        }
        Ok(watch)
    }

    /// What the game is besides chess.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The place of the last event that was given, in the snapshot or as a frame.
    pub fn last(&self) -> Version {
        self.last
    }

    /// The next item; `None` once the game has ended and all of it has been given.
    pub async fn next(&mut self) -> Option<Result<WatchItem, WatchError>> {
        if let Some(snapshot) = self.snapshot.take() {
            return Some(Ok(WatchItem::Snapshot(snapshot)));
        }
        loop {
            if let Some(frame) = self.backlog.pop_front() {
                return Some(Ok(self.give(frame)));
            }
            if self.phase == Phase::Over {
                return None;
            }
            match self.hear().await {
                Ok(Heard::Frame(frame)) if frame.version == self.last + 1 => {
                    return Some(Ok(self.give(frame)));
                }
                // Known from the log already.
                Ok(Heard::Frame(frame)) if frame.version <= self.last => {}
                Ok(Heard::Frame(_) | Heard::Nothing) => self.live = None,
                Ok(Heard::Backlog) => {}
                Err(error) => {
                    self.phase = Phase::Over;
                    return Some(Err(error));
                }
            }
        }
    }

    /// The next event from the owner; without an owner, the backlog from the log. Safe to be dropped while it waits:
    /// nothing is taken from the owner's buffer without being given.
    async fn hear(&mut self) -> Result<Heard, WatchError> {
        if let Some(live) = &mut self.live {
            return Ok(match live.told.recv().await {
                Ok(Told::Frame(frame)) => Heard::Frame(frame),
                Ok(Told::Look) => Heard::Nothing,
                Err(broadcast::error::RecvError::Lagged(_)) => Heard::Nothing,
                Err(broadcast::error::RecvError::Closed) => {
                    tokio::time::sleep(OWNER_GONE_PAUSE).await;
                    Heard::Nothing
                }
            });
        }
        // Needed seldom, and much larger than what every stream waits in all the time.
        Box::pin(self.read_again()).await
    }

    /// Looks for an owner and reads what has not been heard.
    async fn read_again(&mut self) -> Result<Heard, WatchError> {
        let live = subscribe(&self.context, &self.registry, self.game_id, self.limits).await?;
        if live.is_some() && ends_at(&self.context, self.game_id, self.last).await {
            self.live = live;
            return Ok(Heard::Backlog);
        }
        let place = self.context.reader().await;
        let record = self.context.journal.load(self.game_id).await?.ok_or(WatchError::Unknown)?;
        note_known(live.as_ref(), &record);
        drop(place);
        if live.is_none() && record.end().is_none() {
            self.registry.take_up(self.game_id);
            if self.registry.frames(self.game_id).is_none() {
                // Nobody can be heard at the moment.
                tokio::time::sleep(OWNER_GONE_PAUSE).await;
            }
        }
        self.take_backlog(&record)?;
        self.live = live;
        Ok(Heard::Backlog)
    }

    fn take_backlog(&mut self, record: &Record) -> Result<(), WatchError> {
        let (last, backlog) = (self.last, &mut self.backlog);
        backlog.clear();
        record
            .replay_each(|entry, game| {
                if entry.version > last {
                    backlog.push_back(Arc::new(Frame::new(entry, game)));
                }
            })
            .map_err(|misfit| JournalError::misfit(self.game_id, misfit))?;
        if record.end().is_some() && self.backlog.is_empty() {
            self.phase = Phase::Over;
        }
        Ok(())
    }

    fn give(&mut self, frame: Arc<Frame>) -> WatchItem {
        self.last = frame.version;
        if matches!(frame.event, Event::Ended(_)) {
            self.phase = Phase::Over;
        }
        WatchItem::Frame(frame)
    }
}

/// A subscription to a game's owner, here or elsewhere; `None` when nothing can be heard of him.
async fn subscribe(
    context: &Context,
    registry: &Registry,
    game_id: GameId,
    limits: WatchLimits,
) -> Result<Option<Live>, WatchError> {
    let (frames, followed) = match registry.frames(game_id) {
        Some(frames) => (frames, None),
        None if context.holdings.of(game_id).is_some() => return Ok(None),
        None => match context.peers.follow(game_id).await {
            Some(followed) => (followed.told.clone(), Some(followed)),
            None => return Ok(None),
        },
    };
    if frames.receiver_count() >= limits.watchers_per_game_max {
        return Err(WatchError::TooMany);
    }
    let told = frames.subscribe();
    // It may have ended between the two, and then nothing would ever be heard.
    let is_over = followed.as_ref().is_some_and(|followed| followed.is_over());
    Ok((!is_over).then_some(Live { told, followed }))
}

/// Whether the log ends at this place. When a game changes hands this is so for most of those who follow it, and reading all their logs would
/// hold up the players.
async fn ends_at(context: &Context, game_id: GameId, last: Version) -> bool {
    let heads = context.journal.heads(vec![game_id]).await;
    matches!(heads.as_deref(), Ok([(_, head)]) if *head == last)
}

/// What has been read need not be heard any more.
fn note_known(live: Option<&Live>, record: &Record) {
    if let Some(followed) = live.and_then(|live| live.followed.as_ref()) {
        followed.read_up_to(record.version());
    }
}
