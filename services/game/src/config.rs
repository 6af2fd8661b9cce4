//! The settings of the game service.

use std::time::Duration;

use serde::Deserialize;
use service_kit::config::{CommonConfig, Problem, ServiceConfig};

/// The length of a lease when nothing else is said. As long does a game stand still whose owner died without a word.
pub const LEASE_MS: u32 = 5_000;
/// The shortest length: below it a machine that is busy for a moment would lose its games.
pub const LEASE_MS_MIN: u32 = 1_000;
/// The longest length.
pub const LEASE_MS_MAX: u32 = 60_000;

/// The settings of the game service.
#[derive(Clone, Debug, Deserialize)]
pub struct Config {
    /// Those that every service has.
    #[serde(flatten)]
    pub common: CommonConfig,
    /// `STAKEMATE_GAME_LEASE_MS`: for how long an instance owns its shards without renewing its lease, from 1000 to 60000; 5000. The same
    /// for all instances.
    #[serde(default = "lease_ms")]
    pub lease_ms: u32,
    /// `STAKEMATE_GAME_INSTANCE`: the name of this instance, which it keeps over restarts: a process that starts under a name takes over
    /// from the one before at once. The name of the machine and the address of gRPC when left out.
    #[serde(default)]
    pub instance: String,
}

impl Config {
    /// The length of a lease.
    pub fn lease(&self) -> Duration {
        Duration::from_millis(self.lease_ms.into())
    }
}

impl From<CommonConfig> for Config {
    fn from(common: CommonConfig) -> Config {
        Config { common, lease_ms: LEASE_MS, instance: String::new() }
    }
}

impl ServiceConfig for Config {
    fn common(&self) -> &CommonConfig {
        &self.common
    }

    fn problems(&self) -> Vec<Problem> {
        let is_possible = (LEASE_MS_MIN..=LEASE_MS_MAX).contains(&self.lease_ms);
        let problem =
            || Problem::new("lease_ms", format!("must be a number from {LEASE_MS_MIN} to {LEASE_MS_MAX}"));
        if is_possible { Vec::new() } else { vec![problem()] }
    }
}

fn lease_ms() -> u32 {
    LEASE_MS
}
