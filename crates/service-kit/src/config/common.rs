//! The settings that every service has.

use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use figment::value::Value;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use super::Problem;
use super::variables::{Values, Variables};
use crate::telemetry;

/// Passwords that everybody tries first.
const DEVELOPMENT_PASSWORDS: [&str; 7] =
    ["stakemate", "postgres", "password", "secret", "development", "changeme", "admin"];
const GRPC_PORT: u16 = 50051;
const ADMIN_PORT: u16 = 9464;
const CONNECTIONS: u32 = 16;
const CONNECTIONS_MAX: u32 = 200;

/// Where a service runs. Nothing said means production, so that forgetting it is safe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Environment {
    /// On somebody's own machine, or in a test: generated keys and passwords are fine.
    Development,
    /// Anywhere else.
    #[default]
    Production,
}

/// The settings that every service has. The variable of each stands in its description.
#[derive(Clone, Deserialize)]
pub struct CommonConfig {
    /// `STAKEMATE_ENVIRONMENT`: `development` or `production`, the default.
    pub environment: Environment,
    /// `STAKEMATE_GRPC_ADDRESS`: where gRPC is served; port 0 takes a free one. All addresses, port 50051.
    pub grpc_address: SocketAddr,
    /// `STAKEMATE_ADMIN_ADDRESS`: where metrics and health are served over HTTP; never exposed. All addresses, port 9464.
    pub admin_address: SocketAddr,
    /// `STAKEMATE_DATABASE_URL`, or `STAKEMATE_DATABASE_URL_FILE`: the service's own database, with its password.
    pub database_url: SecretString,
    /// `STAKEMATE_DATABASE_CONNECTIONS`: how many connections this process may hold; 16.
    pub database_connections: u32,
    /// `STAKEMATE_NATS_URL`, or `STAKEMATE_NATS_URL_FILE`: the broker; may hold a password.
    pub nats_url: String,
    /// `STAKEMATE_TOKEN_PUBLIC_KEY_FILE`: PEM file with the Ed25519 public key that access tokens are verified with.
    pub token_public_key_file: PathBuf,
    /// `STAKEMATE_TOKEN_ISSUER`: the issuer that tokens must name; `stakemate`.
    pub token_issuer: String,
    /// `STAKEMATE_OTLP_ENDPOINT`: where spans are sent, as `http://127.0.0.1:4317`; nowhere when unset.
    pub otlp_endpoint: Option<String>,
    /// `STAKEMATE_TRACE_URL`: where operators look at a trace, as `https://traces.example/trace/{trace_id}`; nowhere when unset.
    pub trace_url: Option<String>,
    /// `STAKEMATE_LOG`: the levels of the log by target, as `info,sqlx=warn`; `info`.
    pub log: String,
}

impl CommonConfig {
    /// Settings for a test or a tool: development, free ports on this machine, a quiet log.
    pub fn development(database_url: &str, nats_url: &str, token_public_key_file: &Path) -> Self {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        Self {
            environment: Environment::Development,
            grpc_address: any,
            admin_address: any,
            database_url: database_url.into(),
            database_connections: CONNECTIONS,
            nats_url: nats_url.to_owned(),
            token_public_key_file: token_public_key_file.to_owned(),
            token_issuer: crate::auth::ISSUER.to_owned(),
            otlp_endpoint: None,
            trace_url: None,
            log: "warn".to_owned(),
        }
    }

    /// Whether this is production: the services ask it before they allow a setting for development.
    pub fn is_production(&self) -> bool {
        self.environment == Environment::Production
    }

    /// The fields as they were read, for the second reading together with a service's own.
    pub(super) fn values(&self) -> Values {
        let environment = match self.environment {
            Environment::Development => "development",
            Environment::Production => "production",
        };
        let mut values = Values::new();
        let mut put = |name: &str, value: Value| values.insert(name.to_owned(), value);
        put("environment", environment.into());
        put("grpc_address", self.grpc_address.to_string().into());
        put("admin_address", self.admin_address.to_string().into());
        put("database_url", self.database_url.expose_secret().to_owned().into());
        put("database_connections", self.database_connections.into());
        put("nats_url", self.nats_url.clone().into());
        put("token_public_key_file", self.token_public_key_file.to_string_lossy().into_owned().into());
        put("token_issuer", self.token_issuer.clone().into());
        if let Some(endpoint) = &self.otlp_endpoint {
            put("otlp_endpoint", endpoint.clone().into());
        }
        if let Some(url) = &self.trace_url {
            put("trace_url", url.clone().into());
        }
        put("log", self.log.clone().into());
        values
    }
}

impl super::ServiceConfig for CommonConfig {
    fn common(&self) -> &CommonConfig {
        self
    }
}

