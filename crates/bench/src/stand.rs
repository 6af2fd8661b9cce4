//! A durable Postgres, a NATS and a game service, as processes of our own.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, bail};
use domain_chess::{Event, RuleSet, Standing, StartPosition, Started, TimeControl, TimeScale};
use event_store::Metadata;
use game::app::{CityId, Facts, GameId, MatchId, PlayerId, Seat, Stake};
use nix::sys::signal::Signal;
use service_kit::auth::{ISSUER, KeyPair, Role, Roles, Signer, Subject};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use test_kit::scratch::{self, Medium};
use test_kit::servers::process::{Launch, Process};
use test_kit::{Durability, Nats, Postgres, own_nats, own_postgres};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tonic::transport::{Channel, Endpoint};
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};
use uuid::Uuid;

const DATABASE: &str = "stakemate_game";
const TOKEN_LIFETIME: Duration = Duration::from_secs(3_600);
const READY_PATIENCE: Duration = Duration::from_secs(120);
const STOP_PATIENCE: Duration = Duration::from_secs(15);

/// A player with a token.
#[derive(Clone, Debug)]
pub struct Player {
    /// Who.
    pub player_id: Uuid,
    /// What he calls himself by.
    pub bearer: String,
}

/// Everything a game service needs, and one that runs.
pub struct Stand {
    /// The database server.
    pub postgres: Postgres,
    /// The broker.
    pub nats: Nats,
    /// The game service's database.
    pub pool: PgPool,
    signer: Signer,
    folder: PathBuf,
    service: Option<Service>,
}

struct Service {
    process: Process,
    port: u16,
    admin_port: u16,
}

impl Stand {
    /// Starts the servers. No service runs yet.
    pub async fn start() -> anyhow::Result<Stand> {
        let postgres = own_postgres(Durability::Durable).await;
        let nats = own_nats().await;
        let admin = PgPool::connect(&postgres.url("postgres")).await?;
        sqlx::raw_sql("create database stakemate_game").execute(&admin).await?;
        admin.close().await;
        let url = postgres.url(DATABASE);
        service_kit::database::migrate(&url.clone().into(), game::store::SERVICE, &game::MIGRATOR).await?;
        let pool = PgPoolOptions::new().max_connections(80).connect(&url).await?;
        let folder = scratch::folder(Medium::Disk, "bench")?;
        let pair = KeyPair::generate();
        std::fs::write(folder.join("public.pem"), &pair.public_pem)?;
        let signer = Signer::from_pem(pair.private_pem.as_bytes(), ISSUER)?;
        Ok(Stand { postgres, nats, pool, signer, folder, service: None })
    }

