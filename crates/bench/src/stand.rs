//! A durable Postgres, a NATS, a Redis, a game service and a gateway, as processes of our own.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, bail};
use domain_chess::{ClockStart, RuleSet, Standing, StartPosition, Started, TimeControl, TimeScale};
use event_store::Metadata;
use game::app::{CityId, Facts, GameId, MatchId, PlayerId, Seat, Stake};
use nix::sys::signal::Signal;
use service_kit::auth::{ISSUER, KeyPair, Role, Roles, Signer, Subject};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use test_kit::scratch::{self, Medium};
use test_kit::servers::process::{Launch, Process};
use test_kit::{Durability, Nats, Postgres, Redis, own_nats, own_postgres, own_redis};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tonic::transport::{Channel, Endpoint};
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};
use uuid::Uuid;

use crate::cpu;
use crate::decisions;
use crate::load::{Plan, Seated};

const DATABASE: &str = "stakemate_game";
const GATEWAY_DATABASE: &str = "stakemate_gateway";
/// That of the peer.
pub const PEER_DATABASE: &str = "colyseus";
/// Nobody listens there: no other service is measured here.
const NOBODY: &str = "http://127.0.0.1:9";
/// The closed loops all play the same games, the peer's too.
pub const GAMES_SEED: u64 = 11;
const LONG_BASE_MS: u32 = 90 * 60 * 1_000;
const FIRST_MOVE_DUE_MS: u32 = 10 * 60 * 1_000;
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

/// Which way clients call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Straight into the game service.
    Straight,
    /// Through the gateway, as everybody else does.
    Gateway,
}

/// Everything a game service needs, and one that runs.
pub struct Stand {
    /// The database server.
    pub postgres: Postgres,
    /// The game service's database.
    pub pool: PgPool,
    nats: Nats,
    redis: Redis,
    signer: Signer,
    folder: PathBuf,
    game: Option<Service>,
    gateway: Option<Service>,
}

struct Service {
    process: Process,
    port: u16,
    admin_port: u16,
}

/// What processes have used so far, in seconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Used {
    /// The game service.
    pub service_s: f64,
    /// The database server.
    pub database_s: f64,
    /// The gateway with its Redis, and NATS.
    pub edge_s: f64,
}

impl Used {
    /// Since `earlier`.
    pub fn since(self, earlier: Used) -> Used {
        Used {
            service_s: self.service_s - earlier.service_s,
            database_s: self.database_s - earlier.database_s,
            edge_s: self.edge_s - earlier.edge_s,
        }
    }
}

impl Stand {
    /// Starts the servers. No service runs yet.
    pub async fn start() -> anyhow::Result<Stand> {
        let postgres = own_postgres(Durability::Durable).await;
        let (nats, redis) = (own_nats().await, own_redis().await);
        let admin = PgPool::connect(&postgres.url("postgres")).await?;
        for database in [DATABASE, GATEWAY_DATABASE, PEER_DATABASE] {
            let create = sqlx::AssertSqlSafe(format!("create database {database}"));
            sqlx::raw_sql(create).execute(&admin).await?;
        }
        admin.close().await;
        let url = postgres.url(DATABASE);
        service_kit::database::migrate(&url.clone().into(), game::store::SERVICE, &game::MIGRATOR).await?;
        let pool = PgPoolOptions::new().max_connections(80).connect(&url).await?;
        let folder = scratch::folder(Medium::Disk, "bench")?;
        let pair = KeyPair::generate();
        std::fs::write(folder.join("public.pem"), &pair.public_pem)?;
        std::fs::write(folder.join("private.pem"), pair.private_pem.as_bytes())?;
        let signer = Signer::from_pem(pair.private_pem.as_bytes(), ISSUER)?;
        Ok(Stand { postgres, pool, nats, redis, signer, folder, game: None, gateway: None })
    }

    /// Starts the game service beside our own program and waits until it is ready.
    pub async fn start_service(&mut self) -> anyhow::Result<()> {
        let service = self.launch("stakemate-game", DATABASE, &[]).await?;
        self.game = Some(service);
        Ok(())
    }

    /// Starts a gateway before the running game service.
    pub async fn start_gateway(&mut self) -> anyhow::Result<u16> {
        let edge_port = free_port()?;
        let game = format!("http://127.0.0.1:{}", self.running()?.port);
        let mut settings = vec![
            ("EDGE_ADDRESS".to_owned(), format!("127.0.0.1:{edge_port}")),
            ("REDIS_URL".to_owned(), self.redis.url()),
            ("TOKEN_PRIVATE_KEY_FILE".to_owned(), self.folder.join("private.pem").display().to_string()),
            // A closed loop is quicker than people are.
            ("RATE_CALLS_PER_SECOND".to_owned(), "100000".to_owned()),
            ("RATE_CALLS_BURST".to_owned(), "100000".to_owned()),
            ("UPSTREAM_GAME".to_owned(), game),
        ];
        for other in ["MATCHMAKING", "RATING", "WALLET", "FAIRPLAY"] {
            settings.push((format!("UPSTREAM_{other}"), NOBODY.to_owned()));
        }
        let mut gateway = self.launch("stakemate-gateway", GATEWAY_DATABASE, &settings).await?;
        gateway.port = edge_port;
        self.gateway = Some(gateway);
        Ok(edge_port)
    }

