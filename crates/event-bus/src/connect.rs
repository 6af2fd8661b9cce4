//! The connection to the broker, and what a broker has to be.

use async_nats::jetstream::{self, context::ContextBuilder};
use async_nats::{Client, ConnectOptions, ServerAddr};
use event_store::EVENT_DATA_BYTES_MAX;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

use crate::standing::Followed;

/// Older servers accept a consumer's filters and ignore them.
pub const SERVER_VERSION_MIN: (u32, u32) = (2, 11);
/// How long [`connect`] waits for a broker that is just starting.
pub const CONNECT_WAIT_MAX: Duration = Duration::from_secs(30);

/// The largest event with its headers must fit into a message.
const PAYLOAD_BYTES_MIN: usize = EVENT_DATA_BYTES_MAX + 16 * 1024;
const CONNECT_RETRY_DELAY: Duration = Duration::from_millis(200);
const RECONNECT_DELAY_MAX: Duration = Duration::from_secs(1);
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
const PING_INTERVAL: Duration = Duration::from_secs(10);

/// A handle to the broker; clones share the connection, which restores itself for ever.
#[derive(Debug, Clone)]
pub struct Bus {
    client: Client,
    jetstream: jetstream::Context,
    stream_replicas: usize,
    followed: Arc<Mutex<Vec<Followed>>>,
}

/// Why there is no usable broker.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    #[error("{url:?} is not the address of a broker")]
    Address { url: String, source: std::io::Error },
    #[error("no broker answered at {url:?} within {CONNECT_WAIT_MAX:?}")]
    Unreachable { url: String, source: async_nats::ConnectError },
    #[error("the broker refused the credentials")]
    Credentials(#[source] async_nats::ConnectError),
    #[error("nats-server {version} is too old, {}.{} or newer is needed", SERVER_VERSION_MIN.0, SERVER_VERSION_MIN.1)]
    TooOld { version: String },
    #[error("nats-server runs without JetStream")]
    NoJetStream,
    #[error("nats-server takes messages of {bytes} bytes, at least {PAYLOAD_BYTES_MIN} are needed")]
    PayloadLimit { bytes: usize },
}

/// Connects, waiting up to [`CONNECT_WAIT_MAX`] for a broker that is not up yet, and checks the server. `url` may name
/// several servers of one cluster, separated by commas; `name` is what the server's monitoring shows.
pub async fn connect(url: &str, name: &str) -> Result<Bus, ConnectError> {
    let addresses = url
        .split(',')
        .map(|address| address.trim().parse::<ServerAddr>())
        .collect::<Result<Vec<_>, _>>()
        .map_err(|source| ConnectError::Address { url: redact(url), source })?;
    let client = connect_patiently(url, &addresses, name).await?;
    let server = client.server_info();
    check_version(&server.version)?;
    if !server.jetstream {
        return Err(ConnectError::NoJetStream);
    }
    if server.max_payload < PAYLOAD_BYTES_MIN {
        return Err(ConnectError::PayloadLimit { bytes: server.max_payload });
    }
    Ok(Bus::new(client))
}

impl Bus {
    fn new(client: Client) -> Self {
        let jetstream = ContextBuilder::new().timeout(REQUEST_TIMEOUT).build(client.clone());
        Self { client, jetstream, stream_replicas: 1, followed: Arc::default() }
    }

    /// How many servers of a cluster keep each stream; 1 without a cluster.
    pub fn with_stream_replicas(mut self, stream_replicas: usize) -> Self {
        self.stream_replicas = stream_replicas;
        self
    }

    /// The plain connection, for messages that need not be kept.
    pub fn client(&self) -> &Client {
        &self.client
    }

    pub fn jetstream(&self) -> &jetstream::Context {
        &self.jetstream
    }

    /// Whether the connection stands right now; it restores itself when it does not.
    pub fn is_connected(&self) -> bool {
        self.client.connection_state() == async_nats::connection::State::Connected
    }

