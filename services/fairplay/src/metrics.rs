//! The metrics of fair play.

use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};

/// Games that wait for an analysis or are being analysed.
pub const QUEUE_DEPTH: &str = "fairplay_analysis_queue_depth";
/// Seconds of one complete analysis, from the claim to the report.
pub const ANALYSIS_SECONDS: &str = "fairplay_analysis_seconds";
/// Tries of an analysis that failed.
pub const FAILURES: &str = "fairplay_analysis_failures_total";
/// Analyses that were given up; each one waits for a person.
pub const PARKED: &str = "fairplay_analysis_parked_total";
/// Changes of pairs' days, by event.
pub const PAIRINGS: &str = "fairplay_pairings_total";
/// Games and matches that contradict what was reserved for them; each one is a fault somewhere.
pub const CONTRADICTIONS: &str = "fairplay_pairing_contradictions_total";

/// Signs of collusion that were raised.
pub const SIGNALS: &str = "fairplay_collusion_signals_total";
/// Positions that were searched.
pub const POSITIONS_FOUND: &str = "fairplay_positions_searched_total";
/// Positions that had been searched before.
pub const POSITIONS_KNOWN: &str = "fairplay_positions_known_total";
/// Players who came to a level, by level.
pub const LEVELS: &str = "fairplay_levels_total";

/// What was noticed of games before an engine looked, by kind.
pub const SCREENED: &str = "fairplay_screen_notices_total";

/// Registers the descriptions; calling it again changes nothing.
pub fn describe() {
    describe_gauge!(QUEUE_DEPTH, "games that wait for an analysis or are being analysed");
    describe_histogram!(ANALYSIS_SECONDS, Unit::Seconds, "time of one complete analysis");
    describe_counter!(FAILURES, "tries of an analysis that failed");
    describe_counter!(PARKED, "analyses that were given up");
    describe_counter!(PAIRINGS, "changes of pairs' days, by event");
    describe_counter!(LEVELS, "players who came to a level, by level");
    describe_counter!(SCREENED, "what was noticed of games before an engine looked, by kind");
    describe_counter!(SIGNALS, "signs of collusion that were raised");
    describe_counter!(POSITIONS_FOUND, "positions that were searched");
    describe_counter!(POSITIONS_KNOWN, "positions that had been searched before");
    describe_counter!(CONTRADICTIONS, "events that contradict what was reserved");
}
