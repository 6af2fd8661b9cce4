//! The gateway: the one port for clients. It keeps accounts and signs tokens, and passes every other call on unread.
//!
//! # Map
//!
//! * [`run`], [`Gateway`]: the wiring.
//! * [`config`]: the settings.
//! * [`edge`]: the port: gRPC, gRPC-Web, CORS, limits, the way to the services behind, and the web client's files.
//! * [`grpc`]: AccountService, one file an rpc.
//! * [`app`]: the use cases of accounts and sessions; [`store`]: Postgres and Redis.
//! * [`telemetry`]: the metrics.
//!
//! # Invariants
//!
//! * EDGE-1 A call that is passed on arrives as it was sent, save for headers of one hop and headers that only we may set;
//!   its answer too, status and details included, in gRPC as in gRPC-Web.
//! * EDGE-2 A call ends with a status, whatever becomes of the service behind or of this gateway.
//! * EDGE-3 A caller that leaves is not served any longer: his call is cancelled at the service too.
//! * EDGE-4 Only the services of the five packages, AccountService and each service's OperatorService are reachable; health and
//!   admin ports are not.
//! * EDGE-5 A limit that cannot be asked refuses nobody.
//! * EDGE-6 The web client is served from memory, under a policy that lets no script, style or call of another origin in.
//! * EDGE-7 A call that was certainly not sent to one instance of a service is offered to another; nothing is sent twice.
//! * ACCOUNT-1 Names are unique without regard to case, and an account exists exactly when its event does.
//! * ACCOUNT-2 A refresh token is good for one successor. Presented again it is answered with the same one while that is unused, for
//!   a minute; presented later, or after its successor was used, it ends every session that came of its sign-in.
//! * ACCOUNT-3 Neither password nor refresh token is stored or logged; only their hashes are stored, and successors that only their
//!   predecessors open.
//! * ACCOUNT-4 Neither answer nor time tells whether a name exists to somebody who signs in.
//!
//! # Deliberately absent
//!
//! * Authorization of the calls that are passed on: each service verifies tokens itself.
//! * Retries: a client retries UNAVAILABLE, nobody else does.
//! * Cookies: the token is a header, so no other page can ride on it.

pub mod app;
pub mod config;
pub mod edge;
pub mod grpc;
pub mod store;
pub mod telemetry;

use std::net::SocketAddr;
use std::time::Duration;

use event_bus::{Bus, Relay};
use event_store::CommitSignal;
use operator::Desk;
use proto::{fairplay, game, gateway, matchmaking, rating, wallet};
use service_kit::auth::{Signer, Verifier};
use service_kit::server::{self, Bound, Readiness, Server};
use service_kit::tasks::Tasks;
use service_kit::{RunError, database};
use sqlx::PgPool;
use sqlx::migrate::Migrator;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use app::{App, Lifetimes, Passwords};
pub use app::{ChangeRolesError, RoleChange, change_roles};
pub use config::Config;
use edge::{Callers, Dispatch, EdgeParts, OpenCalls, Pages, RateLimit, Upstream};
use gateway::v1::account_service_server::AccountServiceServer;
pub use store::PostgresAccounts;
use store::{Buckets, Rate};

/// The service's name.
pub const SERVICE: &str = "gateway";
/// The tables of accounts and sessions.
pub static MIGRATOR: Migrator = sqlx::migrate!("../../migrations/gateway");

/// Calls that one client's connection has open at most.
const CALLS_PER_CONNECTION_MAX: u32 = 1024;
/// How long after the stop began open streams are left: unary calls that are under way end in that time.
const STREAMS_CUT_AFTER: Duration = Duration::from_millis(500);

/// Serves until `shutdown` is cancelled.
///
/// # Errors
/// When something that the gateway needs is missing, or fails for good.
pub async fn run(config: Config, shutdown: CancellationToken) -> Result<(), RunError> {
    Gateway::bind(&config).await?.run(shutdown).await
}

/// A gateway that has its ports and its connections, and does not serve yet.
pub struct Gateway {
    edge: TcpListener,
    internal: Bound,
    readiness: Readiness,
    parts: EdgeParts,
    cut: CancellationToken,
    pool: PgPool,
    bus: Bus,
    committed: CommitSignal,
}

impl Gateway {
    /// Opens the database, connects to the broker, and takes the ports.
    ///
    /// # Errors
    /// When one of them cannot be had.
    pub async fn bind(config: &Config) -> Result<Self, RunError> {
        telemetry::describe();
        let pool = database::open(&config.common, SERVICE, &MIGRATOR).await?;
        let bus = event_bus::connect(&config.common.nats_url, SERVICE).await?;
        event_bus::ensure_stream(&bus, SERVICE).await?;
        let committed = CommitSignal::new();
        let cut = CancellationToken::new();
        let server = Server::new(&config.common)?;
        let readiness = server.readiness();
        let desk = Desk::new(SERVICE, &config.common, &pool, &bus, readiness.clone());
        let parts = edge_parts(config, pool.clone(), committed.clone(), desk, &cut)?;
        Ok(Self {
            edge: server::listen(config.edge_address).await?,
            internal: server.bind().await?,
            readiness,
            parts,
            cut,
            pool,
            bus,
            committed,
        })
    }