    async fn launch(
        &self,
        name: &str,
        database: &str,
        settings: &[(String, String)],
    ) -> anyhow::Result<Service> {
        let own = std::env::current_exe()?;
        let program = own.with_file_name(name);
        if !program.is_file() {
            bail!("{} is missing; build it in the same profile", program.display());
        }
        let (port, admin_port) = (free_port()?, free_port()?);
        let mut command = Command::new(program);
        command
            .env("STAKEMATE_ENVIRONMENT", "development")
            .env("STAKEMATE_GRPC_ADDRESS", format!("127.0.0.1:{port}"))
            // The same after a restart, whatever the port, so that it follows the one before at once.
            .env("STAKEMATE_GAME_INSTANCE", "bench")
            .env("STAKEMATE_ADMIN_ADDRESS", format!("127.0.0.1:{admin_port}"))
            .env("STAKEMATE_DATABASE_URL", self.postgres.url(database))
            .env("STAKEMATE_NATS_URL", self.nats.url())
            .env("STAKEMATE_TOKEN_PUBLIC_KEY_FILE", self.folder.join("public.pem"))
            .envs(settings.iter().map(|(name, value)| (format!("STAKEMATE_{name}"), value)));
        let mut process = Process::start(Launch {
            name: name.to_owned(),
            command,
            log: self.folder.join(format!("{name}.log")),
            signal_at_end: Signal::SIGTERM,
        })?;
        let begun = Instant::now();
        let mut health = HealthClient::new(endpoint(port).connect_lazy());
        loop {
            if let Ok(answer) = health.check(HealthCheckRequest::default()).await
                && answer.get_ref().status == 1
            {
                return Ok(Service { process, port, admin_port });
            }
            if process.exit_status().is_some() || begun.elapsed() > READY_PATIENCE {
                bail!("{name} is not ready: {}", process.last_words());
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Stops the services in order.
    pub fn stop_services(&mut self) {
        for mut service in [self.gateway.take(), self.game.take()].into_iter().flatten() {
            service.process.stop(Signal::SIGTERM, STOP_PATIENCE);
        }
    }

    /// Ends the game service as a crash does.
    pub fn kill_service(&mut self) {
        if let Some(mut service) = self.game.take() {
            service.process.kill();
        }
    }

    /// Connections to the running service, or to the gateway before it.
    pub fn channels(&self, way: Way, count: usize) -> anyhow::Result<Vec<Channel>> {
        let port = match way {
            Way::Straight => self.running()?.port,
            Way::Gateway => self.gateway.as_ref().context("no gateway runs")?.port,
        };
        Ok((0..count).map(|_| endpoint(port).connect_lazy()).collect())
    }

    /// What everything here has used so far.
    pub fn used(&mut self) -> anyhow::Result<Used> {
        let of = |pid: u32| cpu::used_by(pid).as_secs_f64();
        let mut edge_s = self.nats.process().map_or(0.0, |process| of(process.id().pid));
        edge_s += self.redis.process().map_or(0.0, |process| of(process.id().pid));
        edge_s += self.gateway.as_ref().map_or(0.0, |gateway| of(gateway.process.id().pid));
        let database_s = of(self.postgres_pid()?);
        Ok(Used { service_s: of(self.service_pid()?), database_s, edge_s })
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
        self.game.as_ref().context("no service runs")
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

    /// New games that begin now, for a plan.
    pub async fn seat(&self, plan: Plan) -> anyhow::Result<Vec<Seated>> {
        let mut seated = Vec::with_capacity(plan.games);
        for line in decisions::games(plan.games, GAMES_SEED) {
            let (white, black) = (self.player("white")?, self.player("black")?);
            let game_id = self.new_game(&white, &black).await?;
            seated.push(Seated { game_id, white, black, line });
        }
        Ok(seated)
    }

    /// A new game of two players, at 180 + 2, that begins now.
    pub async fn new_game(&self, white: &Player, black: &Player) -> anyhow::Result<Uuid> {
        let (facts, mut started) = beginning(white.player_id, black.player_id);
        // On a busy machine it takes a while until all are seated, and nobody is to lose his game by it.
        let mut rules = (*started.rule_set).clone();
        rules.clock_start = ClockStart::FirstMovesFree { due_ms: FIRST_MOVE_DUE_MS };
        started.rule_set = Arc::new(rules);
        self.create(facts, started).await
    }

    /// One in which nobody has to move soon.
    pub async fn new_long_game(&self, white: &Player, black: &Player) -> anyhow::Result<Uuid> {
        let (facts, mut started) = beginning(white.player_id, black.player_id);
        started.rule_set = Arc::new(RuleSet::fide());
        started.time_control = Some(TimeControl::new(LONG_BASE_MS, 0));
        self.create(facts, started).await
    }

    async fn create(&self, facts: Facts, started: Started) -> anyhow::Result<Uuid> {
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
