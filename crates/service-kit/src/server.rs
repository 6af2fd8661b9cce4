//! The gRPC server of a service: its layers, health, the admin port, and a stop that ends.

mod admin;
mod readiness;
#[cfg(test)]
mod tests;

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::response::IntoResponse;
use http::Request;
use socket2::SockRef;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::body::Body;
use tonic::server::NamedService;
use tonic::service::Routes;
use tonic::transport::server::TcpIncoming;
use tower::{Service, ServiceBuilder};

use crate::auth::{KeyError, Verifier};
use crate::config::CommonConfig;
use crate::layers::{Authenticate, CatchPanic, Deadline, Malformed, Observe, Overload, RequestLimit, Stack, Stacked};

pub use readiness::{Hold, LIVENESS, READINESS, Readiness};

/// How long a process takes to stop at most, all in all.
pub const STOP_MAX: Duration = Duration::from_secs(10);
/// How long open calls may take to end after the stop began; then their connections are dropped (H01, H02).
pub const DRAIN_MAX: Duration = Duration::from_secs(7);
/// How long a unary call, or the opening of a stream, may take.
pub const CALL_MAX: Duration = Duration::from_secs(10);
/// How many calls one process has in hand at most.
pub const CALLS_MAX: usize = 4096;
/// How long a request may be, framing included.
pub const REQUEST_BYTES_MAX: u64 = 1024 * 1024;
/// A connection is asked for a sign of life so often, …
const KEEPALIVE_EVERY: Duration = Duration::from_secs(10);
/// … and closed when none came for so long (H12).
const KEEPALIVE_MAX: Duration = Duration::from_secs(5);
/// Calls that one connection has open at most: the gateway sends all players' calls over one.
const STREAMS_PER_CONNECTION_MAX: u32 = 100_000;

/// The server could not start or not go on.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The public key cannot be used.
    #[error("STAKEMATE_TOKEN_PUBLIC_KEY_FILE cannot be used")]
    Key(#[from] KeyError),
    /// An address cannot be listened on.
    #[error("cannot listen on {address}")]
    Listen {
        /// Which.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// The gRPC server failed.
    #[error("the grpc server failed")]
    Serve(#[from] tonic::transport::Error),
}

/// A server in the making.
pub struct Server {
    grpc_address: SocketAddr,
    admin_address: SocketAddr,
    verifier: Verifier,
    readiness: Readiness,
    routes: Routes,
    names: Vec<String>,
}

impl Server {
    /// With the configured addresses and key, and no service yet.
    ///
    /// # Errors
    /// When the public key cannot be used.
    pub fn new(config: &CommonConfig) -> Result<Self, ServeError> {
        crate::telemetry::metrics_handle();
        Ok(Self {
            grpc_address: config.grpc_address,
            admin_address: config.admin_address,
            verifier: Verifier::from_config(config)?,
            readiness: Readiness::default(),
            routes: Routes::default(),
            names: Vec::new(),
        })
    }

    /// Adds a gRPC service.
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "nobody adds servers up")]
    pub fn add<S>(mut self, service: S) -> Self
    where
        S: Service<Request<Body>, Error = Infallible> + NamedService + Clone + Send + Sync + 'static,
        S::Response: IntoResponse,
        S::Future: Send + 'static,
    {
        self.names.push(S::NAME.to_owned());
        self.routes = self.routes.add_service(service);
        self
    }

    /// The latch that says whether this instance takes calls.
    pub fn readiness(&self) -> Readiness {
        self.readiness.clone()
    }

    /// Takes the ports. Calls that come before [`Bound::run`] wait.
    ///
    /// # Errors
    /// When an address cannot be listened on.
    pub async fn bind(self) -> Result<Bound, ServeError> {
        let grpc = listen(self.grpc_address).await?;
        let admin = listen(self.admin_address).await?;
        Ok(Bound { grpc, admin, server: self })
    }

    /// Serves until `shutdown` is cancelled and then at most [`DRAIN_MAX`].
    ///
    /// # Errors
    /// When an address cannot be listened on, or the server fails.
    pub async fn run(self, shutdown: CancellationToken) -> Result<(), ServeError> {
        self.bind().await?.run(shutdown).await
    }
}

/// A server that has its ports.
pub struct Bound {
    grpc: TcpListener,
    admin: TcpListener,
    server: Server,
}

impl Bound {
    /// Where gRPC is served.
    pub fn grpc_address(&self) -> SocketAddr {
        local(&self.grpc)
    }

