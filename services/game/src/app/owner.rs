//! The one writer of one live game.
//!
//! An owner keeps the game in memory, takes one request after the other, and has one timer, armed for the next instant at
//! which the game would end by itself. What it decides it first writes to the log; only then does it change its own
//! state, answer, and tell the watchers (GAME-1). It ends with its game.

use std::{sync::Arc, time::Duration};

use domain_chess::{Color, Command, Event, Game, UciMove, decide, next_deadline_ms};
use tokio::{
    sync::{broadcast, mpsc, oneshot},
    time::Instant,
};
use tracing::{Instrument as _, Span};
use uuid::Uuid;

use super::{
    act::{Act, ActError, Action},
    attendance::{Attendance, Sign},
    facts::{Facts, GameId},
    journal::{Addition, Cause, Entry, JournalError, Record, Refused as NotAdded, Version},
    receipt::Receipt,
    refused::Refused,
    registry::Context,
    requests::{Known, Requests},
    watch::Frame,
};
use crate::metrics;

/// How often a request is decided anew because the log had moved on. With one owner a game it never does.
const DECISIONS_MAX: usize = 3;
/// How long an owner waits before it tries again what the log refused it: at first, and at most.
const RETRY_PAUSE_MIN: Duration = Duration::from_millis(50);
const RETRY_PAUSE_MAX: Duration = Duration::from_secs(2);

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
    pub(super) mailbox: mpsc::Receiver<Letter>,
    pub(super) frames: broadcast::Sender<Arc<Frame>>,
}

struct Owner {
    context: Arc<Context>,
    frames: broadcast::Sender<Arc<Frame>>,
    facts: Arc<Facts>,
    game: Game,
    version: Version,
    last_uci: Option<UciMove>,
    requests: Requests,
    attendance: Attendance,
    knowledge: Knowledge,
}

/// Whether the owner's state is that of the log.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Knowledge {
    Current,
    /// A write failed, and may have landed all the same: the log must be read before anything else is decided.
    Doubtful,
}

