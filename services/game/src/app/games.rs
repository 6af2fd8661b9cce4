//! The front of the use cases: everything the edge asks of games goes through here.

use std::{
    ops::Deref,
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tracing::Span;

use super::{
    act::{Act, ActError},
    attendance::Sign,
    clock::Clock,
    facts::{GameId, PlayerId},
    holdings::Holdings,
    journal::{Journal, JournalError, Record},
    owner::{Answer, Ask, Letter},
    peers::{NoPeers, Peers},
    presence::{self, Presence},
    receipt::{self, Receipt},
    refused::Refused,
    registry::{Context, Registry},
    shards::ShardId,
    watch::{Start, Watch, WatchError, WatchLimits},
};

/// How often a request is handed to an owner. The second time is for an owner that ended, or did not exist, at the first.
const ASKS_MAX: usize = 3;

/// How long a request looks for the owner of its game while the game changes hands. A client that hears UNAVAILABLE then asks again with the
/// same request id.
const LOOKING_MAX: Duration = Duration::from_secs(3);
/// The pause between two looks: at first, and at most.
const LOOK_PAUSE_MIN: Duration = Duration::from_millis(10);
const LOOK_PAUSE_MAX: Duration = Duration::from_millis(160);

/// How many logs are read at once when many games are taken up: well below the store's limit, however long the games.
const LOGS_AT_ONCE_MAX: usize = 200;

/// All games, as far as this process has to do with them: those of the shards that it owns, and the way to the owners of the others.
#[derive(Clone, Debug)]
pub struct Games {
    context: Arc<Context>,
    registry: Arc<Registry>,
    limits: WatchLimits,
}

/// Why a game cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// There is no such game.
    #[error("there is no such game")]
    Unknown,
    /// The log failed.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// A log that is being read. Readers take turns, so that they leave time for the players.
#[derive(Debug)]
pub struct Reading {
    record: Record,
    _place: OwnedSemaphorePermit,
}

impl Deref for Reading {
    type Target = Record;

    fn deref(&self) -> &Record {
        &self.record
    }
}

impl Games {
    /// All games belong to this process, and no game has an owner yet. `stop` ends the owners.
    pub fn new(
        journal: Arc<dyn Journal>,
        clock: Arc<dyn Clock>,
        limits: WatchLimits,
        stop: CancellationToken,
    ) -> Games {
        let holdings = Holdings::everything(clock.now_ms(), stop.clone());
        Games::among(journal, clock, limits, holdings, Arc::new(NoPeers), stop)
    }

    /// The games of the shards in `holdings` belong to this process, the others to `peers`.
    pub fn among(
        journal: Arc<dyn Journal>,
        clock: Arc<dyn Clock>,
        limits: WatchLimits,
        holdings: Arc<Holdings>,
        peers: Arc<dyn Peers>,
        stop: CancellationToken,
    ) -> Games {
        let context = Arc::new(Context::new(journal, clock, holdings, peers, stop));
        Games { registry: Registry::new(context.clone()), context, limits }
    }

    /// What this process owns.
    pub fn holdings(&self) -> &Arc<Holdings> {
        &self.context.holdings
    }

    /// The other instances.
    pub fn peers(&self) -> &Arc<dyn Peers> {
        &self.context.peers
    }

    /// The service's time.
    pub fn now_ms(&self) -> i64 {
        self.context.clock.now_ms()
    }

    /// Gives a game an owner unless it has one, here or wherever its shard is.
    pub fn take_up(&self, game_id: GameId) {
        if self.is_ours(game_id) {
            self.registry.take_up(game_id);
        } else {
            self.context.peers.begun(game_id);
        }
    }

    /// Gives every live game of the shards that are owned here an owner, and answers how many are live.
    pub async fn take_up_all(&self) -> Result<usize, JournalError> {
        let held = self.context.holdings.held();
        let shards: Vec<ShardId> = held.iter().map(|holding| holding.shard).collect();
        self.take_up_shards(&shards).await
    }

    /// The same for some of these shards.
    pub async fn take_up_shards(&self, shards: &[ShardId]) -> Result<usize, JournalError> {
        self.context.peers.are_ours(shards);
        let live = self.context.journal.live_in(shards.to_vec()).await?;
        let free: Vec<GameId> =
            live.iter().copied().filter(|game_id| self.registry.mailbox(*game_id).is_none()).collect();
        for games in free.chunks(LOGS_AT_ONCE_MAX) {
            for record in self.context.journal.load_many(games.to_vec()).await? {
                self.registry.take_up_from(record);
            }
            for game_id in games {
                self.registry.take_up(*game_id);
            }
        }
        Ok(live.len())
    }

    /// Resolves once every owner has stopped.
    pub async fn stopped(&self) {
        self.registry.stopped().await;
    }

    /// The log of a game, with a reader's place that is kept until the log is done with.
    pub async fn read(&self, game_id: GameId) -> Result<Reading, ReadError> {
        let place = self.context.reader().await;
        let record = self.context.journal.load(game_id).await?.ok_or(ReadError::Unknown)?;
        Ok(Reading { record, _place: place })
    }

    /// Follows a game.
    pub async fn watch(&self, game_id: GameId, start: Start) -> Result<Watch, WatchError> {
        Watch::open(game_id, start, self.context.clone(), self.registry.clone(), self.limits).await
    }

    /// A player follows his own game: he is present until what this answers is dropped. `leaving` is cancelled when this
    /// process sends its clients elsewhere.
    pub fn attend(&self, game_id: GameId, player_id: PlayerId, leaving: CancellationToken) -> Presence {
        Presence::open(self.clone(), game_id, player_id, leaving)
    }

    /// Tells the owner of a game what a stream of a player has to say, wherever he is. Without an owner there is nobody to tell.
    pub fn tell(&self, sign: Sign) {
        if !self.is_ours(sign.game_id) {
            self.context.peers.tell(sign, self.now_ms().saturating_sub(sign.at_ms));
        } else if let Some(mailbox) = self.registry.mailbox(sign.game_id) {
            presence::deliver(&mailbox, Letter::Sign(Box::new(sign)), sign.news);
        }
    }

    /// Tells the owner of a game, if he is here, what a stream at another instance has to say.
    pub fn tell_from_elsewhere(&self, sign: Sign) {
        if let Some(mailbox) = self.registry.mailbox(sign.game_id) {
            presence::deliver(&mailbox, Letter::SignFromElsewhere(Box::new(sign)), sign.news);
        }
    }

    /// Does what a player asks for, once, however often he asks, wherever the game's owner is. While the game changes hands, its owner
    /// is looked for; the clocks stand still meanwhile.
    pub async fn act(&self, act: Act) -> Result<Receipt, ActError> {
        let give_up = Instant::now() + LOOKING_MAX;
        let mut pause = LOOK_PAUSE_MIN;
        loop {
            let answer = if self.is_ours(act.game_id) {
                self.act_here(act).await
            } else {
                let age_ms = self.now_ms().saturating_sub(act.received_at_ms);
                self.context.peers.ask(act, age_ms).await
            };
            let is_over = self.context.stop.is_cancelled() || Instant::now() + pause >= give_up;
            if is_over || !matches!(answer, Err(ActError::Unreachable)) {
                return answer;
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LOOK_PAUSE_MAX);
        }
    }

    fn is_ours(&self, game_id: GameId) -> bool {
        self.context.holdings.of(game_id).is_some()
    }

    /// Does what a player asks for if the game's owner is here.
    pub async fn act_here(&self, act: Act) -> Result<Receipt, ActError> {
        for _ in 0..ASKS_MAX {
            if let Some(answer) = self.ask_owner(act).await? {
                return match answer {
                    Answer::Done(receipt) => Ok(receipt),
                    Answer::Repeated => self.answer_from_log(act).await,
                };
            }
            let record = self.context.journal.load(act.game_id).await?.ok_or(Refused::GameUnknown)?;
            if record.end().is_some() {
                return answer_of_ended(&record, &act);
            }
            if self.context.stop.is_cancelled() || !self.is_ours(act.game_id) {
                break;
            }
            self.registry.take_up(act.game_id);
        }
        Err(ActError::Unreachable)
    }

    /// `None` when the game has no owner, or had none any more when it would have been the request's turn.
    async fn ask_owner(&self, act: Act) -> Result<Option<Answer>, ActError> {
        let Some(mailbox) = self.registry.mailbox(act.game_id) else { return Ok(None) };
        let (reply, answer) = oneshot::channel();
        match mailbox.try_send(Letter::Ask(Box::new(Ask { act, span: Span::current(), reply }))) {
            Ok(()) => answer.await.ok().transpose(),
            Err(mpsc::error::TrySendError::Closed(_)) => Ok(None),
            Err(mpsc::error::TrySendError::Full(_)) => Err(ActError::Overloaded),
        }
    }

    async fn answer_from_log(&self, act: Act) -> Result<Receipt, ActError> {
        let _place = self.context.reader().await;
        let record = self.context.journal.load(act.game_id).await?.ok_or(Refused::GameUnknown)?;
        let by = record.facts().color_of(act.player_id).ok_or(Refused::NotAPlayer)?;
        match receipt::earlier_answer(&record, &act, by)? {
            Some(answer) => Ok(answer?),
            None => Err(ActError::Unreachable),
        }
    }
}

/// An ended game answers what it has answered before, and refuses everything else.
fn answer_of_ended(record: &Record, act: &Act) -> Result<Receipt, ActError> {
    let by = record.facts().color_of(act.player_id).ok_or(Refused::NotAPlayer)?;
    match (receipt::earlier_answer(record, act, by)?, record.end()) {
        (Some(answer), _) => Ok(answer?),
        (None, Some(ended)) => Err(Refused::GameOver { ended: *ended }.into()),
        (None, None) => Err(ActError::Unreachable),
    }
}
