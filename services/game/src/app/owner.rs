//! The one writer of one live game.
//!
//! An owner keeps the game in memory, takes one request after the other, and has one timer, armed for the next instant at
//! which the game would end by itself. What it decides it first writes to the log; only then does it change its own
//! state, answer, and tell the watchers (GAME-1). It ends with its game.

mod due;
mod outage;

use std::sync::Arc;

use domain_chess::{Command, Event, Game, UciMove, decide};
use tokio::{
    sync::{broadcast, mpsc, oneshot},
    time::Instant,
};
use tracing::{Instrument as _, Span};
use uuid::Uuid;

use super::{
    act::{Act, ActError},
    attendance::{Attendance, Origin, Sign},
    facts::{Facts, GameId},
    holdings::Holding,
    journal::{Addition, Cause, Entry, JournalError, Record, Refused as NotAdded, Version},
    receipt::Receipt,
    refused::Refused,
    registry::{Context, began_under},
    requests::{Known, Requests},
    watch::{Frame, Told},
};
use crate::metrics;
use outage::{Outage, RETRY_PAUSE_MAX, RETRY_PAUSE_MIN};

/// How often a request is decided anew because the log had moved on. With one owner a game it never does.
const DECISIONS_MAX: usize = 3;

/// A request on its way to an owner. An owner that goes away drops it unanswered; then the log has the answer.
pub(super) struct Ask {
    pub(super) act: Act,
    /// The span of the request, so that what it leads to stands in its trace.
    pub(super) span: Span,
    pub(super) reply: oneshot::Sender<Result<Answer, ActError>>,
}

/// What an owner is sent.
pub(super) enum Letter {
    /// A player's request.
    Ask(Box<Ask>),
    /// News of a player's stream.
    Sign(Box<Sign>),
    /// The same of a stream at another instance.
    SignFromElsewhere(Box<Sign>),
}

/// What an owner answers.
pub(super) enum Answer {
    /// The request took effect just now.
    Done(Receipt),
    /// It had taken effect before; the log has the answer. Reading it is left to the caller, so that repeats do not hold
    /// up the game.
    Repeated,
}

/// What an owner works with.
pub(super) struct Desk {
    pub(super) game_id: GameId,
    pub(super) context: Arc<Context>,
    pub(super) holding: Arc<Holding>,
    pub(super) mailbox: mpsc::Receiver<Letter>,
    pub(super) frames: broadcast::Sender<Told>,
}

struct Owner {
    context: Arc<Context>,
    holding: Arc<Holding>,
    frames: broadcast::Sender<Told>,
    audience: Audience,
    facts: Arc<Facts>,
    game: Game,
    version: Version,
    last_uci: Option<UciMove>,
    requests: Requests,
    attendance: Attendance,
    turn: Turn,
    knowledge: Knowledge,
    outage: Option<Outage>,
}

/// Whether the turn that is running ran without a break: only then its length says something about the mover's network.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Whole,
    PutOff,
}

/// Who hears of an event.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Audience {
    /// Whoever follows the game through this process; the log's old events are no news.
    Here,
    /// The other instances too.
    Everybody,
}

/// Whether the owner's state is that of the log.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Knowledge {
    Current,
    /// A write failed, and may have landed all the same: the log must be read before anything else is decided.
    Doubtful,
}

/// Runs a game until it ends or the service stops. `record` is its log, if that has just been read.
pub(super) async fn run(desk: Desk, record: Option<Record>) {
    let (game_id, mut mailbox) = (desk.game_id, desk.mailbox);
    let (context, holding) = (desk.context, desk.holding);
    let place = Place { context: &context, holding: &holding, frames: &desk.frames };
    let Some(mut owner) = Owner::take_up(game_id, record, place).await else { return };
    while owner.game.is_playing() && !holding.stop.is_cancelled() {
        let wakes_at_ms = owner.wakes_at_ms();
        let timer = async {
            match wakes_at_ms {
                Some(wakes_at_ms) => context.clock.sleep_until(wakes_at_ms).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            // A request that arrived before the deadline is dealt with before it, however late the owner comes to it.
            biased;
            () = holding.stop.cancelled() => return,
            letter = mailbox.recv() => match letter {
                Some(Letter::Ask(ask)) => owner.answer(*ask).await,
                Some(Letter::Sign(sign)) => owner.note_sign(&sign, Origin::Here),
                Some(Letter::SignFromElsewhere(sign)) => owner.note_sign(&sign, Origin::Elsewhere),
                None => return,
            },
            () = timer => owner.time_is_up().await,
        }
    }
}

/// What an owner is made at.
#[derive(Clone, Copy)]
struct Place<'a> {
    context: &'a Arc<Context>,
    holding: &'a Arc<Holding>,
    frames: &'a broadcast::Sender<Told>,
}