    /// Starts the game service beside our own program and waits until it is ready.
    pub async fn start_service(&mut self) -> anyhow::Result<()> {
        let own = std::env::current_exe()?;
        let program = own.with_file_name("stakemate-game");
        if !program.is_file() {
            bail!("{} is missing; build the game service in the same profile", program.display());
        }
        let (port, admin_port) = (free_port()?, free_port()?);
        let mut command = Command::new(program);
        command
            .env("STAKEMATE_ENVIRONMENT", "development")
            .env("STAKEMATE_GRPC_ADDRESS", format!("127.0.0.1:{port}"))
            // The same after a restart, whatever the port, so that it follows the one before at once.
            .env("STAKEMATE_GAME_INSTANCE", "bench")
            .env("STAKEMATE_ADMIN_ADDRESS", format!("127.0.0.1:{admin_port}"))
            .env("STAKEMATE_DATABASE_URL", self.postgres.url(DATABASE))
            .env("STAKEMATE_NATS_URL", self.nats.url())
            .env("STAKEMATE_TOKEN_PUBLIC_KEY_FILE", self.folder.join("public.pem"));
        let mut process = Process::start(Launch {
            name: "stakemate-game".to_owned(),
            command,
            log: self.folder.join("game.log"),
            signal_at_end: Signal::SIGTERM,
        })?;
        let begun = Instant::now();
        loop {
            let mut health = HealthClient::new(endpoint(port).connect_lazy());
            if let Ok(answer) = health.check(HealthCheckRequest::default()).await
                && answer.get_ref().status == 1
            {
                break;
            }
            if process.exit_status().is_some() || begun.elapsed() > READY_PATIENCE {
                bail!("the game service is not ready: {}", process.last_words());
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        self.service = Some(Service { process, port, admin_port });
        Ok(())
    }

    /// Stops the service in order.
    pub fn stop_service(&mut self) {
        if let Some(mut service) = self.service.take() {
            service.process.stop(Signal::SIGTERM, STOP_PATIENCE);
        }
    }

    /// Connections to the running service.
    pub fn channels(&self, count: usize) -> anyhow::Result<Vec<Channel>> {
        let port = self.running()?.port;
        Ok((0..count).map(|_| endpoint(port).connect_lazy()).collect())
    }

    /// The service's process number.
    pub fn service_pid(&self) -> anyhow::Result<u32> {
        Ok(self.running()?.process.id().pid)
    }

    /// One of the service's own figures; 0 while it has none of that name.
    pub async fn metric(&self, name: &str) -> anyhow::Result<f64> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.running()?.admin_port)).await?;
        stream.write_all(b"GET /metrics HTTP/1.0\r\nhost: localhost\r\n\r\n").await?;
        let mut text = String::new();
        stream.read_to_string(&mut text).await?;
        let line = text.lines().find(|line| line.split([' ', '{']).next() == Some(name));
        Ok(line.and_then(|line| line.rsplit(' ').next()?.parse().ok()).unwrap_or(0.0))
    }

    /// Empties the log.
    pub async fn empty(&self) -> anyhow::Result<()> {
        sqlx::raw_sql("truncate events, outbox, games, archived_games").execute(&self.pool).await?;
        Ok(())
    }

    fn running(&self) -> anyhow::Result<&Service> {
        self.service.as_ref().context("no service runs")
    }

    /// The database server's process number.
    pub fn postgres_pid(&mut self) -> anyhow::Result<u32> {
        Ok(self.postgres.process().context("no database runs")?.id().pid)
    }

    /// Somebody new.
    pub fn player(&self, name: &str) -> anyhow::Result<Player> {
        let player_id = Uuid::now_v7();
        let subject = Subject { player_id, name, roles: Roles::of(&[Role::Player]) };
        let token = self.signer.sign(&subject, SystemTime::now(), TOKEN_LIFETIME)?;
        Ok(Player { player_id, bearer: format!("Bearer {}", token.text) })
    }

    /// A new game of two players, at 180 + 2, that begins now.
    pub async fn new_game(&self, white: &Player, black: &Player) -> anyhow::Result<Uuid> {
        let (facts, started) = beginning(white.player_id, black.player_id);
        let mut transaction = self.pool.begin().await?;
        let metadata = Metadata::for_request("bench", facts.game_id.0);
        game::store::create(&mut transaction, &facts, &started, metadata).await?;
        transaction.commit().await?;
        Ok(facts.game_id.0)
    }
}

/// What a game of two players begins with.
pub fn beginning(white_id: Uuid, black_id: Uuid) -> (Facts, Started) {
    let seat = |id, name: &str| Seat { player_id: PlayerId(id), name: name.to_owned() };
    let facts = Facts {
        game_id: GameId(Uuid::now_v7()),
        match_id: Some(MatchId(Uuid::now_v7())),
        table_id: None,
        city_id: CityId("lisbon".to_owned()),
        white: seat(white_id, "white"),
        black: seat(black_id, "black"),
        stake: Some(Stake { minor_units: 500, currency: "XPL".to_owned() }),
    };
    let started = Started {
        rule_set: Arc::new(RuleSet::city()),
        time_control: Some(TimeControl::new(180_000, 2_000)),
        start_position: StartPosition::default(),
        standing: Standing::Rated,
        time_scale: TimeScale::REAL,
        at_ms: now_ms(),
    };
    (facts, started)
}

/// The events of a log, stamped with their start.
pub fn with_start(started: &Started, mut events: Vec<Event>) -> Vec<Event> {
    events[0] = Event::Started(Box::new(started.clone()));
    events
}

/// The time now, in milliseconds since the Unix epoch.
pub fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

fn endpoint(port: u16) -> Endpoint {
    Endpoint::from_shared(format!("http://127.0.0.1:{port}")).expect("an address").tcp_nodelay(true)
}

/// A port that nobody listens on now.
pub fn free_port() -> std::io::Result<u16> {
    std::net::TcpListener::bind("127.0.0.1:0")?.local_addr().map(|address| address.port())
}
