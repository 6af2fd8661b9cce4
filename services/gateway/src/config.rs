//! The gateway's settings.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use service_kit::auth::{self, Role, Roles};
use service_kit::config::{CommonConfig, Problem, ServiceConfig, comma_separated};

use crate::app::account::Name;

/// The gateway's settings. The variable of each stands in its description.
#[derive(Clone, Debug, Deserialize)]
pub struct Config {
    /// Those of every service. `grpc_address` serves health only, to the inside.
    #[serde(flatten)]
    pub common: CommonConfig,
    /// `STAKEMATE_EDGE_ADDRESS`: the one port for clients; all addresses, port 8080.
    #[serde(default = "edge_address")]
    pub edge_address: SocketAddr,
    /// `STAKEMATE_UPSTREAM_GAME`: where the game service is, as `http://127.0.0.1:50061`. Several instances may be named, separated by commas,
    /// and a name may stand for several machines; so with the others.
    pub upstream_game: String,
    /// `STAKEMATE_UPSTREAM_MATCHMAKING`.
    pub upstream_matchmaking: String,
    /// `STAKEMATE_UPSTREAM_RATING`.
    pub upstream_rating: String,
    /// `STAKEMATE_UPSTREAM_WALLET`.
    pub upstream_wallet: String,
    /// `STAKEMATE_UPSTREAM_FAIRPLAY`.
    pub upstream_fairplay: String,
    /// `STAKEMATE_REDIS_URL`: where the rate limits of all instances meet.
    pub redis_url: String,
    /// `STAKEMATE_ALLOWED_ORIGINS`: pages that may call, as `https://play.example,https://example`; none.
    /// `*` is for development only.
    #[serde(default, deserialize_with = "comma_separated")]
    pub allowed_origins: Vec<String>,
    /// `STAKEMATE_TOKEN_PRIVATE_KEY_FILE`: PKCS#8 PEM file with the Ed25519 key that access tokens are signed with.
    pub token_private_key_file: PathBuf,
    /// `STAKEMATE_ACCESS_TOKEN_SECONDS`: how long an access token lives; 600.
    #[serde(default = "access_token_seconds")]
    pub access_token_seconds: u32,
    /// `STAKEMATE_REFRESH_TOKEN_DAYS`: how long a refresh token lives; 30.
    #[serde(default = "refresh_token_days")]
    pub refresh_token_days: u32,
    /// `STAKEMATE_RATE_CALLS_PER_SECOND`: calls of one player, or of one address without a token; 50.
    #[serde(default = "rate_calls_per_second")]
    pub rate_calls_per_second: f64,
    /// `STAKEMATE_RATE_CALLS_BURST`: as many at once; 200.
    #[serde(default = "rate_calls_burst")]
    pub rate_calls_burst: u32,
    /// `STAKEMATE_RATE_SIGN_INS_PER_MINUTE`: tries of one address to sign up or in, and of all to sign in to one account; 10.
    #[serde(default = "rate_sign_ins_per_minute")]
    pub rate_sign_ins_per_minute: f64,
    /// `STAKEMATE_RATE_SIGN_INS_BURST`: as many at once; 10.
    #[serde(default = "rate_sign_ins_burst")]
    pub rate_sign_ins_burst: u32,
    /// `STAKEMATE_OPEN_CALLS_MAX`: calls that one player has open in one instance, streams included; 32.
    #[serde(default = "open_calls_max")]
    pub open_calls_max: u32,
    /// `STAKEMATE_OPEN_CALLS_PER_ADDRESS_MAX`: the same for one address without tokens: whole schools share one; 256.
    #[serde(default = "open_calls_per_address_max")]
    pub open_calls_per_address_max: u32,
    /// `STAKEMATE_TRUSTED_PROXIES`: how many proxies of ours stand in front and append to `x-forwarded-for`; 0.
    #[serde(default)]
    pub trusted_proxies: u32,
    /// `STAKEMATE_FIRST_ROLES`: names that are more than players when they sign up, as `olga=operator,mira=moderator`; none. For
    /// development only: outside of it roles are granted by `stakemate-gateway grant-role`.
    #[serde(default, deserialize_with = "comma_separated")]
    pub first_roles: Vec<String>,
    /// `STAKEMATE_WEB_ROOT`: folder of the built web client, served at the edge; nothing is served when unset.
    pub web_root: Option<PathBuf>,
}

