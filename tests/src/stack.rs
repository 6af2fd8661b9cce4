//! A private stack, started as people start it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use cli::arguments::ServiceName;
use cli::dev::state::{self, DevState};
use nix::sys::signal::Signal;
use test_kit::scratch::{self, Medium};
use test_kit::servers::process::{Launch, Process};

/// How long a stack may take to become ready on a busy machine.
const READY_MAX: Duration = Duration::from_secs(180);

/// How long it may take to stop.
const STOP_MAX: Duration = Duration::from_secs(60);

/// A running stack; it ends with this process at the latest.
#[derive(Debug)]
pub struct Stack {
    launcher: Process,
    data: PathBuf,
    /// Where clients connect.
    pub gateway: String,
}

impl Stack {
    /// Starts `stakemate dev` on a free port and a new folder, and waits until it says that it is ready.
    pub fn start() -> anyhow::Result<Self> {
        let data = scratch::folder(Medium::Memory, "stack")?;
        Self::start_in(data)
    }

    /// The same in a given folder, which may hold the data of a former run.
    pub fn start_in(data: PathBuf) -> anyhow::Result<Self> {
        Self::start_with(data, &[])
    }

    /// The same with tracing switched on. Nobody collects the spans: what is looked at is how the trace is handed on.
    pub fn traced() -> anyhow::Result<Self> {
        let data = scratch::folder(Medium::Memory, "stack")?;
        Self::start_with(data, &[("STAKEMATE_OTLP_ENDPOINT", "http://127.0.0.1:9")])
    }

    /// A stack whose games are shared by several instances of the game service.
    pub fn with_game_instances(count: u8) -> anyhow::Result<Self> {
        let data = scratch::folder(Medium::Memory, "stack")?;
        Self::start_with(data, &[("STAKEMATE_GAME_INSTANCES", &count.to_string())])
    }

    fn start_with(data: PathBuf, variables: &[(&str, &str)]) -> anyhow::Result<Self> {
        let port = cli::dev::ports::free_address()?.port();
        let mut command = Command::new(programs()?.join("stakemate"));
        command.arg("--data").arg(&data).args(["dev", "--port", &port.to_string()]);
        command.envs(variables.iter().copied());
        // Few nodes: what the engine finds is tested where the engine is; here every game only has to get its report.
        command.env("STAKEMATE_FAIRPLAY_NODES", "500");
        // Every test signs players up from one address.
        command
            .env("STAKEMATE_RATE_SIGN_INS_PER_MINUTE", "100000")
            .env("STAKEMATE_RATE_SIGN_INS_BURST", "1000");
        let log = data.join("launcher.log");
        if log.exists() {
            // What a former launcher said is not what this one says.
            std::fs::remove_file(&log)?;
        }
        let launch =
            Launch { name: "stack".to_owned(), command, log: log.clone(), signal_at_end: Signal::SIGTERM };
        let mut launcher = Process::start(launch)?;
        launcher.wait_until(READY_MAX, || ready_line(&log).is_some())?;
        let gateway = ready_line(&log).context("the launcher said that it is ready")?;
        Ok(Self { launcher, data, gateway })
    }

    /// One stack for all tests of a test program that do not break it.
    pub fn shared() -> &'static Self {
        static STACK: OnceLock<Stack> = OnceLock::new();
        STACK.get_or_init(|| Self::start().expect("the stack starts"))
    }

    /// Addresses and processes, as the launcher wrote them last.
    pub fn state(&self) -> anyhow::Result<DevState> {
        Ok(state::find_running(&self.data)?)
    }

    /// The folder of the stack's data.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// The private key that signs the stack's tokens.
    pub fn token_private_key(&self) -> PathBuf {
        self.data.join("keys/token-private-development.pem")
    }

    /// Kills a service with SIGKILL; the launcher starts it again.
    pub fn kill(&self, service: ServiceName) -> anyhow::Result<()> {
        let state = self.state()?;
        let process = state.processes.iter().find(|process| process.name == service.as_str());
        let process = process.with_context(|| format!("{} is not running", service.as_str()))?;
        ensure!(process.is_alive(), "{} is not running", service.as_str());
        let pid = nix::unistd::Pid::from_raw(i32::try_from(process.pid)?);
        Ok(nix::sys::signal::kill(pid, Signal::SIGKILL)?)
    }

    /// Kills the launcher and every process that it runs with SIGKILL, all at once, and gives the folder of the data.
    pub fn kill_everything(mut self) -> anyhow::Result<PathBuf> {
        let state = self.state()?;
        state.launcher.id().signal(Signal::SIGKILL);
        for process in &state.processes {
            process.id().signal(Signal::SIGKILL);
        }
        self.launcher.stop(Signal::SIGKILL, STOP_MAX);
        Ok(self.data)
    }

    /// Stops the stack as Ctrl-C does, and gives its exit code.
    pub fn stop(mut self) -> Option<i32> {
        self.launcher.stop(Signal::SIGINT, STOP_MAX).code()
    }

    /// A database of the stack.
    pub async fn database(&self, service: ServiceName) -> anyhow::Result<sqlx::PgPool> {
        let url = self.state()?.service(service).database_url.clone();
        Ok(sqlx::postgres::PgPoolOptions::new().max_connections(2).connect(&url).await?)
    }
}

fn ready_line(log: &Path) -> Option<String> {
    let text = std::fs::read_to_string(log).ok()?;
    let line = text.lines().find(|line| line.starts_with("ready http"))?;
    line.strip_prefix("ready ").map(str::to_owned)
}

/// The folder in which cargo puts our programs.
pub fn programs() -> anyhow::Result<PathBuf> {
    // A test runs as target/<profile>/deps/<name>; the programs lie one folder up.
    let own = std::env::current_exe()?;
    let folder = own.ancestors().nth(2).context("a test program lies in target/<profile>/deps")?;
    ensure!(
        folder.join("stakemate").exists(),
        "{} is not built: run `cargo build --workspace --bins` first, or `make test`",
        folder.join("stakemate").display()
    );
    Ok(folder.to_path_buf())
}
