//! What an owner does when the log does not take what it is given: it reads before it decides again, and nobody is charged for the
//! time.

use std::time::Duration;

use domain_chess::{Command, decide, next_deadline_ms};
use uuid::Uuid;

use super::{
    super::journal::{Cause, JournalError, Refused as NotAdded},
    Knowledge, Owner,
};
use crate::metrics;

/// How long an owner waits before it tries again what the log refused it: at first, and at most.
pub(super) const RETRY_PAUSE_MIN: Duration = Duration::from_millis(50);
pub(super) const RETRY_PAUSE_MAX: Duration = Duration::from_secs(2);

/// The log does not take what it is given. The game stands still from the first thing that it did not take: nobody is charged
/// for the time until it answers again (GAME-6).
#[derive(Clone, Copy)]
pub(super) struct Outage {
    since_ms: i64,
    pause: Duration,
    pub(super) look_at_ms: i64,
}

impl Owner {
    /// Notes that the log has failed with something that was begun at `since_ms`.
    fn note_failure(&mut self, since_ms: i64) {
        let (since_ms, pause) = match self.outage {
            Some(outage) => (outage.since_ms, (outage.pause * 2).min(RETRY_PAUSE_MAX)),
            None => (since_ms, RETRY_PAUSE_MIN),
        };
        let pause_ms = i64::try_from(pause.as_millis()).expect("a pause of seconds");
        self.outage = Some(Outage { since_ms, pause, look_at_ms: self.context.clock.now_ms() + pause_ms });
    }

    /// Notes what follows from a write that did not succeed.
    pub(super) fn note_not_written(&mut self, error: &JournalError, since_ms: i64) {
        match error {
            // Another instance owns the shard, and so this game and all others of it.
            JournalError::Refused(NotAdded::NotOwner) => self.context.holdings.doubt(&self.holding),
            JournalError::Refused(NotAdded::Overloaded) => self.note_failure(since_ms),
            JournalError::Refused(NotAdded::Conflict { .. }) => self.knowledge = Knowledge::Doubtful,
            _ => {
                self.knowledge = Knowledge::Doubtful;
                self.note_failure(since_ms);
            }
        }
    }

    /// Reads the log again after a doubtful write, and sets the game going again after an outage.
    pub(super) async fn be_current(&mut self) -> Result<(), JournalError> {
        if self.knowledge == Knowledge::Doubtful {
            let now_ms = self.context.clock.now_ms();
            let loaded = self.context.journal.load(self.facts.game_id).await;
            let record = loaded.inspect_err(|_| self.note_failure(now_ms))?;
            let record = record.ok_or_else(|| JournalError::Damaged {
                game_id: self.facts.game_id,
                reason: "the log of a running game is gone".to_owned(),
            })?;
            self.catch_up(&record)?;
            self.knowledge = Knowledge::Current;
        }
        match self.outage {
            Some(outage) => self.end_outage(outage.since_ms).await,
            None => Ok(()),
        }
    }

    /// The log answers again. A flag that had fallen before the outage stays fallen; otherwise the clocks go on from where
    /// they stood when it began.
    async fn end_outage(&mut self, since_ms: i64) -> Result<(), JournalError> {
        let now_ms = self.context.clock.now_ms();
        let lag_ms = self.attendance.measured_ms(self.game.side_to_move());
        let deadline_ms = next_deadline_ms(&self.game, lag_ms);
        let has_fallen = deadline_ms.is_some_and(|deadline_ms| deadline_ms <= since_ms);
        if self.game.is_playing() && !has_fallen && now_ms > since_ms {
            let command = Command::Resume { now_ms, alive_until_ms: Some(since_ms) };
            let events = decide(&self.game, &command).unwrap_or_default();
            self.commit(events, Cause::Service, Some(Uuid::now_v7())).await?;
            metrics::recovered();
        }
        self.outage = None;
        Ok(())
    }
}