impl Config {
    /// Settings for a test or a tool: development, free ports, generous limits, an upstream of nobody.
    pub fn development(common: CommonConfig, token_private_key_file: PathBuf, redis_url: String) -> Self {
        let nobody = || "http://127.0.0.1:9".to_owned();
        Self {
            common,
            edge_address: SocketAddr::from(([127, 0, 0, 1], 0)),
            upstream_game: nobody(),
            upstream_matchmaking: nobody(),
            upstream_rating: nobody(),
            upstream_wallet: nobody(),
            upstream_fairplay: nobody(),
            redis_url,
            allowed_origins: Vec::new(),
            token_private_key_file,
            access_token_seconds: access_token_seconds(),
            refresh_token_days: refresh_token_days(),
            rate_calls_per_second: 1_000.0,
            rate_calls_burst: 1_000,
            rate_sign_ins_per_minute: 1_000.0,
            rate_sign_ins_burst: 1_000,
            open_calls_max: open_calls_max(),
            open_calls_per_address_max: open_calls_per_address_max(),
            trusted_proxies: 0,
            first_roles: Vec::new(),
            web_root: None,
        }
    }

    /// How long an access token lives.
    pub fn access_token_lifetime(&self) -> Duration {
        Duration::from_secs(self.access_token_seconds.into())
    }

    /// How long a refresh token lives.
    pub fn refresh_token_lifetime(&self) -> Duration {
        Duration::from_secs(u64::from(self.refresh_token_days) * 24 * 3600)
    }

    /// The names, in lower case, with what they are when they sign up.
    pub fn first_roles(&self) -> Arc<BTreeMap<String, Roles>> {
        let named = self.first_roles.iter().filter_map(|entry| first_role(entry));
        let player = Roles::of(&[Role::Player]);
        Arc::new(named.map(|(name, role)| (name.key(), player.with(role))).collect())
    }

    fn upstreams(&self) -> [(&'static str, &str); 5] {
        [
            ("upstream_game", &self.upstream_game),
            ("upstream_matchmaking", &self.upstream_matchmaking),
            ("upstream_rating", &self.upstream_rating),
            ("upstream_wallet", &self.upstream_wallet),
            ("upstream_fairplay", &self.upstream_fairplay),
        ]
    }
}

impl ServiceConfig for Config {
    fn common(&self) -> &CommonConfig {
        &self.common
    }

    fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        for (name, urls) in self.upstreams() {
            let is_address = |url: &str| {
                url.starts_with("http://") && tonic::transport::Endpoint::from_shared(url.to_owned()).is_ok()
            };
            if !urls.split(',').all(|url| is_address(url.trim())) {
                problems.push(Problem::new(
                    name,
                    "must be an address, as http://127.0.0.1:50061, or several, separated by commas",
                ));
            }
        }
        for (name, rate) in [
            ("rate_calls_per_second", self.rate_calls_per_second),
            ("rate_sign_ins_per_minute", self.rate_sign_ins_per_minute),
        ] {
            if !(rate.is_finite() && rate > 0.0) {
                problems.push(Problem::new(name, "must be more than 0"));
            }
        }
        for (name, count) in [
            ("rate_calls_burst", self.rate_calls_burst),
            ("rate_sign_ins_burst", self.rate_sign_ins_burst),
            ("open_calls_max", self.open_calls_max),
            ("open_calls_per_address_max", self.open_calls_per_address_max),
            ("access_token_seconds", self.access_token_seconds),
            ("refresh_token_days", self.refresh_token_days),
        ] {
            if count == 0 {
                problems.push(Problem::new(name, "must be at least 1"));
            }
        }
        if self.first_roles.iter().any(|entry| first_role(entry).is_none()) {
            problems.push(Problem::new("first_roles", "must be names and roles, as olga=operator"));
        }
        if self.common.is_production() {
            problems.extend(self.production_problems());
        }
        problems
    }
}

impl Config {
    fn production_problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        if auth::is_development_key_file(&self.token_private_key_file) {
            problems.push(Problem::new("token_private_key_file", "is a key for development only"));
        }
        if self.allowed_origins.iter().any(|origin| origin == "*") {
            problems.push(Problem::development_only("allowed_origins"));
        }
        if !self.first_roles.is_empty() {
            problems.push(Problem::development_only("first_roles"));
        }
        // Outside of development a session lives no longer than the design says.
        if self.access_token_seconds > 900 {
            problems.push(Problem::new("access_token_seconds", "must be at most 900 in production"));
        }
        problems
    }
}

/// The parts of `olga=operator`.
fn first_role(entry: &str) -> Option<(Name, Role)> {
    let (name, role) = entry.split_once('=')?;
    Some((Name::parse(name).ok()?, Role::from_name(role)?))
}

fn edge_address() -> SocketAddr {
    SocketAddr::from(([0, 0, 0, 0], 8080))
}

fn access_token_seconds() -> u32 {
    600
}

fn refresh_token_days() -> u32 {
    30
}

fn rate_calls_per_second() -> f64 {
    50.0
}

fn rate_calls_burst() -> u32 {
    200
}

fn rate_sign_ins_per_minute() -> f64 {
    10.0
}

fn rate_sign_ins_burst() -> u32 {
    10
}

fn open_calls_max() -> u32 {
    32
}

fn open_calls_per_address_max() -> u32 {
    256
}
