//! The launcher as a process: real servers, services that only answer health checks and sign-ins.

mod fake_service;
mod inspect;

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use cli::dev::layout::Layout;
use cli::dev::state::{self, DevState, RecordedProcess};
use nix::sys::signal::Signal;
use test_kit::eventually;
use test_kit::servers::process_id::ProcessId;

const PATIENCE: Duration = Duration::from_secs(120);
const SERVICES: [&str; 6] = ["gateway", "matchmaking", "game", "rating", "wallet", "fairplay"];

/// A data folder, a folder of fake programs, and a port.
struct Scene {
    folder: tempfile::TempDir,
    port: u16,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        // Servers of root run as another account and must get in.
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).expect("our folder");
        let programs = folder.path().join("programs");
        std::fs::create_dir(&programs).expect("a folder");
        let own = std::env::current_exe().expect("our own program");
        for service in SERVICES {
            let program = programs.join(format!("stakemate-{service}"));
            let script = format!(
                "#!/bin/sh\n{}={service} exec {} --exact fake_service::fake_service --nocapture\n",
                fake_service::ROLE,
                own.display()
            );
            std::fs::write(&program, script).expect("a script");
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("our file");
        }
        // Outside the range from which the kernel takes ports for connections that other tests open meanwhile.
        let port = cli::dev::ports::free_address().expect("a free port").port();
        Self { folder, port }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stakemate"));
        command
            .arg("dev")
            .args(["--port", &self.port.to_string()])
            .arg("--data")
            .arg(self.data())
            .arg("--programs")
            .arg(self.folder.path().join("programs"));
        command
    }

    /// Starts the launcher and returns it with its first two lines.
    fn start(&self) -> (Launcher, Vec<String>) {
        let mut child = self.command().stdout(Stdio::piped()).spawn().expect("our program");
        let out = BufReader::new(child.stdout.take().expect("a pipe"));
        let lines = out.lines().take(2).map(|line| line.expect("text")).collect();
        (Launcher(child), lines)
    }

    fn output(&self) -> Output {
        self.command().output().expect("our program")
    }

    /// The state of the running stack. The launcher may be writing it anew at this moment, so it is looked for a few times.
    fn state(&self) -> Option<DevState> {
        (0..STATE_LOOKS_MAX).find_map(|_| {
            let found = state::find_running(&self.data()).ok();
            if found.is_none() {
                std::thread::sleep(Duration::from_millis(20));
            }
            found
        })
    }
}

/// How often the state of a stack is looked for.
const STATE_LOOKS_MAX: usize = 100;

/// Is stopped by force when a test fails half-way.
struct Launcher(Child);

impl Launcher {
    fn id(&self) -> ProcessId {
        ProcessId::of(self.0.id()).expect("it runs")
    }

    fn stop(mut self) -> Option<i32> {
        self.id().signal(Signal::SIGTERM);
        self.0.wait().expect("our child").code()
    }
}

impl Drop for Launcher {
    fn drop(&mut self) {
        // Fails only when it has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn process<'a>(state: &'a DevState, name: &str) -> &'a RecordedProcess {
    let found = state.processes.iter().find(|process| process.name == name);
    found.expect("all children are recorded")
}

/// The shell that cleans up behind a killed launcher.
fn guard_of(launcher: ProcessId) -> ProcessId {
    let children = format!("/proc/{0}/task", launcher.pid);
    let threads = std::fs::read_dir(children).expect("it runs");
    threads
        .flatten()
        .filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok())
        .flat_map(|pids| {
            pids.split_whitespace().filter_map(|pid| ProcessId::of(pid.parse().ok()?)).collect::<Vec<_>>()
        })
        .find(|child| child.arguments().contains(&"stakemate-guard".to_owned()))
        .expect("every launcher has a guard")
}

async fn all_gone(processes: &[RecordedProcess]) {
    eventually(PATIENCE, || async { processes.iter().all(|p| !p.is_alive()).then_some(()) }).await;
}

fn state_file(data: &Path) -> PathBuf {
    Layout::new(data).expect("an absolute path").state_file()
}

// CLI-2, CLI-4
#[tokio::test]
async fn a_stack_gets_ready_survives_killed_children_and_stops_in_order() {
    let scene = Scene::new();
    let (launcher, lines) = scene.start();
    assert_eq!(lines[0], format!("ready http://127.0.0.1:{}", scene.port));
    assert_eq!(
        lines[1],
        "sign in as anna or boris, as olga (operator) or mira (moderator), password stakemate-dev"
    );
    let state = scene.state().expect("it runs");
    assert_eq!(state.processes.len(), SERVICES.len() + 3);

    for name in ["game", "postgres", "nats", "redis"] {
        let killed = process(&state, name);
        killed.id().signal(Signal::SIGKILL);
        let again = eventually(PATIENCE, || async {
            let now = scene.state()?;
            let process = process(&now, name).clone();
            (process != *killed && process.is_alive()).then_some(now)
        })
        .await;
        assert_eq!(again.services, state.services);
        assert_eq!(again.nats_url, state.nats_url);
    }
    let url = &state.services["wallet"].database_url;
    eventually(PATIENCE, || async { sqlx::PgPool::connect(url).await.ok() }).await;

    let last = scene.state().expect("it runs").processes;
    assert_eq!(launcher.stop(), Some(0));
    assert!(last.iter().all(|process| !process.is_alive()));
    assert!(!state_file(&scene.data()).exists());
}

// CLI-3
#[tokio::test]
async fn nothing_outlives_a_killed_launcher() {
    let scene = Scene::new();
    let (mut launcher, _) = scene.start();
    let state = scene.state().expect("it runs");
    launcher.0.kill().expect("it runs");
    launcher.0.wait().expect("our child");
    all_gone(&state.processes).await;
}

// CLI-3
#[tokio::test]
async fn a_start_stops_what_a_launcher_killed_with_its_guard_left() {
    let scene = Scene::new();
    let (mut launcher, _) = scene.start();
    let former = scene.state().expect("it runs");
    guard_of(launcher.id()).signal(Signal::SIGKILL);
    launcher.0.kill().expect("it runs");
    launcher.0.wait().expect("our child");
    assert!(former.processes.iter().any(RecordedProcess::is_alive));

    let (launcher, lines) = scene.start();
    assert!(lines[0].starts_with("ready "), "{lines:?}");
    assert!(former.processes.iter().all(|process| !process.is_alive()));
    assert_eq!(launcher.stop(), Some(0));
}

// CLI-1
#[tokio::test]
async fn a_second_launcher_and_a_taken_port_are_refused_with_one_line() {
    let scene = Scene::new();
    let (launcher, _) = scene.start();
    let second = scene.output();
    assert_eq!(second.status.code(), Some(3));
    let words = String::from_utf8_lossy(&second.stderr);
    assert!(words.contains("already runs") && words.lines().count() == 1, "{words}");

    let mut neighbour = Scene::new();
    neighbour.port = scene.port;
    let taken = neighbour.output();
    assert_eq!(taken.status.code(), Some(3));
    let words = String::from_utf8_lossy(&taken.stderr);
    assert!(words.contains("is taken") && words.lines().count() == 1, "{words}");
    assert_eq!(launcher.stop(), Some(0));
}
