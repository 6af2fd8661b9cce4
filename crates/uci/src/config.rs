//! How an engine is started, and how long it may take.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Where Debian installs games; not on the path of every account.
const EXTRA_FOLDERS: [&str; 1] = ["/usr/games"];

/// The configuration of an engine.
#[derive(Clone, Debug)]
pub struct EngineConfig {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Size of the hash table. It changes results, so a calibration pins it.
    pub hash_mb: u32,
    /// Search threads. More than one makes results differ from run to run.
    pub threads: u32,
    /// The widest MultiPV a search may ask for.
    pub multi_pv_max: u16,
    /// The largest node budget a search may ask for.
    pub nodes_max: u64,
    /// How long the engine may take to say `uciok`, and each `readyok`.
    pub startup_timeout: Duration,
    /// The slowest honest engine, from which a search's time limit follows. Stockfish 15.1 does about 400,000
    /// nodes in a CPU second; the default leaves room for a machine forty times slower or busier.
    pub nodes_per_second_min: u64,
    /// No search may take longer than this, whatever its nodes.
    pub search_ceiling: Duration,
    /// What a search may take beyond its limit before its engine is killed.
    pub grace: Duration,
    /// Wait before an engine that failed once is started again; doubled at each further failure.
    pub restart_delay: Duration,
    /// The longest such wait.
    pub restart_delay_max: Duration,
}

impl EngineConfig {
    /// The defaults for a program: those of pass A in the fair-play design (32 MB, one thread).
    #[must_use]
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            hash_mb: 32,
            threads: 1,
            multi_pv_max: 8,
            nodes_max: 20_000_000,
            startup_timeout: Duration::from_secs(30),
            nodes_per_second_min: 10_000,
            search_ceiling: Duration::from_secs(120),
            grace: Duration::from_secs(5),
            restart_delay: Duration::from_millis(200),
            restart_delay_max: Duration::from_secs(10),
        }
    }

    /// When a search of `nodes` is given up and its engine killed: the time the slowest honest engine needs, at
    /// most the ceiling, and the grace.
    #[must_use]
    pub fn search_limit(&self, nodes: u64) -> Duration {
        let rate = self.nodes_per_second_min.max(1);
        let needed = Duration::from_millis(nodes.saturating_mul(1000) / rate);
        needed.min(self.search_ceiling) + self.grace
    }

    pub(crate) fn restart_delay_after(&self, failures: u32) -> Duration {
        let doublings = failures.saturating_sub(1).min(16);
        self.restart_delay.saturating_mul(1 << doublings).min(self.restart_delay_max)
    }
}

/// Finds a program on the search path, or where Debian keeps games.
#[must_use]
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain(EXTRA_FOLDERS.map(PathBuf::from))
        .map(|folder| folder.join(name))
        .find(|candidate| candidate.is_file())
}
