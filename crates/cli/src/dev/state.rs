//! `dev.json`: by it other commands find the running stack, and the next start finds what a killed one left behind.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde::{Deserialize, Serialize};
use test_kit::servers::process_id::{self, ProcessId};

use super::layout::Layout;
use super::{StartError, io_error};
use crate::arguments::ServiceName;

/// How long orphans get to stop in order.
const ORPHAN_PATIENCE: Duration = Duration::from_secs(10);

/// What a running stack says about itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DevState {
    /// The machine's start in which all this runs; after another one every process number means something else.
    pub boot_id: String,
    /// The launcher; the stack runs as long as it does.
    pub launcher: RecordedProcess,
    /// Where clients connect, for example `http://127.0.0.1:8080`.
    pub edge_url: String,
    /// The broker.
    pub nats_url: String,
    /// The cache.
    pub redis_url: String,
    /// By service name.
    pub services: BTreeMap<String, ServiceState>,
    /// Every child.
    pub processes: Vec<RecordedProcess>,
    /// Do all services answer?
    pub phase: Phase,
}

/// How far the stack is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Children are being started.
    Starting,
    /// All services were healthy.
    Ready,
}

/// Where a service is found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceState {
    /// Its gRPC server, as `http://127.0.0.1:<port>`.
    pub grpc_url: String,
    /// Metrics and liveness, as `http://127.0.0.1:<port>`.
    pub admin_url: String,
    /// Its database.
    pub database_url: String,
}

/// A process, with enough to be sure that it is still the same one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedProcess {
    /// For people.
    pub name: String,
    /// Its number.
    pub pid: u32,
    /// Clock ticks since the machine's start: numbers come again, pairs do not.
    pub start_ticks: u64,
}

impl RecordedProcess {
    /// Records a process.
    #[must_use]
    pub fn of(name: &str, id: ProcessId) -> Self {
        Self { name: name.to_owned(), pid: id.pid, start_ticks: id.start_ticks }
    }

    /// Number and start time.
    #[must_use]
    pub fn id(&self) -> ProcessId {
        ProcessId { pid: self.pid, start_ticks: self.start_ticks }
    }

    /// Does the very process still run?
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.id().is_alive()
    }
}

/// Names this start of the machine.
pub fn boot_id() -> Result<String, StartError> {
    let path = "/proc/sys/kernel/random/boot_id";
    let text = fs::read_to_string(path).map_err(io_error(format!("read {path}")))?;
    Ok(text.trim().to_owned())
}

impl DevState {
    /// The state in the folder, whether or not its stack still runs; none if there is no readable one of this start
    /// of the machine.
    #[must_use]
    pub fn read(layout: &Layout) -> Option<Self> {
        let text = fs::read(layout.state_file()).ok()?;
        let state: Self = serde_json::from_slice(&text).ok()?;
        (state.boot_id == boot_id().ok()?).then_some(state)
    }

    /// The state of the stack that runs on the folder and is ready.
    #[must_use]
    pub fn of_running(layout: &Layout) -> Option<Self> {
        Self::read(layout).filter(|state| state.phase == Phase::Ready && state.launcher.is_alive())
    }

    /// Where that service is found.
    #[must_use]
    pub fn service(&self, name: ServiceName) -> &ServiceState {
        self.services.get(name.as_str()).expect("the launcher records all services before it is ready")
    }

    /// Writes the file at one stroke, readable for us alone.
    pub fn write(&self, layout: &Layout) -> Result<(), StartError> {
        let path = layout.state_file();
        let unfinished = path.with_extension("json.new");
        let text = serde_json::to_vec_pretty(self).expect("strings and numbers always serialise");
        write_private(&unfinished, &text)
            .and_then(|()| fs::rename(&unfinished, &path))
            .map_err(io_error(format!("write {}", path.display())))
    }
}

