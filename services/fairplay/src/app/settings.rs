//! The limits of the analysis.

use std::sync::Arc;
use std::time::Duration;

use domain_fairplay::calibration::Calibration;
use uci::EngineConfig;

use crate::Config;

/// The most nodes a position: at four hundred thousand a second, fifty seconds.
pub const NODES_MAX: u64 = 20_000_000;
/// The most engines one process may keep.
pub const ENGINES_MAX: usize = uci::pool::ENGINES_MAX;
/// Lines searched a position, as in pass A of the method.
pub const MULTI_PV: u16 = 4;
/// Nodes a position in the second pass.
pub const SECOND_PASS_NODES: u64 = 100_000;
/// The last games of a player that get a second pass.
pub const SECOND_PASS_GAMES_MAX: i64 = 10;
/// The longest game that is analysed. The longest ever played in a tournament had 538 plies; the report of one with this
/// many, with the engine's moves, still fits into an event.
pub const PLIES_MAX: usize = 1_200;
/// The most characters of a cause that are kept.
pub const CAUSE_CHARS_MAX: usize = 1_000;

/// Nodes a position, unless configured: pass A of the method.
#[must_use]
pub fn nodes() -> u64 {
    25_000
}

/// Engines, unless configured.
#[must_use]
pub fn engines() -> usize {
    1
}

/// How long a claim holds without a sign of its worker, unless configured, in milliseconds.
#[must_use]
pub fn claim_ms() -> u64 {
    60_000
}

/// The stake from which a game gets a second pass whoever played it, unless configured, in minor units.
#[must_use]
pub fn second_pass_stake() -> i64 {
    100_000
}

/// The shortest and the longest claim, in milliseconds.
pub const CLAIM_MS: std::ops::RangeInclusive<u64> = 500..=3_600_000;
/// A probe has a tenth of the nodes.
const PROBE_PART: u64 = 10;
/// But not fewer: with less an engine may not come to the end of its first depth.
const PROBE_NODES_MIN: u64 = 1_000;

/// How games are analysed.
#[derive(Debug, Clone)]
pub struct AnalysisSettings {
    /// The engine, if one is configured.
    pub engine: Option<EngineConfig>,
    /// Engines, and as many jobs, at work at once.
    pub engines: usize,
    /// What is asked about each position.
    pub search: SearchSettings,
    /// What is asked about the positions that count, in the second pass.
    pub second_search: SearchSettings,
    /// What evidence is scored with.
    pub calibration: Arc<Calibration>,
    /// The stake from which a game gets a second pass whoever played it, in minor units.
    pub second_pass_stake: i64,
    /// How long a claim holds without a sign of its worker.
    pub claim_time: Duration,
    /// Tries before a job is parked.
    pub attempts_max: u32,
    /// Workers that may die over a job before it is parked: a job that kills them must not do so for ever, but a few unlucky
    /// restarts must not cost a report.
    pub claims_lost_max: u32,
    /// Wait after the first failed try; it doubles with each.
    pub retry_delay: Duration,
    /// How often an idle worker looks for work that nobody told it of.
    pub poll_interval: Duration,
    /// Wait before an engine that did not start is tried again.
    pub engine_delay: Duration,
}

/// What is asked about a position. Nodes and never time, so that the answer is the same everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchSettings {
    /// Nodes searched.
    pub nodes: u64,
    /// Lines listed.
    pub multi_pv: u16,
}

impl SearchSettings {
    /// Nodes of the probe that comes before a search.
    #[must_use]
    pub fn probe_nodes(&self) -> u64 {
        (self.nodes / PROBE_PART).max(PROBE_NODES_MIN).min(self.nodes)
    }
}

impl AnalysisSettings {
    /// As configured.
    #[must_use]
    pub fn of(config: &Config, calibration: Arc<Calibration>) -> Self {
        Self {
            engine: config.stockfish.clone().map(EngineConfig::new),
            engines: config.engines,
            search: SearchSettings { nodes: config.nodes, multi_pv: MULTI_PV },
            second_search: SearchSettings { nodes: SECOND_PASS_NODES, multi_pv: MULTI_PV },
            calibration,
            second_pass_stake: config.second_pass_stake,
            claim_time: Duration::from_millis(config.claim_ms),
            attempts_max: 3,
            claims_lost_max: 10,
            retry_delay: Duration::from_secs(10),
            poll_interval: Duration::from_secs(1),
            engine_delay: Duration::from_secs(15),
        }
    }

    /// The wait after so many failed tries.
    #[must_use]
    pub fn retry_delay_after(&self, attempts: u32) -> Duration {
        self.retry_delay.saturating_mul(1 << attempts.saturating_sub(1).min(16))
    }
}
