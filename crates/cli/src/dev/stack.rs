//! Starts the whole stack, and stops it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, SyncSender};
use std::time::{Duration, Instant};

use service_kit::auth::KeyPair;
use test_kit::servers::process_id::ProcessId;
use test_kit::servers::{self, NatsSettings, PostgresSettings, RedisSettings};
use test_kit::{Durability, Nats, Postgres, Redis};
use tokio::runtime::Handle;
use tonic::Code;
use tonic::transport::Endpoint;

use super::child::{Child, Service};
use super::layout::Layout;
use super::ports::{self, EdgePort};
use super::services::{self, ServicePlan, Shared};
use super::state::{self, DevState, Phase, RecordedProcess};
use super::supervisor::{self, Children};
use super::{StartError, health, io_error, players};

/// Migrations of an empty database on a busy machine take their time.
const HEALTH_PATIENCE: Duration = Duration::from_secs(120);
const HEALTH_POLL_INTERVAL: Duration = Duration::from_millis(100);
const EDGE_PATIENCE: Duration = Duration::from_secs(30);
/// Six services with a pool for each instance, their relays and consumers, and people who look on.
const POSTGRES_CONNECTIONS_MAX: u16 = 300;

/// What to start.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where all data lies.
    pub data: PathBuf,
    /// Where clients connect.
    pub port: EdgePort,
    /// Where the services' programs lie; none means beside our own.
    pub programs: Option<PathBuf>,
    /// Variables for every service, with their whole names; they overrule the launcher's own.
    pub variables: Vec<(String, String)>,
    /// How many instances of the game service share the games.
    pub game_instances: u8,
}

/// A running stack. If it is dropped without [`Stack::stop`], its children end with this process.
#[derive(Debug)]
pub struct Stack {
    state: DevState,
    stop: SyncSender<()>,
    supervisor: tokio::task::JoinHandle<()>,
}

impl Stack {
    /// Starts everything and returns when all services are healthy and the seeded players can sign in.
    pub async fn start(options: Options) -> Result<Self, StartError> {
        let runtime = Handle::current();
        // Launching waits for processes and files; it belongs on a thread of its own.
        tokio::task::spawn_blocking(move || start_blocking(&options, &runtime))
            .await
            .expect("starting reports its failures as errors")
    }

    /// Addresses and processes at the time of the start.
    #[must_use]
    pub fn state(&self) -> &DevState {
        &self.state
    }

    /// Stops everything in order.
    pub async fn stop(self) {
        // A supervisor that has ended already needs no message.
        let _ = self.stop.send(());
        let _ = self.supervisor.await;
    }
}

fn start_blocking(options: &Options, runtime: &Handle) -> Result<Stack, StartError> {
    let layout = Layout::new(&options.data)?;
    layout.make()?;
    let lock = layout.lock()?;
    state::stop_orphans(&layout);
    let edge = options.port.resolve()?;
    let programs = match &options.programs {
        Some(folder) => folder.clone(),
        None => programs_folder()?,
    };

    let launcher = ProcessId::own().map_err(io_error("read /proc"))?;
    let (mut children, shared) = start_servers(&layout, edge)?;
    let counts = services::Counts { game: options.game_instances };
    let plans = services::plan(&layout, &programs, counts, |name| children.postgres.url(name))?;
    let mut state = DevState {
        boot_id: state::boot_id()?,
        launcher: RecordedProcess::of("dev", launcher),
        edge_url: format!("http://{edge}"),
        nats_url: shared.nats_url.clone(),
        redis_url: shared.redis_url.clone(),
        services: plans.iter().map(|plan| (plan.name.clone(), plan.state())).collect(),
        processes: children.record(),
        phase: Phase::Starting,
    };
    state.write(&layout)?;
    runtime.block_on(make_databases(&children.postgres, &plans))?;
    start_services(&mut children, &plans, &mut state, &layout, |plan| {
        let own = services::environment(plan, &plans, &shared);
        own.into_iter().chain(options.variables.iter().cloned()).collect()
    })?;
    runtime.block_on(wait_healthy(&mut children))?;
    runtime.block_on(seed_players(edge))?;
    state.phase = Phase::Ready;
    state.write(&layout)?;

    let (stop, stopped) = mpsc::sync_channel(1);
    let supervised = state.clone();
    let supervisor = runtime.spawn_blocking(move || {
        supervisor::run(children, supervised, &layout, &stopped);
        drop(lock);
    });
    Ok(Stack { state, stop, supervisor })
}

