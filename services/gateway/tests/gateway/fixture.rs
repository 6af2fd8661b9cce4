//! A gateway of the test's own.

use std::net::SocketAddr;
use std::time::{Duration, SystemTime};

use gateway::{Config, Gateway};
use proto::gateway::v1::account_service_client::AccountServiceClient;
use proto::gateway::v1::{Session, SignUpRequest};
use service_kit::auth::{ISSUER, KeyFiles, KeyPair, Principal, Role, Roles, Signer};
use service_kit::config::CommonConfig;
use sqlx::PgPool;
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic::metadata::MetadataValue;
use tonic::transport::Channel;
use tonic::{Request, Status};
use tonic_types::{ErrorDetails, StatusExt};
use uuid::Uuid;

use crate::behind::Behind;
use crate::clients;

/// How long a test waits for what must come.
pub const PATIENCE: Duration = Duration::from_secs(20);
pub const PASSWORD: &str = "correct horse";

pub struct Fixture {
    pub edge: SocketAddr,
    pub internal: SocketAddr,
    pub admin: SocketAddr,
    pub pool: PgPool,
    pub behind: Behind,
    pub keys: KeyFiles,
    pub shutdown: CancellationToken,
    served: JoinHandle<()>,
    _folder: TempDir,
}

impl Fixture {
    pub async fn start() -> Self {
        Self::start_with(|_| {}).await
    }

    /// With settings of the test's own.
    pub async fn start_with(change: impl FnOnce(&mut Config)) -> Self {
        let database = test_kit::postgres().await.database("gateway").await;
        let folder = tempfile::tempdir().expect("a folder");
        let keys = KeyPair::development(folder.path()).expect("keys");
        let behind = Behind::start().await;
        let common = CommonConfig::development(&database.url, &test_kit::nats().await.url(), &keys.public);
        let mut config = Config::development(common, keys.private.clone(), test_kit::redis().await.url());
        config.upstream_rating = format!("http://{}", behind.address());
        config.upstream_matchmaking = format!("http://{}", behind.address());
        change(&mut config);
        let gateway = Gateway::bind(&config).await.expect("bound");
        let (edge, internal, admin) =
            (gateway.edge_address(), gateway.internal_address(), gateway.admin_address());
        let shutdown = CancellationToken::new();
        let stop = shutdown.clone();
        let served = tokio::spawn(async move { gateway.run(stop).await.expect("served until the stop") });
        Self { edge, internal, admin, pool: database.pool, behind, keys, shutdown, served, _folder: folder }
    }

    pub async fn accounts(&self) -> AccountServiceClient<Channel> {
        AccountServiceClient::new(clients::grpc(self.edge).await)
    }

    /// Signs up under this name.
    pub async fn sign_up(&self, name: &str) -> Session {
        let request = SignUpRequest { name: name.to_owned(), password: PASSWORD.to_owned() };
        let response = self.accounts().await.sign_up(request).await.expect("signed up");
        response.into_inner().session.expect("a session")
    }

    /// A token for somebody who has no account here.
    pub fn token(&self) -> String {
        let signer = Signer::from_file(&self.keys.private, ISSUER).expect("a private key");
        let principal = Principal {
            player_id: Uuid::now_v7(),
            name: "Somebody".to_owned(),
            roles: Roles::of(&[Role::Player]),
            expires_at: SystemTime::now() + Duration::from_secs(60),
        };
        let bearer = signer.bearer(&principal).expect("signed");
        bearer.trim_start_matches("Bearer ").to_owned()
    }

    /// Stops the gateway and says how long that took.
    pub async fn stop(self) -> Duration {
        let begun = std::time::Instant::now();
        self.shutdown.cancel();
        self.served.await.expect("no panic");
        begun.elapsed()
    }
}

pub fn with_token<T>(message: T, token: &str) -> Request<T> {
    let mut request = Request::new(message);
    let value = MetadataValue::try_from(format!("Bearer {token}")).expect("a header");
    request.metadata_mut().insert("authorization", value);
    request
}

pub fn reason(status: &Status) -> String {
    details(status).error_info().map(|info| info.reason.clone()).unwrap_or_default()
}

pub fn details(status: &Status) -> ErrorDetails {
    status.get_error_details()
}

pub fn bad_fields(status: &Status) -> Vec<String> {
    let details = details(status);
    let violations = details.bad_request().map(|bad| bad.field_violations.clone()).unwrap_or_default();
    violations.into_iter().map(|violation| violation.field).collect()
}
