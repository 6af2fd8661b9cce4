//! What is to be expected of times and clocks. A guess that is wrong costs bytes and nothing else: what was is written out.

use shakmaty::{ByColor, Color};

use crate::{
    clock::Clocks,
    event::{Ended, Event, MovePlayed, Started},
    outcome::EndReason,
    rule_set::ClockStart,
    time_control::TimeScale,
};

/// Where times and clocks stand.
#[derive(Clone, Debug)]
pub(super) struct Course {
    scale: TimeScale,
    clock_start: ClockStart,
    increment_ms: i64,
    clocks: Option<Clocks>,
    began_at_ms: i64,
    last_at_ms: i64,
    moves_made: ByColor<u32>,
}

/// What follows from a move's own times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Consequences {
    pub(super) received_at_ms: i64,
    pub(super) charged_ms: i64,
    pub(super) clocks: Option<Clocks>,
}

impl Course {
    pub(super) fn new(started: &Started) -> Course {
        Course {
            scale: started.time_scale,
            clock_start: started.rule_set.clock_start,
            increment_ms: started.time_control.map_or(0, |control| i64::from(control.increment_ms)),
            clocks: started.time_control.map(Clocks::at_start),
            began_at_ms: started.at_ms,
            last_at_ms: started.at_ms,
            moves_made: ByColor::default(),
        }
    }

    pub(super) fn has_clocks(&self) -> bool {
        self.clocks.is_some()
    }

    pub(super) fn last_at_ms(&self) -> i64 {
        self.last_at_ms
    }

    /// What follows when the mover took `elapsed_ms` and was credited `credit_ms`.
    pub(super) fn after_move(&self, mover: Color, elapsed_ms: i64, credit_ms: i64) -> Consequences {
        let charged_ms =
            if self.runs(mover) { self.scale.clock_ms(elapsed_ms.saturating_sub(credit_ms)) } else { 0 };
        let clocks = self.clocks.map(|clocks| {
            let left_ms = clocks[mover].saturating_sub(charged_ms).max(0);
            clocks.with(mover, left_ms.saturating_add(self.increment_ms))
        });
        Consequences { received_at_ms: self.began_at_ms.saturating_add(elapsed_ms), charged_ms, clocks }
    }

    /// When a game is expected to end for that reason.
    pub(super) fn ends_at_ms(&self, mover: Color, reason: EndReason) -> i64 {
        match (reason, self.clocks) {
            (EndReason::Time | EndReason::TimeVsInsufficientMaterial, Some(clocks)) => {
                self.began_at_ms.saturating_add(self.scale.real_ms(clocks[mover]))
            }
            _ => self.last_at_ms,
        }
    }

    /// What the clocks are expected to show at the end.
    pub(super) fn clocks_at(&self, mover: Color, at_ms: i64) -> Option<Clocks> {
        let clocks = self.clocks?;
        if !self.runs(mover) {
            return Some(clocks);
        }
        let elapsed_ms = at_ms.saturating_sub(self.began_at_ms).max(0);
        let left_ms = clocks[mover].saturating_sub(self.scale.clock_ms(elapsed_ms));
        Some(clocks.with(mover, left_ms.clamp(0, clocks[mover].max(0))))
    }

    pub(super) fn played(&mut self, mover: Color, played: &MovePlayed) {
        self.clocks = played.clocks;
        *self.moves_made.get_mut(mover) += 1;
        (self.began_at_ms, self.last_at_ms) = (played.received_at_ms, played.received_at_ms);
    }

    pub(super) fn happened(&mut self, event: &Event) {
        self.last_at_ms = event.at_ms();
        match event {
            Event::Resumed { stood_still_ms, .. } => {
                self.began_at_ms = self.began_at_ms.saturating_add(*stood_still_ms);
            }
            Event::Ended(Ended { clocks, .. }) => self.clocks = *clocks,
            _ => {}
        }
    }

    fn runs(&self, mover: Color) -> bool {
        let started = match self.clock_start {
            ClockStart::FirstMovesFree { .. } => *self.moves_made.get(mover) > 0,
            ClockStart::WithGame => true,
            ClockStart::Never => false,
        };
        started && self.clocks.is_some()
    }
}
