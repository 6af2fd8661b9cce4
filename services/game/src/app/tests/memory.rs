//! A log in memory, with the failures of a real one at a test's command.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex},
};

use domain_chess::{Command, Game, Start, decide};
use futures::future::BoxFuture;
use uuid::Uuid;

use crate::app::{
    Addition, AdditionRefused, Cause, Entry, Facts, GameId, Journal, JournalError, Record, Version,
};

/// What goes wrong at the next write.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fault {
    /// The store cannot be reached.
    Down,
    /// The write lands, but nobody hears of it.
    AnswerLost,
    /// Somebody else has written first.
    Overtaken,
    /// Too much is waiting.
    Full,
}

#[derive(Clone, Debug, Default)]
pub(super) struct MemoryJournal {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    logs: HashMap<GameId, (Arc<Facts>, Vec<Entry>)>,
    faults: VecDeque<Fault>,
    loads_failing: usize,
    writes: usize,
}

impl MemoryJournal {
    pub(super) fn begin(&self, facts: &Arc<Facts>, start: Start) {
        let events = decide(&Game::new(), &Command::Start(Box::new(start))).expect("a good start");
        let entries = Addition {
            facts: facts.clone(),
            expected: 0,
            epoch: 0,
            cause: Cause::Service,
            event_id: Some(Uuid::new_v4()),
            events,
        };
        let entries = entries.entries().collect();
        self.state.lock().expect("unpoisoned").logs.insert(facts.game_id, (facts.clone(), entries));
    }

    pub(super) fn fail_next(&self, fault: Fault) {
        self.state.lock().expect("unpoisoned").faults.push_back(fault);
    }

    pub(super) fn fail_loads(&self, count: usize) {
        self.state.lock().expect("unpoisoned").loads_failing = count;
    }

    pub(super) fn entries(&self, facts: &Facts) -> Vec<Entry> {
        self.state.lock().expect("unpoisoned").logs[&facts.game_id].1.clone()
    }

    /// Gives every event without an id one, as all had once.
    pub(super) fn give_ids(&self, facts: &Facts) {
        let mut state = self.state.lock().expect("unpoisoned");
        let (_, log) = state.logs.get_mut(&facts.game_id).expect("the game has begun");
        for entry in log {
            entry.event_id.get_or_insert_with(Uuid::new_v4);
        }
    }

    /// How many writes were tried.
    pub(super) fn writes(&self) -> usize {
        self.state.lock().expect("unpoisoned").writes
    }
}

impl Journal for MemoryJournal {
    fn load(&self, game_id: GameId) -> BoxFuture<'_, Result<Option<Record>, JournalError>> {
        Box::pin(async move {
            let mut state = self.state.lock().expect("unpoisoned");
            if state.loads_failing > 0 {
                state.loads_failing -= 1;
                return Err(JournalError::Unavailable("down".into()));
            }
            Ok(state.logs.get(&game_id).and_then(|(facts, log)| Record::new(facts.clone(), log.clone())))
        })
    }

    fn add(&self, addition: Addition) -> BoxFuture<'_, Result<Version, JournalError>> {
        Box::pin(async move {
            let mut state = self.state.lock().expect("unpoisoned");
            state.writes += 1;
            let fault = state.faults.pop_front();
            match fault {
                Some(Fault::Down) => return Err(JournalError::Unavailable("down".into())),
                Some(Fault::Full) => return Err(AdditionRefused::Overloaded.into()),
                Some(Fault::AnswerLost | Fault::Overtaken) | None => {}
            }
            let (_, log) = state.logs.get_mut(&addition.facts.game_id).expect("the game has begun");
            let actual = Version::try_from(log.len()).expect("a short log");
            if matches!(fault, Some(Fault::Overtaken)) {
                return Err(AdditionRefused::Conflict { actual }.into());
            }
            if actual != addition.expected {
                return Err(AdditionRefused::Conflict { actual }.into());
            }
            log.extend(addition.entries());
            match fault {
                Some(Fault::AnswerLost) => Err(JournalError::Unavailable("connection lost".into())),
                _ => Ok(Version::try_from(log.len()).expect("a short log")),
            }
        })
    }

    fn live(&self) -> BoxFuture<'_, Result<Vec<GameId>, JournalError>> {
        Box::pin(async move {
            let state = self.state.lock().expect("unpoisoned");
            let live = state.logs.iter().filter_map(|(game_id, (facts, log))| {
                let record = Record::new(facts.clone(), log.clone())?;
                record.end().is_none().then_some(*game_id)
            });
            Ok(live.collect())
        })
    }
}