/// The services' programs lie beside our own.
fn programs_folder() -> Result<PathBuf, StartError> {
    let own = std::env::current_exe().map_err(io_error("find our own program"))?;
    let folder = own.parent().unwrap_or(Path::new("/"));
    // Test programs lie one folder deeper.
    match folder.file_name().is_some_and(|name| name == "deps") {
        true => Ok(folder.parent().unwrap_or(folder).to_owned()),
        false => Ok(folder.to_owned()),
    }
}

fn start_servers(layout: &Layout, edge: SocketAddr) -> Result<(Children, Shared), StartError> {
    let keys = KeyPair::development(&layout.keys()).map_err(io_error("make the token keys"))?;
    let postgres = Postgres::launch(PostgresSettings {
        programs: servers::find::postgres()?,
        folder: layout.postgres(),
        durability: Durability::Durable,
        connections_max: POSTGRES_CONNECTIONS_MAX,
    })?;
    let nats = Nats::launch(NatsSettings {
        program: servers::find::nats()?,
        folder: layout.nats(),
        port: Some(ports::free_address()?.port()),
    })?;
    let redis = Redis::launch(RedisSettings { program: servers::find::redis()?, folder: layout.redis() })?;
    let shared = Shared {
        nats_url: nats.url(),
        redis_url: redis.url(),
        edge,
        keys,
        stockfish: servers::find::stockfish(),
    };
    let children = Children { postgres, nats, redis, services: Vec::new() };
    Ok((children, shared))
}

async fn make_databases(postgres: &Postgres, plans: &[ServicePlan]) -> Result<(), StartError> {
    for plan in plans {
        // Instances share the database of their service: it is there when the second asks.
        postgres.ensure_database(&services::database_name(plan.service)).await?;
    }
    Ok(())
}

fn start_services(
    children: &mut Children,
    plans: &[ServicePlan],
    state: &mut DevState,
    layout: &Layout,
    environment: impl Fn(&ServicePlan) -> Vec<(String, String)>,
) -> Result<(), StartError> {
    for plan in plans {
        let mut service = Service::new(plan.clone(), environment(plan));
        service.start()?;
        children.services.push(service);
        // After each start, so that a kill at any point leaves no unknown orphan.
        state.processes = children.record();
        state.write(layout)?;
    }
    Ok(())
}

async fn wait_healthy(children: &mut Children) -> Result<(), StartError> {
    let started = Instant::now();
    for service in &mut children.services {
        loop {
            let Err(reason) = health::ask(service.plan.grpc).await else {
                break;
            };
            let Some(process) = service.process() else {
                break;
            };
            let status = process.exit_status();
            if status.is_some() || started.elapsed() > HEALTH_PATIENCE {
                let last_words = process.last_words();
                return Err(StartError::Unhealthy {
                    service: service.plan.name.clone(),
                    patience_s: started.elapsed().as_secs(),
                    reason: status.map_or(reason, |status| format!("ended, {status}")),
                    last_words,
                });
            }
            tokio::time::sleep(HEALTH_POLL_INTERVAL).await;
        }
    }
    Ok(())
}

async fn seed_players(edge: SocketAddr) -> Result<(), StartError> {
    let channel = Endpoint::from_shared(format!("http://{edge}"))
        .expect("an address makes a valid URL")
        .timeout(EDGE_PATIENCE)
        .connect_lazy();
    let started = Instant::now();
    loop {
        match players::ensure(channel.clone()).await {
            // The gateway may answer its health check a moment before it listens at the edge.
            Err(StartError::Players { status, .. })
                if status.code() == Code::Unavailable && started.elapsed() < EDGE_PATIENCE =>
            {
                tokio::time::sleep(HEALTH_POLL_INTERVAL).await;
            }
            outcome => return outcome,
        }
    }
}
