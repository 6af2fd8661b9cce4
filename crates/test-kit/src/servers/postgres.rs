//! A private Postgres on a Unix socket.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use super::account::Account;
use super::find::PostgresPrograms;
use super::process::{Launch, Process};
use super::process_id::{self, ProcessId};
use super::{LaunchError, START_PATIENCE, STOP_PATIENCE, io_error};

/// Names the socket file; nothing listens on it.
const PORT: u16 = 5432;
/// The kernel's limit for the path of a Unix socket, less the name of the socket in its folder.
const SOCKET_FOLDER_LENGTH_MAX: usize = 107 - "/.s.PGSQL.5432.lock".len();

/// How long the processes of a killed server get to end by themselves.
const ORPHAN_PATIENCE: Duration = Duration::from_millis(500);

/// What becomes of a commit at a power cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// It may be lost: nothing is synced. Several times quicker, right for most tests.
    Volatile,
    /// It is on disk before it is acknowledged.
    Durable,
}

/// How to run a Postgres.
#[derive(Debug, Clone)]
pub struct PostgresSettings {
    /// What to run.
    pub programs: PostgresPrograms,
    /// An existing folder that is its alone; holds the cluster, the socket and the log.
    pub folder: PathBuf,
    /// What a commit promises.
    pub durability: Durability,
    /// Upper bound of all clients' connections.
    pub connections_max: u16,
}

/// A Postgres server that is our child.
#[derive(Debug)]
pub struct Postgres {
    settings: PostgresSettings,
    account: Account,
    socket_folder: PathBuf,
    process: Option<Process>,
}

impl Postgres {
    /// Makes the cluster if there is none yet and starts the server; returns when it takes connections.
    pub fn launch(settings: PostgresSettings) -> Result<Self, LaunchError> {
        let account = Account::safest();
        account.check_reach(&settings.programs.postgres)?;
        account.check_reach(&settings.folder)?;
        let socket_folder = socket_folder(&settings.folder)?;
        account.own_folder(&socket_folder).map_err(io_error(format!("make {}", socket_folder.display())))?;
        let mut postgres = Self { settings, account, socket_folder, process: None };
        postgres.start()?;
        Ok(postgres)
    }

    /// Starts the server again after [`Self::stop`], [`Self::crash`] or an end of its own, at the same address.
    pub fn start(&mut self) -> Result<(), LaunchError> {
        self.ensure_cluster()?;
        clear_former_server(&self.cluster(), &self.socket_folder)?;
        let mut process = Process::start(Launch {
            name: "postgres".to_owned(),
            command: self.command(),
            log: self.log(),
            // Immediate stop for what nobody needs, fast stop (a clean checkpoint) for what is kept.
            signal_at_end: match self.settings.durability {
                Durability::Volatile => Signal::SIGQUIT,
                Durability::Durable => Signal::SIGINT,
            },
        })?;
        let status_file = self.cluster().join("postmaster.pid");
        process.wait_until(START_PATIENCE, || says_ready(&status_file))?;
        self.process = Some(process);
        Ok(())
    }

