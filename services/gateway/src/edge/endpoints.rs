//! The instances of a service behind the gateway, and which of them takes the next call.
//!
//! An address may be a list, and a name may stand for several machines: calls go to all of them in turn. Who does not answer a question
//! about his health is left out until he does, so that nobody waits for an instance that was stopped; if none answers, all are tried.

use std::collections::BTreeSet;
use std::error::Error;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::time::Duration;

use futures::future::join_all;
use http::Uri;
use service_kit::server::READINESS;
use tonic::Code;
use tonic::transport::{Channel, Endpoint};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

/// How long a connection may take to be made.
const CONNECT_MAX: Duration = Duration::from_secs(2);
/// A silent connection is asked for a sign of life so often, …
const KEEPALIVE_EVERY: Duration = Duration::from_secs(10);
/// … and given up when none came for so long; its calls and streams end with UNAVAILABLE.
const KEEPALIVE_MAX: Duration = Duration::from_secs(5);
/// The same where there is another instance at which they can resume, …
const KEEPALIVE_EVERY_OF_SEVERAL: Duration = Duration::from_secs(2);
/// … which is a reason not to wait for one that stands still.
const KEEPALIVE_MAX_OF_SEVERAL: Duration = Duration::from_secs(4);
/// How much of one answer is held here for a client that does not read, …
const UNREAD_BYTES_PER_CALL_MAX: u32 = 64 * 1024;
/// … and of all answers together. Far more than the clients' limits allow, since at this point every call of everybody would
/// stand still: all share the connection.
const UNREAD_BYTES_MAX: u32 = 1024 * 1024 * 1024;
/// How often instances are asked for their health, where there are several, …
const ASK_EVERY: Duration = Duration::from_secs(1);
/// … and how long an answer may take.
const ANSWER_MAX: Duration = Duration::from_secs(1);
/// Every so many questions, names are looked up again.
const QUESTIONS_PER_LOOK_UP: u32 = 5;
/// How many instances a service may have; more addresses are passed over.
const INSTANCES_MAX: usize = 64;

/// The instances of a service.
pub(super) struct Endpoints {
    /// As configured.
    urls: Vec<Uri>,
    instances: RwLock<Vec<Arc<Instance>>>,
    turn: AtomicUsize,
}

/// One of them.
pub(super) struct Instance {
    url: String,
    pub(super) channel: Channel,
    answers: AtomicBool,
}

impl Instance {
    /// One of `count`.
    fn new(url: String, count: usize) -> Result<Arc<Self>, tonic::transport::Error> {
        let endpoint = Endpoint::from_shared(url.clone())?;
        let (every, max) = match count {
            0 | 1 => (KEEPALIVE_EVERY, KEEPALIVE_MAX),
            _ => (KEEPALIVE_EVERY_OF_SEVERAL, KEEPALIVE_MAX_OF_SEVERAL),
        };
        let channel = endpoint
            .connect_timeout(CONNECT_MAX)
            .http2_keep_alive_interval(every)
            .keep_alive_timeout(max)
            .keep_alive_while_idle(true)
            .initial_stream_window_size(UNREAD_BYTES_PER_CALL_MAX)
            .initial_connection_window_size(UNREAD_BYTES_MAX)
            .connect_lazy();
        Ok(Arc::new(Self { url, channel, answers: AtomicBool::new(true) }))
    }

    /// It did not take a call: others first, until it says that it is well.
    pub(super) fn failed(&self) {
        self.answers.store(false, Ordering::Relaxed);
    }

    async fn ask(&self) {
        let request = HealthCheckRequest { service: READINESS.to_owned() };
        let mut client = HealthClient::new(self.channel.clone());
        let answers = match tokio::time::timeout(ANSWER_MAX, client.check(request)).await {
            Ok(Ok(answer)) => answer.into_inner().status() == ServingStatus::Serving,
            // It has no such service, but it is there.
            Ok(Err(status)) => matches!(status.code(), Code::Unimplemented | Code::NotFound),
            Err(_) => false,
        };
        self.answers.store(answers, Ordering::Relaxed);
    }
}

impl Endpoints {
    /// With the addresses in `urls`, separated by commas. Connects when first needed, and again whenever a connection was lost. Must be
    /// called within a runtime: health is asked, and names are looked up, until this is dropped.
    ///
    /// # Errors
    /// When an address is malformed or there is none.
    pub(super) fn new(urls: &str) -> Result<Arc<Self>, tonic::transport::Error> {
        let urls: Vec<&str> = urls.split(',').map(str::trim).collect();
        let instances: Result<Vec<_>, _> =
            urls.iter().map(|url| Instance::new((*url).to_owned(), urls.len())).collect();
        let endpoints = Arc::new(Self {
            instances: RwLock::new(instances?),
            urls: urls.iter().filter_map(|url| url.parse().ok()).collect(),
            turn: AtomicUsize::new(0),
        });
        tokio::spawn(look_after(Arc::downgrade(&endpoints)));
        Ok(endpoints)
    }