    /// The consumers that were started on this connection, by name.
    pub fn followed(&self) -> Vec<Followed> {
        self.followed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn note_followed(&self, followed: Followed) {
        let mut all = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        if !all.contains(&followed) {
            all.push(followed);
            all.sort();
        }
    }

    pub(crate) fn stream_replicas(&self) -> usize {
        self.stream_replicas
    }
}

async fn connect_patiently(url: &str, addresses: &[ServerAddr], name: &str) -> Result<Client, ConnectError> {
    let deadline = Instant::now() + CONNECT_WAIT_MAX;
    loop {
        let options = signing_in(ConnectOptions::new(), addresses)
            .name(name)
            .request_timeout(Some(REQUEST_TIMEOUT))
            .ping_interval(PING_INTERVAL)
            .reconnect_delay_callback(reconnect_delay);
        let error = match options.connect(addresses).await {
            Ok(client) => return Ok(client),
            Err(error) => error,
        };
        use async_nats::ConnectErrorKind::{Authentication, AuthorizationViolation};
        if matches!(error.kind(), Authentication | AuthorizationViolation) {
            return Err(ConnectError::Credentials(error));
        }
        if Instant::now() + CONNECT_RETRY_DELAY >= deadline {
            return Err(ConnectError::Unreachable { url: redact(url), source: error });
        }
        tracing::info!(%error, "waiting for the broker");
        tokio::time::sleep(CONNECT_RETRY_DELAY).await;
    }
}

/// The client ignores user and password in an address, so they are handed over here. One account serves all servers of a
/// cluster. They are taken as they stand: a password in the address must need no escaping.
fn signing_in(options: ConnectOptions, addresses: &[ServerAddr]) -> ConnectOptions {
    match credentials(addresses) {
        Some((user, password)) => options.user_and_password(user, password),
        None => options,
    }
}

fn credentials(addresses: &[ServerAddr]) -> Option<(String, String)> {
    addresses
        .iter()
        .find_map(|address| Some((address.username()?.to_owned(), address.password()?.to_owned())))
}

fn reconnect_delay(attempts: usize) -> Duration {
    let doublings = attempts.min(10) as u32;
    Duration::from_millis(5).saturating_mul(1 << doublings).min(RECONNECT_DELAY_MAX)
}

fn check_version(version: &str) -> Result<(), ConnectError> {
    let mut numbers = version.split(['.', '-']).map(|number| number.parse::<u32>().ok());
    let major_minor = numbers.next().flatten().zip(numbers.next().flatten());
    match major_minor {
        Some(found) if found >= SERVER_VERSION_MIN => Ok(()),
        _ => Err(ConnectError::TooOld { version: version.to_owned() }),
    }
}

/// The address without user and password.
fn redact(url: &str) -> String {
    url.split(',').map(|address| address.rsplit('@').next().unwrap_or_default()).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_older_than_the_oldest_that_filters_are_refused() {
        for version in ["2.9.10", "2.10.29", "1.99.0", "", "garbage"] {
            assert!(check_version(version).is_err(), "{version} was taken");
        }
        for version in ["2.11.0", "2.15.1", "2.12.0-RC.1", "3.0.0"] {
            assert!(check_version(version).is_ok(), "{version} was refused");
        }
    }

    #[test]
    fn user_and_password_are_taken_from_the_address() {
        let of = |url: &str| {
            credentials(&url.split(',').map(|one| one.parse().expect("a valid address")).collect::<Vec<_>>())
        };
        let wallet = Some(("wallet".to_owned(), "s3cret".to_owned()));
        assert_eq!(of("nats://wallet:s3cret@a:4222"), wallet);
        assert_eq!(of("nats://a:4222,nats://wallet:s3cret@b:4222"), wallet);
        assert_eq!(of("nats://a:4222"), None);
    }

    #[test]
    fn an_error_does_not_show_a_password() {
        assert_eq!(redact("nats://user:secret@a:4222,nats://b:4222"), "a:4222,nats://b:4222");
    }
}
