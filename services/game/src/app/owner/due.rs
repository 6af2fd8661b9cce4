//! What an owner does without being asked, and when: flags, missing first moves, players who went and came back.

use domain_chess::{Color, Command, Event, decide, next_deadline_ms};
use uuid::Uuid;

use super::{
    super::{
        act::Action,
        attendance::{Origin, Sign},
        journal::{Cause, JournalError},
    },
    Owner, Turn,
};
use crate::metrics;

impl Owner {
    /// The measured round trip of the side to move, taking into account what the move at hand says of it.
    pub(super) fn lag_ms(&self, action: Action, by: Color, now_ms: i64) -> u32 {
        let mover = self.game.side_to_move();
        match (action, self.game.turn_began_at_ms()) {
            (Action::PlayMove { .. }, Some(began_at_ms)) if by == mover && self.is_reply() => {
                self.attendance.measured_after_reply_ms(mover, now_ms - began_at_ms)
            }
            _ => self.attendance.measured_ms(mover),
        }
    }

    /// Whether the next move answers one that its player had to hear of first.
    pub(super) fn is_reply(&self) -> bool {
        self.game.ply() > 0 && self.turn == Turn::Whole
    }

    /// When something is due although nobody asks for it.
    fn next_due_ms(&self) -> Option<i64> {
        let lag_ms = self.attendance.measured_ms(self.game.side_to_move());
        let deadline_ms = next_deadline_ms(&self.game, lag_ms);
        deadline_ms.into_iter().chain(self.attendance.next_due_ms(&self.game)).min()
    }

    /// What follows from it for the game is due at once, and so done by the timer.
    pub(super) fn note_sign(&mut self, sign: &Sign, origin: Origin) {
        if let Some(by) = self.facts.color_of(sign.player_id) {
            self.attendance.note(by, sign, origin);
        }
    }

    /// Writes down who went and who came back.
    async fn call_the_roll(&mut self, now_ms: i64) -> Result<(), JournalError> {
        while let Some(command) = self.attendance.roll_call(&self.game, now_ms) {
            let events = decide(&self.game, &command).unwrap_or_default();
            if events.is_empty() {
                return Ok(());
            }
            self.commit(events, Cause::Service, Some(Uuid::now_v7())).await?;
        }
        Ok(())
    }

    /// Ends the game if its deadline lies before `now_ms`: the timer may not have been served yet.
    pub(super) async fn settle(&mut self, now_ms: i64, lag_ms: u32) -> Result<(), JournalError> {
        if next_deadline_ms(&self.game, lag_ms).is_none_or(|deadline_ms| now_ms < deadline_ms) {
            return Ok(());
        }
        let events = decide(&self.game, &Command::TimerFired { now_ms, lag_ms }).unwrap_or_default();
        if let [Event::Ended(ended)] = events.as_slice() {
            metrics::deadline_settled(self.context.clock.now_ms() - ended.at_ms);
        }
        self.commit(events, Cause::Service, Some(Uuid::now_v7())).await.map(|_| ())
    }

    /// The timer's span is the root of the trace of whatever the end of the game brings about.
    #[tracing::instrument(skip_all, fields(game_id = %self.facts.game_id))]
    pub(super) async fn time_is_up(&mut self) {
        let settled = self.do_what_is_due().await;
        if let Err(error) = settled
            && !self.holding.stop.is_cancelled()
        {
            tracing::warn!(game_id = %self.facts.game_id, %error, "the log does not take what is due, trying again");
        }
    }

    async fn do_what_is_due(&mut self) -> Result<(), JournalError> {
        self.be_current().await?;
        let now_ms = self.context.clock.now_ms();
        self.attendance.forget_silent(now_ms);
        self.settle(now_ms, self.attendance.measured_ms(self.game.side_to_move())).await?;
        self.call_the_roll(now_ms).await
    }

    /// When there is something to do without being asked: the next instant at which the game would end by itself, or in an
    /// outage the next look at the log. What the log took without saying so is told to the watchers then.
    pub(super) fn wakes_at_ms(&self) -> Option<i64> {
        self.outage.map_or_else(|| self.next_due_ms(), |outage| Some(outage.look_at_ms))
    }
}