    /// Where clients call.
    pub fn edge_address(&self) -> SocketAddr {
        self.edge.local_addr().expect("a bound listener has an address")
    }

    /// Where health is served to the inside.
    pub fn internal_address(&self) -> SocketAddr {
        self.internal.grpc_address()
    }

    /// Where metrics are served to the inside.
    pub fn admin_address(&self) -> SocketAddr {
        self.internal.admin_address()
    }

    /// Serves until `shutdown` is cancelled.
    ///
    /// # Errors
    /// When a part fails for good.
    pub async fn run(self, shutdown: CancellationToken) -> Result<(), RunError> {
        let mut tasks = Tasks::new(shutdown.clone());
        tasks.spawn(
            "relay",
            Relay::run(self.pool.clone(), self.bus, SERVICE, self.committed, shutdown.clone()),
        );
        tasks.spawn("tidy", store::tidy(self.pool, shutdown.clone()));
        tasks.spawn("cut", cut_streams(self.cut, shutdown.clone()));
        tasks.spawn("internal", self.internal.run(shutdown.clone()));

        let serving = server::builder()
            .accept_http1(true)
            .max_concurrent_streams(CALLS_PER_CONNECTION_MAX)
            .serve_with_incoming_shutdown(
                edge::edge(self.parts)?,
                server::incoming(self.edge),
                shutdown.clone().cancelled_owned(),
            );
        let served = server::drained(serving, &self.readiness, shutdown.clone()).await;
        // Also when the edge failed, so that the tasks end.
        shutdown.cancel();
        tasks.join().await?;
        Ok(served?)
    }
}

fn edge_parts(
    config: &Config,
    pool: PgPool,
    committed: CommitSignal,
    desk: Desk,
    cut: &CancellationToken,
) -> Result<EdgeParts, RunError> {
    let buckets = Buckets::new(&config.redis_url)?;
    let sign_ins =
        Rate { per_second: config.rate_sign_ins_per_minute / 60.0, burst: config.rate_sign_ins_burst };
    let calls = Rate { per_second: config.rate_calls_per_second, burst: config.rate_calls_burst };
    let app = App {
        accounts: PostgresAccounts::new(pool, committed),
        passwords: Passwords::default(),
        signer: Signer::from_file(&config.token_private_key_file, &config.common.token_issuer)?,
        lifetimes: Lifetimes {
            access: config.access_token_lifetime(),
            refresh: config.refresh_token_lifetime(),
        },
        first_roles: config.first_roles(),
    };
    let account = AccountServiceServer::new(grpc::Account::new(app, buckets.clone(), sign_ins));
    Ok(EdgeParts {
        allowed_origins: config.allowed_origins.clone(),
        verifier: Verifier::from_config(&config.common)?,
        callers: Callers::new(config.trusted_proxies),
        rate_limit: RateLimit::new(buckets, calls, sign_ins),
        open_calls: OpenCalls::new(config.open_calls_max, config.open_calls_per_address_max),
        dispatch: Dispatch::new(account, desk.server(), upstreams(config, cut)?),
        pages: config.web_root.as_deref().map(Pages::read).transpose()?,
    })
}

fn upstreams(config: &Config, cut: &CancellationToken) -> Result<Vec<Upstream>, edge::BadUpstream> {
    [
        ("game", game::v1::game_service_server::SERVICE_NAME, &config.upstream_game),
        (
            "matchmaking",
            matchmaking::v1::matchmaking_service_server::SERVICE_NAME,
            &config.upstream_matchmaking,
        ),
        ("rating", rating::v1::rating_service_server::SERVICE_NAME, &config.upstream_rating),
        ("wallet", wallet::v1::wallet_service_server::SERVICE_NAME, &config.upstream_wallet),
        ("fairplay", fairplay::v1::fairplay_service_server::SERVICE_NAME, &config.upstream_fairplay),
    ]
    .into_iter()
    .map(|(service, name, url)| Upstream::new(service, name, url, cut.clone()))
    .collect()
}

/// Ends the open streams a moment after the stop began.
async fn cut_streams(cut: CancellationToken, shutdown: CancellationToken) {
    shutdown.cancelled().await;
    tokio::time::sleep(STREAMS_CUT_AFTER).await;
    cut.cancel();
}
