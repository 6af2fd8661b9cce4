//! The service's figures. Names are given here once; no id is ever a label.

use std::time::Duration;

use domain_chess::Event;

/// How many games have an owner in this process.
const LIVE_GAMES: &str = "game_live_games";
/// How many moves have been played.
const MOVES: &str = "game_moves_total";
/// How many games have ended, by reason.
const ENDED: &str = "game_ended_total";
/// How many games were taken up again after they had stood still.
const RECOVERED: &str = "game_recovered_total";
/// From handing events to the log to their being on disk.
const APPEND_SECONDS: &str = "game_append_seconds";
/// From the instant of a flag fall or missing first move to the moment at which it is settled.
const DEADLINE_LATENESS_SECONDS: &str = "game_deadline_lateness_seconds";
/// How many shards this process owns.
const OWNED_SHARDS: &str = "game_owned_shards";
/// How many shards this process has taken over.
const TAKE_OVERS: &str = "game_shard_take_overs_total";
/// How many streams follow games.
const WATCHERS: &str = "game_watchers";

/// Describes every figure. To be called once, when the recorder stands.
pub fn describe() {
    metrics::describe_gauge!(LIVE_GAMES, "games that have an owner in this process");
    metrics::describe_gauge!(OWNED_SHARDS, "shards that this process owns");
    metrics::describe_counter!(TAKE_OVERS, "shards that this process has taken over");
    metrics::describe_gauge!(WATCHERS, "streams that follow games");
    metrics::describe_counter!(MOVES, "moves played");
    metrics::describe_counter!(ENDED, "games ended, by reason");
    metrics::describe_counter!(RECOVERED, "games taken up after they had stood still");
    metrics::describe_histogram!(
        APPEND_SECONDS,
        metrics::Unit::Seconds,
        "from handing events to the log to their being on disk"
    );
    metrics::describe_histogram!(
        DEADLINE_LATENESS_SECONDS,
        metrics::Unit::Seconds,
        "from a deadline to its being settled"
    );
}

/// So many games have an owner.
pub(crate) fn live_games(count: usize) {
    metrics::gauge!(LIVE_GAMES).set(count as f64);
}

/// So many shards are owned.
pub(crate) fn owned_shards(count: usize) {
    metrics::gauge!(OWNED_SHARDS).set(count as f64);
}

/// So many shards were taken over.
pub(crate) fn taken_over(count: usize) {
    metrics::counter!(TAKE_OVERS).increment(count as u64);
}

/// An event was written.
pub(crate) fn happened(event: &Event) {
    match event {
        Event::MovePlayed(_) => metrics::counter!(MOVES).increment(1),
        Event::Ended(ended) => metrics::counter!(ENDED, "reason" => ended.reason.name()).increment(1),
        _ => {}
    }
}

/// A game was taken up after it had stood still.
pub(crate) fn recovered() {
    metrics::counter!(RECOVERED).increment(1);
}

/// Events were written, or refused.
pub(crate) fn appended(took: Duration) {
    metrics::histogram!(APPEND_SECONDS).record(took.as_secs_f64());
}

/// A deadline was looked after so much later than it was due.
pub(crate) fn deadline_settled(late_ms: i64) {
    metrics::histogram!(DEADLINE_LATENESS_SECONDS).record(late_ms.max(0) as f64 / 1_000.0);
}

/// A stream that follows a game; counted until it is dropped.
#[derive(Debug)]
pub(crate) struct Watcher(());

impl Watcher {
    /// One more.
    pub(crate) fn new() -> Watcher {
        metrics::gauge!(WATCHERS).increment(1.0);
        Watcher(())
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        metrics::gauge!(WATCHERS).decrement(1.0);
    }
}
