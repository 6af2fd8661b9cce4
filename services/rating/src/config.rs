//! The settings: those that every service has.

use serde::Deserialize;
use service_kit::config::{CommonConfig, ServiceConfig};

/// The settings of the rating service.
#[derive(Debug, Clone, Deserialize)]
pub struct Config {
    /// Those that every service has.
    #[serde(flatten)]
    pub common: CommonConfig,
}

impl ServiceConfig for Config {
    fn common(&self) -> &CommonConfig {
        &self.common
    }
}
