//! What the players had to wait for.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use crate::audit::Audit;

/// What is done to the instances at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Nothing yet.
    Before,
    /// One after the other is asked to stop and started again.
    Roll,
    /// One is killed.
    Kill,
    /// One is stopped for longer than its lease.
    Stop,
    /// Nothing any more.
    After,
}

impl Phase {
    const ALL: [Phase; 5] = [Phase::Before, Phase::Roll, Phase::Kill, Phase::Stop, Phase::After];

    fn name(self) -> &'static str {
        match self {
            Phase::Before => "before",
            Phase::Roll => "roll",
            Phase::Kill => "kill",
            Phase::Stop => "stop",
            Phase::After => "after",
        }
    }
}

/// How long one move took.
#[derive(Clone, Copy, Debug)]
struct Sample {
    /// The phase in which it was sent for the first time.
    phase: usize,
    /// From there until it was acknowledged.
    acknowledged: Duration,
}

/// All that was measured.
#[derive(Debug, Default)]
pub struct Figures {
    phase: AtomicUsize,
    acknowledged: Mutex<Vec<Sample>>,
    /// From the first sending of a move until the opponent saw it.
    seen: Mutex<Vec<(usize, Duration)>>,
}

impl Figures {
    /// The next phase begins.
    pub fn enter(&self, phase: Phase) {
        self.phase.store(phase as usize, Ordering::SeqCst);
        eprintln!("phase: {}", phase.name());
    }

    /// The present phase, to be handed back with what is measured.
    pub fn phase(&self) -> usize {
        self.phase.load(Ordering::SeqCst)
    }

    /// A move that was sent in a phase was acknowledged.
    pub fn acknowledged(&self, phase: usize, acknowledged: Duration) {
        let mut samples = self.acknowledged.lock().unwrap_or_else(PoisonError::into_inner);
        samples.push(Sample { phase, acknowledged });
    }

    /// A move that was sent in a phase was seen by the opponent.
    pub fn seen(&self, phase: usize, seen: Duration) {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).push((phase, seen));
    }

    /// The longest wait of anybody, mover or opponent, in these phases.
    pub fn pause_max(&self, phases: &[Phase]) -> Duration {
        let waits = phases.iter().flat_map(|phase| {
            let (acknowledged, seen) = self.of(*phase as usize);
            acknowledged.into_iter().chain(seen)
        });
        waits.max().unwrap_or_default()
    }

    fn of(&self, phase: usize) -> (Vec<Duration>, Vec<Duration>) {
        let samples = self.acknowledged.lock().unwrap_or_else(PoisonError::into_inner);
        let acknowledged = samples.iter().filter(|sample| sample.phase == phase);
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = seen.iter().filter(|(of, _)| *of == phase).map(|(_, wait)| *wait);
        (acknowledged.map(|sample| sample.acknowledged).collect(), seen.collect())
    }

    /// Everything as one line of JSON.
    pub fn line(&self, audit: &Audit, games: usize) -> Value {
        let phases = Phase::ALL.into_iter().map(|phase| {
            let (acknowledged, seen) = self.of(phase as usize);
            let line = json!({
                "moves": acknowledged.len(),
                "acknowledged_ms": waits(acknowledged),
                "seen_by_opponent_ms": waits(seen),
            });
            (phase.name().to_owned(), line)
        });
        json!({
            "games": games,
            "moves_acknowledged": audit.acknowledged,
            "in_log_once": audit.in_log_once,
            "moves_in_log": audit.in_log,
            "games_ended": audit.ended,
            "frames": audit.frames,
            "gaps": audit.gaps,
            "repeats": audit.repeats,
            "stood_still": audit.stood_still,
            "phases": phases.collect::<serde_json::Map<_, _>>(),
        })
    }
}

/// The half-way and the longest wait.
fn waits(mut waits: Vec<Duration>) -> Value {
    waits.sort();
    let ms = |wait: Option<&Duration>| wait.map_or(0, Duration::as_millis) as u64;
    json!({ "p50": ms(waits.get(waits.len() / 2)), "max": ms(waits.last()) })
}
