//! The whole service, with other services that only publish.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use event_bus::{CommitSignal, Relay};
use fairplay::{Config, SERVICE};
use proto::fairplay::v1::fairplay_service_client::FairplayServiceClient;
use service_kit::RunError;
use service_kit::auth::{ISSUER, KeyPair, Principal, Role, Roles, Signer};
use service_kit::config::CommonConfig;
use tempfile::TempDir;
use test_kit::{Nats, TestDatabase};
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::Request;
use tonic::transport::{Channel, Endpoint};
use uuid::Uuid;

use super::PATIENCE;
use super::events::Event;

/// A service that does nothing but publish.
pub struct Publisher {
    pub database: TestDatabase,
    service: &'static str,
    signal: CommitSignal,
    _stop: DropGuard,
}

impl Publisher {
    async fn start(service: &'static str, nats_url: &str) -> Self {
        let database = test_kit::postgres().await.database(service).await;
        sqlx::raw_sql(event_store::schema()).execute(&database.pool).await.expect("a valid schema");
        let bus = event_bus::connect(nats_url, service).await.expect("a broker");
        let (signal, shutdown) = (CommitSignal::new(), CancellationToken::new());
        let relay = Relay::run(database.pool.clone(), bus, service, signal.clone(), shutdown.clone());
        tokio::spawn(relay);
        Self { database, service, signal, _stop: shutdown.drop_guard() }
    }

    pub async fn publish(&self, event: &Event) {
        assert_eq!(event.service, self.service);
        let mut tx = self.database.pool.begin().await.expect("a transaction");
        event_store::append_in(&mut tx, &event.append()).await.expect("written");
        tx.commit().await.expect("committed");
        self.signal.committed();
    }

    /// Sends everything once more.
    pub async fn publish_all_again(&self) {
        sqlx::query("update outbox set published_at = null, generation = generation + 1")
            .execute(&self.database.pool)
            .await
            .expect("updated");
        self.signal.committed();
    }
}

/// The service's surroundings; it can be started in them, stopped and started again.
pub struct World {
    pub database: TestDatabase,
    pub matchmaking: Publisher,
    pub game: Publisher,
    nats: Nats,
    keys: TempDir,
    signer: Signer,
}

impl World {
    pub async fn new() -> Self {
        let nats = test_kit::own_nats().await;
        let keys = TempDir::new().expect("a folder");
        let files = KeyPair::development(keys.path()).expect("keys");
        Self {
            database: test_kit::postgres().await.database(SERVICE).await,
            matchmaking: Publisher::start("matchmaking", &nats.url()).await,
            game: Publisher::start("game", &nats.url()).await,
            signer: Signer::from_file(&files.private, ISSUER).expect("a key"),
            nats,
            keys,
        }
    }

    pub async fn start(&self, stockfish: Option<PathBuf>) -> Service {
        let files = KeyPair::development(self.keys.path()).expect("keys");
        let config = Config {
            common: CommonConfig::development(&self.database.url, &self.nats.url(), &files.public),
            stockfish,
            nodes: 25_000,
            engines: 1,
            claim_ms: 60_000,
            second_pass_stake: i64::MAX,
            calibration: None,
        };
        let shutdown = CancellationToken::new();
        let started = fairplay::start(config, shutdown.clone()).await.expect("the service starts");
        let address = format!("http://{}", started.grpc_address());
        let channel = Endpoint::from_shared(address).expect("an address").connect_lazy();
        Service {
            client: FairplayServiceClient::new(channel),
            ended: tokio::spawn(started.serve()),
            _stop: shutdown.clone().drop_guard(),
            shutdown,
        }
    }

    /// A request of somebody with a role.
    pub fn request<T>(&self, player_id: Uuid, role: Role, message: T) -> Request<T> {
        let principal = Principal {
            player_id,
            name: "Somebody".to_owned(),
            roles: Roles::of(&[role]),
            expires_at: SystemTime::now() + Duration::from_secs(600),
        };
        let bearer = self.signer.bearer(&principal).expect("a token");
        let mut request = Request::new(message);
        request.metadata_mut().insert("authorization", bearer.parse().expect("a header"));
        request
    }
}

/// The running service.
pub struct Service {
    pub client: FairplayServiceClient<Channel>,
    ended: JoinHandle<Result<(), RunError>>,
    shutdown: CancellationToken,
    _stop: DropGuard,
}

impl Service {
    pub async fn stop(self) {
        self.shutdown.cancel();
        let ended = tokio::time::timeout(PATIENCE, self.ended).await;
        ended.expect("it stops when it is asked to").expect("no panic").expect("a clean stop");
    }
}