    /// Every instance, in the order in which they should be tried for the next call.
    pub(super) fn in_turn(&self) -> Vec<Arc<Instance>> {
        let mut instances = self.instances();
        if instances.len() > 1 {
            let turn = self.turn.fetch_add(1, Ordering::Relaxed) % instances.len();
            instances.rotate_left(turn);
            // Stable: those that answer keep their order.
            instances.sort_by_key(|instance| !instance.answers.load(Ordering::Relaxed));
        }
        instances
    }

    fn instances(&self) -> Vec<Arc<Instance>> {
        self.instances.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn ask_all(&self) {
        let instances = self.instances();
        // Of one alone nothing would follow.
        if instances.len() > 1 {
            join_all(instances.iter().map(|instance| instance.ask())).await;
        }
    }

    /// Whether any address is a name, behind which machines may come and go.
    fn has_names(&self) -> bool {
        self.urls.iter().any(|url| name_of(url).is_some())
    }

    /// Looks names up again. While one cannot be looked up, everything stays as it is.
    async fn look_up(&self) {
        let mut found = BTreeSet::new();
        for url in &self.urls {
            match name_of(url) {
                None => found.extend([url.to_string().trim_end_matches('/').to_owned()]),
                Some((name, port)) => match tokio::net::lookup_host((name, port)).await {
                    Ok(addresses) => found.extend(addresses.map(|address| format!("http://{address}"))),
                    Err(error) => {
                        tracing::debug!(name, %error, "a name cannot be looked up");
                        return;
                    }
                },
            }
        }
        let known = self.instances();
        let of = |url: &String| {
            let same = known.iter().find(|instance| instance.url.trim_end_matches('/') == url);
            same.cloned().or_else(|| Instance::new(url.clone(), found.len()).ok())
        };
        let instances: Vec<_> = found.iter().take(INSTANCES_MAX).filter_map(of).collect();
        if !instances.is_empty() {
            *self.instances.write().unwrap_or_else(PoisonError::into_inner) = instances;
        }
    }
}

/// The name and port of an address that is not a number. A name with TLS is left to the connection, which checks it.
fn name_of(url: &Uri) -> Option<(&str, u16)> {
    let host = url.host()?;
    let is_number = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok();
    (url.scheme_str() == Some("http") && !is_number).then_some((host, url.port_u16().unwrap_or(80)))
}

async fn look_after(endpoints: Weak<Endpoints>) {
    for round in 0_u32.. {
        let Some(endpoints) = endpoints.upgrade() else { return };
        if endpoints.has_names() && round.is_multiple_of(QUESTIONS_PER_LOOK_UP) {
            endpoints.look_up().await;
        }
        endpoints.ask_all().await;
        drop(endpoints);
        tokio::time::sleep(ASK_EVERY).await;
    }
}

/// Whether a call that failed so was certainly not sent: then another instance may be asked.
pub(super) fn was_not_sent(error: &tonic::transport::Error) -> bool {
    let mut cause = error.source();
    while let Some(error) = cause {
        if error.is::<tonic::ConnectError>() {
            return true;
        }
        cause = error.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use super::*;

    fn url(text: &str) -> Uri {
        text.parse().expect("a good address")
    }

    #[test]
    fn only_names_without_tls_are_looked_up() {
        assert_eq!(name_of(&url("http://game:50051")), Some(("game", 50051)));
        for number in ["http://127.0.0.1:50051", "http://[::1]:50051", "https://game.example:443"] {
            assert_eq!(name_of(&url(number)), None, "{number}");
        }
    }

    #[tokio::test]
    async fn calls_go_round_and_past_those_that_failed() {
        let endpoints =
            Endpoints::new("http://127.0.0.1:1, http://127.0.0.1:2,http://127.0.0.1:3").expect("good");
        let first = |endpoints: &Endpoints| endpoints.in_turn()[0].url.clone();
        let round: BTreeSet<_> = (0..3).map(|_| first(&endpoints)).collect();
        assert_eq!(round.len(), 3);
        endpoints.in_turn().iter().find(|instance| instance.url.ends_with('2')).expect("there").failed();
        let round: BTreeSet<_> = (0..6).map(|_| first(&endpoints)).collect();
        assert_eq!(round.len(), 2);
        assert_eq!(endpoints.in_turn().len(), 3, "it is tried after the others");
    }

    #[tokio::test]
    async fn a_name_becomes_its_addresses() {
        let endpoints = Endpoints::new("http://localhost:7").expect("good");
        endpoints.look_up().await;
        let instances = endpoints.instances();
        assert!(!instances.is_empty());
        for instance in instances {
            let address = instance.url.trim_start_matches("http://").parse::<SocketAddr>();
            assert_eq!(address.map(|address| address.port()).ok(), Some(7), "{}", instance.url);
        }
    }
}