    /// Where to connect.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@localhost:{PORT}/{database}?host={}", self.socket_folder.display())
    }

    /// What a commit promises.
    #[must_use]
    pub fn durability(&self) -> Durability {
        self.settings.durability
    }

    /// The child, unless it was stopped.
    pub fn process(&mut self) -> Option<&mut Process> {
        self.process.as_mut()
    }

    /// Stops in order: clients are disconnected, everything is written.
    pub fn stop(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.stop(Signal::SIGINT, STOP_PATIENCE);
        }
    }

    /// Ends the server as a crash would: the next start recovers from the write-ahead log.
    pub fn crash(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.stop(Signal::SIGQUIT, STOP_PATIENCE);
        }
    }

    fn cluster(&self) -> PathBuf {
        self.settings.folder.join("cluster")
    }

    fn log(&self) -> PathBuf {
        self.settings.folder.join("postgres.log")
    }

    /// Makes the cluster beside its place and moves it there, so that an interrupted run leaves no half cluster.
    fn ensure_cluster(&self) -> Result<(), LaunchError> {
        let cluster = self.cluster();
        let ours = self.settings.programs.major.to_string();
        if let Ok(theirs) = fs::read_to_string(cluster.join("PG_VERSION")) {
            return match theirs.trim() == ours {
                true => Ok(()),
                false => {
                    Err(LaunchError::OtherVersion { folder: cluster, theirs: theirs.trim().to_owned(), ours })
                }
            };
        }
        let unfinished = self.settings.folder.join("cluster.new");
        if unfinished.exists() {
            fs::remove_dir_all(&unfinished).map_err(io_error(format!("remove {}", unfinished.display())))?;
        }
        self.account.own_folder(&unfinished).map_err(io_error(format!("make {}", unfinished.display())))?;
        self.init(&unfinished)?;
        fs::rename(&unfinished, &cluster).map_err(io_error(format!("move {}", unfinished.display())))
    }

    fn init(&self, cluster: &Path) -> Result<(), LaunchError> {
        let mut command = Command::new(&self.settings.programs.initdb);
        command
            .args(["--username=postgres", "--auth=trust", "--encoding=UTF8"])
            .args(["--no-locale", "--no-instructions"])
            .arg(format!("--pgdata={}", cluster.display()))
            .stdin(Stdio::null());
        if self.settings.durability == Durability::Volatile {
            command.arg("--no-sync");
        }
        self.account.apply(&mut command);
        let output = command.output().map_err(io_error("start initdb"))?;
        if output.status.success() {
            return Ok(());
        }
        Err(LaunchError::Ended {
            name: "initdb".to_owned(),
            status: output.status,
            last_words: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        })
    }

    fn command(&self) -> Command {
        let mut settings = vec![
            "listen_addresses=".to_owned(),
            format!("port={PORT}"),
            format!("unix_socket_directories={}", self.socket_folder.display()),
            "unix_socket_permissions=0700".to_owned(),
            format!("max_connections={}", self.settings.connections_max),
            "shared_buffers=128MB".to_owned(),
            "wal_level=replica".to_owned(),
            "max_wal_size=512MB".to_owned(),
            "jit=off".to_owned(),
            "timezone=UTC".to_owned(),
            "log_timezone=UTC".to_owned(),
        ];
        if self.settings.durability == Durability::Volatile {
            let volatile = [
                "fsync=off",
                "synchronous_commit=off",
                "full_page_writes=off",
                "autovacuum=off",
                // In the cluster's folder, so that it vanishes with it even after a kill.
                "dynamic_shared_memory_type=mmap",
            ];
            settings.extend(volatile.map(str::to_owned));
        }
        let mut command = Command::new(&self.settings.programs.postgres);
        command.arg("-D").arg(self.cluster());
        for setting in settings {
            command.arg("-c").arg(setting);
        }
        self.account.apply(&mut command);
        command
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        match self.settings.durability {
            Durability::Volatile => self.crash(),
            Durability::Durable => self.stop(),
        }
    }
}

/// A folder for the socket: inside ours, or a short one in the temporary folder where ours lies too deep.
fn socket_folder(folder: &Path) -> Result<PathBuf, LaunchError> {
    let inside = folder.join("socket");
    if inside.as_os_str().len() <= SOCKET_FOLDER_LENGTH_MAX {
        return Ok(inside);
    }
    crate::scratch::folder(crate::scratch::Medium::Disk, "socket")
        .map(|scratch| scratch.join("s"))
        .map_err(io_error("make a short folder for the socket"))
}

/// The last line of `postmaster.pid` says how far the server is.
fn says_ready(status_file: &Path) -> bool {
    fs::read_to_string(status_file)
        .is_ok_and(|text| text.lines().nth(7).is_some_and(|line| line.trim() == "ready"))
}

/// Stops a server that a former run left on this cluster, and removes its status file and the lock of its socket. Both carry
/// its process number and would keep us out while that number is taken: by another program, or by the dead server itself
/// until somebody has waited for it.
fn clear_former_server(cluster: &Path, socket_folder: &Path) -> Result<(), LaunchError> {
    let status_file = cluster.join("postmaster.pid");
    let status = fs::read_to_string(&status_file).unwrap_or_default();
    let pid = status.lines().next().and_then(|line| line.trim().parse().ok());
    if let Some(former) = pid.and_then(ProcessId::of)
        && former.arguments().contains(&cluster.display().to_string())
    {
        stop_former(former);
    }
    end_orphans(&cluster_folder(cluster));
    let socket = socket_folder.join(format!(".s.PGSQL.{PORT}"));
    let socket_lock = socket_folder.join(format!(".s.PGSQL.{PORT}.lock"));
    for leftover in [status_file, socket_lock, socket] {
        match fs::remove_file(&leftover) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(io_error(format!("remove {}", leftover.display()))(error));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The cluster's folder as the kernel names it.
fn cluster_folder(cluster: &Path) -> PathBuf {
    fs::canonicalize(cluster).unwrap_or_else(|_| cluster.to_owned())
}

/// The processes of a server that was killed end by themselves when they next look up. Until then they may write, and
/// a second server beside them would spoil the cluster; the status file that would keep it out is about to go.
fn end_orphans(cluster: &Path) {
    let started = Instant::now();
    loop {
        let orphans = process_id::working_in(cluster);
        if orphans.is_empty() {
            return;
        }
        if started.elapsed() > ORPHAN_PATIENCE {
            // They write by themselves or not at all: what was acknowledged is on disk already.
            orphans.iter().for_each(|orphan| orphan.signal(Signal::SIGKILL));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn stop_former(former: ProcessId) {
    for (signal, patience) in
        [(Signal::SIGINT, STOP_PATIENCE), (Signal::SIGQUIT, STOP_PATIENCE), (Signal::SIGKILL, STOP_PATIENCE)]
    {
        former.signal(signal);
        let started = Instant::now();
        while former.is_alive() && started.elapsed() < patience {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
