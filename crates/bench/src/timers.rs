//! P7, and the memory of P5 without streams: ten thousand running clocks in one process, without a database.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use domain_chess::{ClockStart, Event};
use futures::future::BoxFuture;
use game::app::{
    Addition, Clock, Entry, GameId, Games, Journal, JournalError, Record, SystemClock, Version, WatchLimits,
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::cpu;
use crate::figure::{Figure, Goal, quantile};
use crate::stand::beginning;

const GAMES: usize = 10_000;
/// The memory of the first games holds what all of them share.
const GAMES_BEFORE: usize = 1_000;
/// The flags fall within this time, none before all games have an owner.
const FIRST_FLAG_MS: u32 = 12_000;
const FLAGS_SPAN_MS: u32 = 8_000;
const LATENESS_MS_MAX: f64 = 10.0;
const GAME_BYTES_MAX: f64 = 6.0 * 1024.0;

/// A log in memory that notes how late each game ended.
#[derive(Debug)]
struct Notes {
    clock: Arc<dyn Clock>,
    games: Mutex<HashMap<GameId, Record>>,
    late_ms: Mutex<Vec<f64>>,
}

impl Journal for Notes {
    fn load(&self, game_id: GameId) -> BoxFuture<'_, Result<Option<Record>, JournalError>> {
        let found = self.games.lock().unwrap_or_else(PoisonError::into_inner).get(&game_id).cloned();
        Box::pin(async move { Ok(found) })
    }

    fn add(&self, addition: Addition) -> BoxFuture<'_, Result<Version, JournalError>> {
        if let Some(Event::Ended(ended)) = addition.events.last() {
            let late_ms = (self.clock.now_ms() - ended.at_ms) as f64;
            self.late_ms.lock().unwrap_or_else(PoisonError::into_inner).push(late_ms);
        }
        let version = addition.expected + addition.events.len() as Version;
        Box::pin(async move { Ok(version) })
    }

    fn live(&self) -> BoxFuture<'_, Result<Vec<GameId>, JournalError>> {
        let games = self.games.lock().unwrap_or_else(PoisonError::into_inner).keys().copied().collect();
        Box::pin(async move { Ok(games) })
    }
}

/// Measures lateness and memory.
pub async fn measure() -> anyhow::Result<Vec<Figure>> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
    let notes = Arc::new(Notes {
        clock: clock.clone(),
        games: Mutex::default(),
        late_ms: Mutex::new(Vec::with_capacity(GAMES)),
    });
    let stop = CancellationToken::new();
    let games = Games::new(notes.clone(), clock.clone(), WatchLimits::default(), stop.clone());
    let records: Vec<Record> = (0..GAMES).map(|number| running(clock.now_ms(), number)).collect();
    let mut before = 0;
    for (record, number) in records.into_iter().zip(0..) {
        let game_id = record.facts().game_id;
        notes.games.lock().unwrap_or_else(PoisonError::into_inner).insert(game_id, record);
        if number == GAMES_BEFORE {
            settle().await;
            before = cpu::resident_bytes(std::process::id());
        }
        games.take_up(game_id);
    }
    settle().await;
    let bytes = cpu::resident_bytes(std::process::id()).saturating_sub(before);
    loop {
        tokio::time::sleep(Duration::from_millis(200)).await;
        if notes.late_ms.lock().unwrap_or_else(PoisonError::into_inner).len() >= GAMES {
            break;
        }
    }
    stop.cancel();
    let mut late_ms = std::mem::take(&mut *notes.late_ms.lock().unwrap_or_else(PoisonError::into_inner));
    let n = late_ms.len();
    Ok(vec![
        Figure {
            id: "P7",
            name: format!("flag lateness with {GAMES} running clocks, 99 of 100"),
            value: quantile(&mut late_ms, 0.99),
            unit: "ms",
            goal: Goal::AtMost(LATENESS_MS_MAX),
            n,
        },
        Figure {
            id: "P5",
            name: format!("memory of a live game without streams, beyond the first {GAMES_BEFORE}"),
            value: bytes as f64 / (GAMES - GAMES_BEFORE) as f64,
            unit: "bytes",
            goal: Goal::AtMost(GAME_BYTES_MAX),
            n: GAMES - GAMES_BEFORE,
        },
    ])
}

/// Lets the owners that were just made come to rest.
async fn settle() {
    tokio::time::sleep(Duration::from_millis(500)).await;
}

/// A game whose first clock runs out in its turn.
fn running(now_ms: i64, number: usize) -> Record {
    let (facts, mut started) = beginning(Uuid::now_v7(), Uuid::now_v7());
    let mut rules = (*started.rule_set).clone();
    rules.clock_start = ClockStart::WithGame;
    rules.lag_credit = None;
    started.rule_set = Arc::new(rules);
    started.at_ms = now_ms;
    let part = u32::try_from(number).unwrap_or(0) * 7_919 % FLAGS_SPAN_MS;
    started.time_control = Some(domain_chess::TimeControl::new(FIRST_FLAG_MS + part, 0));
    let event = Event::Started(Box::new(started));
    let entry = Entry { version: 1, event_id: None, cause: game::app::Cause::Service, event };
    Record::new(Arc::new(facts), vec![entry]).expect("it begins with its start")
}