impl Owner {
    /// Loads a game and resumes it if it stood still. `None` when there is nothing to own, or the service stops.
    async fn take_up(game_id: GameId, mut record: Option<Record>, place: Place<'_>) -> Option<Owner> {
        let mut pause = RETRY_PAUSE_MIN;
        loop {
            if place.holding.stop.is_cancelled() {
                return None;
            }
            match Owner::load_and_resume(game_id, record.take(), place).await {
                Ok(owner) => return owner,
                Err(JournalError::Refused(NotAdded::NotOwner)) => return None,
                Err(error @ JournalError::Damaged { .. }) => {
                    tracing::error!(%game_id, %error, "a live game cannot be taken up");
                    return None;
                }
                Err(error) => tracing::warn!(%game_id, %error, "taking a game up failed, trying again"),
            }
            tokio::select! {
                () = place.holding.stop.cancelled() => return None,
                () = tokio::time::sleep(pause) => pause = (pause * 2).min(RETRY_PAUSE_MAX),
            }
        }
    }

    async fn load_and_resume(
        game_id: GameId,
        record: Option<Record>,
        place: Place<'_>,
    ) -> Result<Option<Owner>, JournalError> {
        let record = match record {
            Some(record) => Some(record),
            None => {
                let _permit = place.context.loads.acquire().await;
                place.context.journal.load(game_id).await?
            }
        };
        let Some(record) = record else { return Ok(None) };
        let mut owner = Owner::new(&record, place)?;
        if !owner.game.is_playing() {
            return Ok(None);
        }
        if !began_under(place.holding, &record) {
            owner.resume().await?;
        }
        Ok(Some(owner))
    }

    fn new(record: &Record, place: Place<'_>) -> Result<Owner, JournalError> {
        let mut owner = Owner {
            context: place.context.clone(),
            holding: place.holding.clone(),
            frames: place.frames.clone(),
            audience: Audience::Here,
            facts: record.facts().clone(),
            game: Game::new(),
            version: 0,
            last_uci: None,
            requests: Requests::default(),
            attendance: Attendance::new(place.context.clock.now_ms()),
            turn: Turn::Whole,
            knowledge: Knowledge::Current,
            outage: None,
        };
        owner.catch_up(record)?;
        owner.audience = Audience::Everybody;
        Ok(owner)
    }

    /// The clocks stand as they stood after the last event: nobody is charged for the time without an owner (GAME-6).
    async fn resume(&mut self) -> Result<(), JournalError> {
        // The owner before may have been on a machine whose clock was a little ahead.
        let now_ms = self.context.clock.now_ms().max(self.game.last_event_at_ms());
        let command = Command::Resume { now_ms, alive_until_ms: None };
        let events = decide(&self.game, &command).unwrap_or_default();
        self.commit(events, Cause::Service, Some(Uuid::now_v7())).await?;
        metrics::recovered();
        Ok(())
    }

    async fn answer(&mut self, ask: Ask) {
        let reply = self.reply_to(&ask.act).instrument(ask.span).await;
        // The caller may have left; the request has taken effect all the same.
        let _ = ask.reply.send(reply);
    }