/// Stops what a former launcher left running, if it was killed together with its guard. The caller holds the lock, so
/// no living launcher owns these processes.
pub fn stop_orphans(layout: &Layout) {
    let recorded = DevState::read(layout).map_or_else(Vec::new, |state| state.processes);
    let recorded = recorded.iter().filter(|process| process.is_alive());
    let mut orphans: Vec<ProcessId> = recorded.map(RecordedProcess::id).collect();
    // Servers name their folder in their arguments: this finds one that was started just before the kill.
    for folder in [layout.postgres(), layout.nats(), layout.redis()] {
        orphans.extend(process_id::with_argument_under(&folder));
    }
    for signal in [Signal::SIGTERM, Signal::SIGKILL] {
        for orphan in &orphans {
            orphan.signal(signal);
        }
        let started = Instant::now();
        while orphans.iter().any(|orphan| orphan.is_alive()) && started.elapsed() < ORPHAN_PATIENCE {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Writes a file that only we may read, from its first moment on.
pub fn write_private(path: &Path, content: &[u8]) -> std::io::Result<()> {
    // A leftover keeps the mode it was made with.
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(content)?;
    file.sync_all()
}

/// No stack runs where a command expected one.
#[derive(Debug, thiserror::Error)]
#[error("no stack runs on {}; start one with `make up`", data.display())]
pub struct NotRunning {
    /// The folder.
    pub data: PathBuf,
}

/// The stack that runs on `data`.
pub fn find_running(data: &Path) -> Result<DevState, NotRunning> {
    Layout::new(data)
        .ok()
        .and_then(|layout| DevState::of_running(&layout))
        .ok_or_else(|| NotRunning { data: data.to_owned() })
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};

    use super::*;

    fn layout() -> (tempfile::TempDir, Layout) {
        let folder = tempfile::tempdir().expect("a folder");
        let layout = Layout::new(folder.path()).expect("an absolute path");
        (folder, layout)
    }

    fn state(launcher: RecordedProcess, processes: Vec<RecordedProcess>) -> DevState {
        DevState {
            boot_id: boot_id().expect("proc is mounted"),
            launcher,
            edge_url: "http://127.0.0.1:8080".to_owned(),
            nats_url: "nats://127.0.0.1:4222".to_owned(),
            redis_url: "redis+unix:///run/redis".to_owned(),
            services: BTreeMap::new(),
            processes,
            phase: Phase::Ready,
        }
    }

    fn own_process() -> RecordedProcess {
        RecordedProcess::of("launcher", ProcessId::own().expect("proc is mounted"))
    }

    #[test]
    fn a_written_state_is_found_while_its_launcher_lives() {
        let (folder, layout) = layout();
        let written = state(own_process(), Vec::new());
        written.write(&layout).expect("a file");
        assert_eq!(find_running(folder.path()).expect("we run"), written);
    }

    #[test]
    fn a_dead_launchers_state_is_no_running_stack() {
        let (folder, layout) = layout();
        let mut former = own_process();
        former.start_ticks += 1;
        state(former, Vec::new()).write(&layout).expect("a file");
        assert!(find_running(folder.path()).is_err());
    }

    #[test]
    fn a_stack_that_still_starts_is_not_found() {
        let (folder, layout) = layout();
        let mut starting = state(own_process(), Vec::new());
        starting.phase = Phase::Starting;
        starting.write(&layout).expect("a file");
        assert!(find_running(folder.path()).is_err());
    }

    #[test]
    fn a_state_of_another_start_of_the_machine_is_no_running_stack() {
        let (folder, layout) = layout();
        let mut former = state(own_process(), Vec::new());
        former.boot_id = "another".to_owned();
        former.write(&layout).expect("a file");
        assert!(find_running(folder.path()).is_err());
    }

    // CLI-3
    #[test]
    fn orphans_are_stopped_and_strangers_with_their_number_are_left_alone() {
        let (_folder, layout) = layout();
        let spawn =
            || Command::new("sleep").arg("600").stdout(Stdio::null()).spawn().expect("sleep is everywhere");
        let (mut orphan, mut stranger) = (spawn(), spawn());
        let recorded =
            |child: &Child| RecordedProcess::of("child", ProcessId::of(child.id()).expect("it runs"));
        let mut former = recorded(&stranger);
        former.start_ticks -= 1;
        state(own_process(), vec![recorded(&orphan), former]).write(&layout).expect("a file");

        stop_orphans(&layout);

        assert!(ProcessId::of(orphan.id()).is_none());
        assert!(ProcessId::of(stranger.id()).is_some());
        stranger.kill().expect("it runs");
        for child in [&mut orphan, &mut stranger] {
            child.wait().expect("our child");
        }
    }
}