    /// Where metrics and health are served.
    pub fn admin_address(&self) -> SocketAddr {
        local(&self.admin)
    }

    /// Serves until `shutdown` is cancelled and then at most [`DRAIN_MAX`] (KIT-5).
    ///
    /// # Errors
    /// When the server fails.
    pub async fn run(self, shutdown: CancellationToken) -> Result<(), ServeError> {
        let Server { verifier, readiness, routes, names, .. } = self.server;
        let stopped = CancellationToken::new();
        let (reporter, health) = tonic_health::server::health_reporter();
        tokio::spawn(readiness::mirror(readiness.clone(), reporter, names.clone(), stopped.clone()));
        let admin = tokio::spawn(admin::serve(self.admin, readiness.clone(), stopped.clone()));

        let stack = stack(verifier, names, routes.add_service(health).prepare());
        let incoming = TcpIncoming::from(self.grpc).with_nodelay(Some(true));
        let serving =
            builder().serve_with_incoming_shutdown(stack, incoming, shutdown.clone().cancelled_owned());
        let result = drained(serving, &readiness, shutdown).await;

        stopped.cancel();
        // The admin port has only short answers under way.
        let _ = admin.await;
        result
    }
}

/// Waits for a server without end while it runs, and for [`DRAIN_MAX`] once `shutdown` is cancelled. Also for the gateway.
///
/// # Errors
/// When the server fails.
pub async fn drained<F>(
    serving: F,
    readiness: &Readiness,
    shutdown: CancellationToken,
) -> Result<(), ServeError>
where
    F: Future<Output = Result<(), tonic::transport::Error>>,
{
    let late = async {
        shutdown.cancelled().await;
        // First of all, so that no new call is sent here.
        readiness.drain();
        tokio::time::sleep(DRAIN_MAX).await;
    };
    tokio::select! {
        result = serving => Ok(result?),
        () = late => {
            tracing::warn!("connections were still open at the end of the stop and are dropped");
            Ok(())
        }
    }
}

/// A tonic server with our limits of connections. Also for the gateway.
pub fn builder() -> tonic::transport::Server {
    tonic::transport::Server::builder()
        .http2_keepalive_interval(Some(KEEPALIVE_EVERY))
        .http2_keepalive_timeout(Some(KEEPALIVE_MAX))
        .max_concurrent_streams(STREAMS_PER_CONNECTION_MAX)
}

/// The connections of a listener: small frames go out at once, and a peer that is gone without a word is noticed, in
/// HTTP/1.1 too, which has no pings (H12). Also for the gateway.
pub fn incoming(listener: TcpListener) -> TcpIncoming {
    // Accepted sockets inherit it. Where it cannot be set, a dead peer is noticed later, by the system's own timers.
    let _ = SockRef::from(&listener).set_tcp_user_timeout(Some(KEEPALIVE_EVERY + KEEPALIVE_MAX));
    TcpIncoming::from(listener).with_nodelay(Some(true)).with_keepalive(Some(KEEPALIVE_EVERY))
}

/// Listens on an address.
///
/// # Errors
/// When it is taken or not ours.
pub async fn listen(address: SocketAddr) -> Result<TcpListener, ServeError> {
    TcpListener::bind(address).await.map_err(|source| ServeError::Listen { address, source })
}

/// The layers around the services, outermost first.
fn stack(verifier: Verifier, names: Vec<String>, routes: Routes) -> impl Stacked {
    ServiceBuilder::new()
        // Outermost: what any other layer answers is seen, counted and within the call's span too.
        .layer(Stack(Observe::new(names)))
        // Outside of everything that may panic, inside of what counts it as INTERNAL.
        .layer(Stack(CatchPanic))
        // Before any work is done for the call.
        .layer(Stack(Overload::new(CALLS_MAX)))
        // Inside of the limit above, or calls that wait for nothing would hold their places without end.
        .layer(Stack(Deadline::new(CALL_MAX)))
        // A token costs a signature check the first time: not for calls that are refused anyway.
        .layer(Stack(Authenticate::new(verifier)))
        // Close to where requests are read: it corrects only what was said of reading them.
        .layer(Stack(Malformed))
        // Innermost: it only wraps the body that the handler reads.
        .layer(Stack(RequestLimit::new(REQUEST_BYTES_MAX)))
        .service(routes)
}

fn local(listener: &TcpListener) -> SocketAddr {
    listener.local_addr().expect("a bound listener has an address")
}