    async fn reply_to(&mut self, act: &Act) -> Result<Answer, ActError> {
        let by = self.facts.color_of(act.player_id).ok_or(Refused::NotAPlayer)?;
        for _ in 0..DECISIONS_MAX {
            self.be_current().await?;
            match self.requests.know(by, act.request_id, act.action) {
                Known::No => {}
                Known::Accepted => return Ok(Answer::Repeated),
                Known::Refused(refused) => return Err(refused.into()),
            }
            // Time never runs backwards within a game, whatever the order in which requests were received.
            let now_ms = act.received_at_ms.max(self.game.last_event_at_ms());
            let cause = Cause::Request { by, request_id: act.request_id };
            let lag_ms = self.lag_ms(act.action, by, now_ms);
            let written = match self.settle(now_ms, lag_ms).await {
                Ok(()) => match decide(&self.game, &act.action.command(by, now_ms, lag_ms)) {
                    Ok(events) => {
                        let event_id = act.event_id(&events);
                        self.commit(events, cause, event_id).await
                    }
                    Err(refusal) => {
                        let last_uci = self.last_uci.map(|uci| uci.to_string());
                        let refused = Refused::new(refusal, act.action, &self.game, last_uci);
                        self.requests.note_refused(by, act.request_id, act.action, refused.clone());
                        return Err(refused.into());
                    }
                },
                Err(error) => Err(error),
            };
            match written {
                Ok(entries) => return Ok(Answer::Done(Receipt::new(act.action, by, &entries, &self.game)?)),
                Err(JournalError::Refused(NotAdded::Conflict { .. })) => {}
                // The request is not refused: whoever brought it finds the owner.
                Err(JournalError::Refused(NotAdded::NotOwner)) => return Err(ActError::Unreachable),
                Err(error) => return Err(error.into()),
            }
        }
        Err(ActError::Unreachable)
    }

    /// Writes events and, once they are on disk, takes them in. After a failure the owner's state is as it was.
    async fn commit(
        &mut self,
        events: Vec<Event>,
        cause: Cause,
        event_id: Option<Uuid>,
    ) -> Result<Vec<Entry>, JournalError> {
        if events.is_empty() {
            return Ok(Vec::new());
        }
        if !self.holding.is_certain() {
            self.context.holdings.doubt(&self.holding);
            return Err(NotAdded::NotOwner.into());
        }
        let addition = Addition {
            facts: self.facts.clone(),
            expected: self.version,
            epoch: self.holding.epoch,
            cause,
            event_id,
            events,
        };
        let entries: Vec<Entry> = addition.entries().collect();
        let (started, since_ms) = (Instant::now(), self.context.clock.now_ms());
        let outcome = self.context.journal.add(addition).await;
        metrics::appended(started.elapsed());
        if let Err(error) = outcome {
            self.note_not_written(&error, since_ms);
            return Err(error);
        }
        for entry in &entries {
            if let Event::MovePlayed(played) = &entry.event
                && self.is_reply()
            {
                self.attendance.replied(self.game.side_to_move(), played.elapsed_ms);
            }
            self.game.evolve(&entry.event);
            self.note(entry);
            metrics::happened(&entry.event);
        }
        Ok(entries)
    }

    fn catch_up(&mut self, record: &Record) -> Result<(), JournalError> {
        for entry in record.entries() {
            if entry.version > self.version {
                self.game
                    .apply(&entry.event)
                    .map_err(|misfit| JournalError::misfit(self.facts.game_id, misfit))?;
                self.note(entry);
            }
        }
        Ok(())
    }

    /// Everything but the game itself that an event of the log changes.
    fn note(&mut self, entry: &Entry) {
        self.version = entry.version;
        self.requests.note(entry);
        match &entry.event {
            Event::MovePlayed(played) => {
                self.last_uci = Some(played.uci);
                self.turn = Turn::Whole;
            }
            Event::Resumed { .. } => self.turn = Turn::PutOff,
            _ => {}
        }
        let frame = Arc::new(Frame::new(entry, &self.game));
        if self.audience == Audience::Everybody {
            self.context.peers.announce(self.facts.game_id, &frame);
        }
        // Nobody may be watching.
        let _ = self.frames.send(Told::Frame(frame));
    }
}
