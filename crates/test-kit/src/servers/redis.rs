//! A private Redis or Valkey on a Unix socket.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use nix::sys::signal::Signal;

use super::account::Account;
use super::process::{Launch, Process};
use super::{LaunchError, START_PATIENCE, STOP_PATIENCE, io_error};

const PONG_PATIENCE: Duration = Duration::from_secs(1);
/// The kernel's limit for the path of a Unix socket.
const SOCKET_LENGTH_MAX: usize = 107;

/// How to run a Redis server. It keeps nothing on disk: what we put there may be lost.
#[derive(Debug, Clone)]
pub struct RedisSettings {
    /// What to run.
    pub program: PathBuf,
    /// An existing folder that is its alone; holds the socket and the log.
    pub folder: PathBuf,
}

/// A Redis server that is our child.
#[derive(Debug)]
pub struct Redis {
    settings: RedisSettings,
    account: Account,
    socket_folder: PathBuf,
    process: Option<Process>,
}

impl Redis {
    /// Starts the server; returns when it answers a ping.
    pub fn launch(settings: RedisSettings) -> Result<Self, LaunchError> {
        let account = Account::safest_reaching(&settings.program, &settings.folder);
        let mut socket_folder = settings.folder.join("socket");
        if socket_folder.as_os_str().len() + "/redis".len() > SOCKET_LENGTH_MAX {
            socket_folder = crate::scratch::folder(crate::scratch::Medium::Disk, "socket")
                .map_err(io_error("make a short folder for the socket"))?
                .join("s");
        }
        account.own_folder(&socket_folder).map_err(io_error(format!("make {}", socket_folder.display())))?;
        let mut redis = Self { settings, account, socket_folder, process: None };
        redis.start()?;
        Ok(redis)
    }

    /// Starts the server again at the same address.
    pub fn start(&mut self) -> Result<(), LaunchError> {
        let socket = self.socket();
        // A former server's socket would be taken for ours; there may be none.
        let _ = fs::remove_file(&socket);
        let mut process = Process::start(Launch {
            name: "redis".to_owned(),
            command: self.command(),
            log: self.settings.folder.join("redis.log"),
            signal_at_end: Signal::SIGTERM,
        })?;
        process.wait_until(START_PATIENCE, || answers(&socket))?;
        self.process = Some(process);
        Ok(())
    }

    /// Where to connect.
    #[must_use]
    pub fn url(&self) -> String {
        format!("redis+unix://{}", self.socket().display())
    }

    /// The child, unless it was stopped.
    pub fn process(&mut self) -> Option<&mut Process> {
        self.process.as_mut()
    }

    /// Stops in order.
    pub fn stop(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.stop(Signal::SIGTERM, STOP_PATIENCE);
        }
    }

    fn socket(&self) -> PathBuf {
        self.socket_folder.join("redis")
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.settings.program);
        command
            .args(["--port", "0", "--daemonize", "no"])
            .args(["--save", "", "--appendonly", "no"])
            .args(["--unixsocketperm", "700"])
            .arg("--unixsocket")
            .arg(self.socket())
            .arg("--dir")
            .arg(&self.socket_folder);
        self.account.apply(&mut command);
        command
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.stop();
    }
}

fn answers(socket: &Path) -> bool {
    let Ok(mut stream) = UnixStream::connect(socket) else {
        return false;
    };
    let mut answer = [0; 5];
    stream.set_read_timeout(Some(PONG_PATIENCE)).is_ok()
        && stream.write_all(b"PING\r\n").is_ok()
        && stream.read_exact(&mut answer).is_ok()
        && &answer == b"+PONG"
}