/// Runs a game until it ends or the service stops.
pub(super) async fn run(desk: Desk) {
    let Desk { game_id, context, mut mailbox, frames } = desk;
    let Some(mut owner) = Owner::take_up(game_id, &context, &frames).await else { return };
    while owner.game.is_playing() {
        let due_ms = owner.next_due_ms();
        let timer = async {
            match due_ms {
                Some(due_ms) => context.clock.sleep_until(due_ms).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            // A request that arrived before the deadline is dealt with before it, however late the owner comes to it.
            biased;
            () = context.stop.cancelled() => return,
            letter = mailbox.recv() => match letter {
                Some(Letter::Ask(ask)) => owner.answer(*ask).await,
                Some(Letter::Sign(sign)) => owner.note_sign(&sign),
                None => return,
            },
            () = timer => owner.time_is_up().await,
        }
    }
}

impl Owner {
    /// Loads a game and resumes it if it stood still. `None` when there is nothing to own, or the service stops.
    async fn take_up(
        game_id: GameId,
        context: &Arc<Context>,
        frames: &broadcast::Sender<Arc<Frame>>,
    ) -> Option<Owner> {
        let mut pause = RETRY_PAUSE_MIN;
        loop {
            match Owner::load_and_resume(game_id, context, frames).await {
                Ok(owner) => return owner,
                Err(error @ JournalError::Damaged { .. }) => {
                    tracing::error!(%game_id, %error, "a live game cannot be taken up");
                    return None;
                }
                Err(error) => tracing::warn!(%game_id, %error, "taking a game up failed, trying again"),
            }
            tokio::select! {
                () = context.stop.cancelled() => return None,
                () = tokio::time::sleep(pause) => pause = (pause * 2).min(RETRY_PAUSE_MAX),
            }
        }
    }

    async fn load_and_resume(
        game_id: GameId,
        context: &Arc<Context>,
        frames: &broadcast::Sender<Arc<Frame>>,
    ) -> Result<Option<Owner>, JournalError> {
        let permit = context.loads.acquire().await;
        let record = context.journal.load(game_id).await?;
        drop(permit);
        let Some(record) = record else { return Ok(None) };
        let mut owner = Owner::new(&record, context, frames)?;
        if !owner.game.is_playing() {
            return Ok(None);
        }
        if !context.began_here(&record) {
            owner.resume().await?;
        }
        Ok(Some(owner))
    }

    fn new(
        record: &Record,
        context: &Arc<Context>,
        frames: &broadcast::Sender<Arc<Frame>>,
    ) -> Result<Owner, JournalError> {
        let mut owner = Owner {
            context: context.clone(),
            frames: frames.clone(),
            facts: record.facts().clone(),
            game: Game::new(),
            version: 0,
            last_uci: None,
            requests: Requests::default(),
            attendance: Attendance::new(context.clock.now_ms()),
            knowledge: Knowledge::Current,
        };
        owner.catch_up(record)?;
        Ok(owner)
    }

    /// The clocks stand as they stood after the last event: nobody is charged for the time without an owner (GAME-6).
    async fn resume(&mut self) -> Result<(), JournalError> {
        let command = Command::Resume { now_ms: self.context.clock.now_ms(), alive_until_ms: None };
        let events = decide(&self.game, &command).unwrap_or_default();
        self.commit(events, Cause::Service, Uuid::now_v7()).await?;
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
        let fingerprint = act.fingerprint();
        for _ in 0..DECISIONS_MAX {
            self.be_current().await?;
            match self.requests.know(by, act.request_id, fingerprint) {
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
                    Ok(events) => self.commit(events, cause, fingerprint).await,
                    Err(refusal) => {
                        let last_uci = self.last_uci.map(|uci| uci.to_string());
                        let refused = Refused::new(refusal, act.action, &self.game, last_uci);
                        self.requests.note_refused(by, act.request_id, fingerprint, refused.clone());
                        return Err(refused.into());
                    }
                },
                Err(error) => Err(error),
            };
            match written {
                Ok(entries) => return Ok(Answer::Done(Receipt::new(act.action, by, &entries, &self.game)?)),
                Err(JournalError::Refused(NotAdded::Conflict { .. })) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(ActError::Unreachable)
    }

    /// The measured round trip of the side to move, taking into account what the move at hand says of it.
    fn lag_ms(&self, action: Action, by: Color, now_ms: i64) -> u32 {
        let mover = self.game.side_to_move();
        match (action, self.game.turn_began_at_ms()) {
            (Action::PlayMove { .. }, Some(began_at_ms)) if by == mover && self.game.ply() > 0 => {
                self.attendance.measured_after_reply_ms(mover, now_ms - began_at_ms)
            }
            _ => self.attendance.measured_ms(mover),
        }
    }

    /// When something is due although nobody asks for it.
    fn next_due_ms(&self) -> Option<i64> {
        let lag_ms = self.attendance.measured_ms(self.game.side_to_move());
        let deadline_ms = next_deadline_ms(&self.game, lag_ms);
        deadline_ms.into_iter().chain(self.attendance.next_due_ms(&self.game)).min()
    }

    /// What follows from it for the game is due at once, and so done by the timer.
    fn note_sign(&mut self, sign: &Sign) {
        if let Some(by) = self.facts.color_of(sign.player_id) {
            self.attendance.note(by, sign);
        }
    }

    /// Writes down who went and who came back.
    async fn call_the_roll(&mut self, now_ms: i64) -> Result<(), JournalError> {
        while let Some(command) = self.attendance.roll_call(&self.game, now_ms) {
            let events = decide(&self.game, &command).unwrap_or_default();
            if events.is_empty() {
                return Ok(());
            }
            self.commit(events, Cause::Service, Uuid::now_v7()).await?;
        }
        Ok(())
    }

    /// Ends the game if its deadline lies before `now_ms`: the timer may not have been served yet.
    async fn settle(&mut self, now_ms: i64, lag_ms: u32) -> Result<(), JournalError> {
        if next_deadline_ms(&self.game, lag_ms).is_none_or(|deadline_ms| now_ms < deadline_ms) {
            return Ok(());
        }
        let events = decide(&self.game, &Command::TimerFired { now_ms, lag_ms }).unwrap_or_default();
        if let [Event::Ended(ended)] = events.as_slice() {
            metrics::deadline_settled(self.context.clock.now_ms() - ended.at_ms);
        }
        self.commit(events, Cause::Service, Uuid::now_v7()).await.map(|_| ())
    }

    async fn time_is_up(&mut self) {
        let settled = self.do_what_is_due().await;
        if let Err(error) = settled {
            tracing::warn!(game_id = %self.facts.game_id, %error, "a deadline could not be settled, trying again");
            tokio::select! {
                () = self.context.stop.cancelled() => {}
                () = tokio::time::sleep(RETRY_PAUSE_MAX / 4) => {}
            }
        }
    }

    async fn do_what_is_due(&mut self) -> Result<(), JournalError> {
        self.be_current().await?;
        let now_ms = self.context.clock.now_ms();
        self.settle(now_ms, self.attendance.measured_ms(self.game.side_to_move())).await?;
        self.call_the_roll(now_ms).await
    }

    /// Writes events and, once they are on disk, takes them in. After a failure the owner's state is as it was.
    async fn commit(
        &mut self,
        events: Vec<Event>,
        cause: Cause,
        event_id: Uuid,
    ) -> Result<Vec<Entry>, JournalError> {
        if events.is_empty() {
            return Ok(Vec::new());
        }
        let addition =
            Addition { facts: self.facts.clone(), expected: self.version, cause, event_id, events };
        let entries: Vec<Entry> = addition.entries().collect();
        let started = Instant::now();
        let outcome = self.context.journal.add(addition).await;
        metrics::appended(started.elapsed());
        if let Err(error) = outcome {
            if !matches!(error, JournalError::Refused(NotAdded::Overloaded)) {
                self.knowledge = Knowledge::Doubtful;
            }
            return Err(error);
        }
        for entry in &entries {
            if let Event::MovePlayed(played) = &entry.event
                && played.ply > 1
            {
                self.attendance.replied(self.game.side_to_move(), played.elapsed_ms);
            }
            self.game.evolve(&entry.event);
            self.note(entry);
            metrics::happened(&entry.event);
        }
        Ok(entries)
    }

    /// Reads the log again after a doubtful write.
    async fn be_current(&mut self) -> Result<(), JournalError> {
        if self.knowledge == Knowledge::Current {
            return Ok(());
        }
        let game_id = self.facts.game_id;
        let record = self.context.journal.load(game_id).await?.ok_or_else(|| JournalError::Damaged {
            game_id,
            reason: "the log of a running game is gone".to_owned(),
        })?;
        self.catch_up(&record)?;
        self.knowledge = Knowledge::Current;
        Ok(())
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
        if let Event::MovePlayed(played) = &entry.event {
            self.last_uci = Some(played.uci);
        }
        // Nobody may be watching.
        let _ = self.frames.send(Arc::new(Frame::new(entry, &self.game)));
    }
}