/// Leaves out the addresses that may hold passwords.
impl fmt::Debug for CommonConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommonConfig")
            .field("environment", &self.environment)
            .field("grpc_address", &self.grpc_address)
            .field("admin_address", &self.admin_address)
            .field("token_public_key_file", &self.token_public_key_file)
            .field("otlp_endpoint", &self.otlp_endpoint)
            .finish_non_exhaustive()
    }
}

/// Reads the common part; where a variable is bad, says so and goes on with a stand-in that is never used.
pub(super) fn read(variables: &Variables, problems: &mut Vec<Problem>) -> CommonConfig {
    let mut reader = Reader { variables, problems };
    let config = CommonConfig {
        environment: reader.environment(),
        grpc_address: reader.address("grpc_address", GRPC_PORT),
        admin_address: reader.address("admin_address", ADMIN_PORT),
        database_url: reader.url("database_url", &["postgres", "postgresql"]).into(),
        database_connections: reader.connections(),
        nats_url: reader.url("nats_url", &["nats", "tls"]),
        token_public_key_file: reader.required("token_public_key_file").into(),
        token_issuer: variables.get("token_issuer").unwrap_or(crate::auth::ISSUER).to_owned(),
        otlp_endpoint: variables.get("otlp_endpoint").map(str::to_owned),
        trace_url: reader.trace_url(),
        log: reader.filter(),
    };
    if config.is_production() {
        problems.extend(production_problems(&config));
    }
    config
}

/// What of the common part production refuses (KIT-1).
fn production_problems(config: &CommonConfig) -> Vec<Problem> {
    let mut problems = Vec::new();
    if let Some(password) = password_of(config.database_url.expose_secret())
        && DEVELOPMENT_PASSWORDS.contains(&password)
    {
        problems.push(Problem::new("database_url", "holds a password for development only"));
    }
    if let Some(password) = password_of(&config.nats_url)
        && DEVELOPMENT_PASSWORDS.contains(&password)
    {
        problems.push(Problem::new("nats_url", "holds a password for development only"));
    }
    if crate::auth::is_development_key_file(&config.token_public_key_file) {
        problems.push(Problem::new("token_public_key_file", "is a key for development only"));
    }
    problems
}

/// The password in `scheme://user:password@host`.
fn password_of(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?']).next()?;
    let (user, _) = authority.rsplit_once('@')?;
    user.split_once(':').map(|(_, password)| password)
}

struct Reader<'a> {
    variables: &'a Variables,
    problems: &'a mut Vec<Problem>,
}

impl Reader<'_> {
    fn required(&mut self, name: &str) -> String {
        match self.variables.get(name) {
            Some(text) => text.to_owned(),
            None => {
                self.problems.push(Problem::new(name, "is missing"));
                String::new()
            }
        }
    }

    fn environment(&mut self) -> Environment {
        match self.variables.get("environment") {
            None | Some("production") => Environment::Production,
            Some("development") => Environment::Development,
            Some(_) => {
                self.problems.push(Problem::new("environment", "must be development or production"));
                Environment::Production
            }
        }
    }

    fn address(&mut self, name: &str, port: u16) -> SocketAddr {
        let default = SocketAddr::from(([0, 0, 0, 0], port));
        let Some(text) = self.variables.get(name) else { return default };
        text.parse().unwrap_or_else(|_| {
            self.problems.push(Problem::new(name, "must be an address and a port, as 127.0.0.1:50051"));
            default
        })
    }

    fn url(&mut self, name: &str, schemes: &[&str]) -> String {
        let text = self.required(name);
        let good = schemes
            .iter()
            .any(|scheme| text.strip_prefix(scheme).is_some_and(|rest| rest.starts_with("://")));
        if !text.is_empty() && !good {
            self.problems.push(Problem::new(name, format!("must begin with {}://", schemes[0])));
        }
        text
    }

    fn connections(&mut self) -> u32 {
        let name = "database_connections";
        let Some(text) = self.variables.get(name) else { return CONNECTIONS };
        match text.parse() {
            Ok(count) if (1..=CONNECTIONS_MAX).contains(&count) => count,
            _ => {
                self.problems
                    .push(Problem::new(name, format!("must be a number from 1 to {CONNECTIONS_MAX}")));
                CONNECTIONS
            }
        }
    }

    fn trace_url(&mut self) -> Option<String> {
        let name = "trace_url";
        let text = self.variables.get(name)?;
        let good = ["https://", "http://"].iter().any(|scheme| text.starts_with(scheme));
        if !(good && text.contains("{trace_id}")) {
            self.problems
                .push(Problem::new(name, "must be an address, as https://traces.example/{trace_id}"));
        }
        Some(text.to_owned())
    }

    fn filter(&mut self) -> String {
        let text = self.variables.get("log").unwrap_or("info");
        if telemetry::log_filter(text).is_err() {
            self.problems.push(Problem::new("log", "must be a filter, as info or info,sqlx=warn"));
        }
        text.to_owned()
    }
}
