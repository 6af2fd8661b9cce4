//! A private NATS with JetStream on a port of the loopback.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use nix::sys::signal::Signal;

use super::account::Account;
use super::process::{Launch, Process};
use super::{LaunchError, START_PATIENCE, STOP_PATIENCE, io_error};

const GREETING_PATIENCE: Duration = Duration::from_secs(1);

/// How to run a NATS server.
#[derive(Debug, Clone)]
pub struct NatsSettings {
    /// What to run.
    pub program: PathBuf,
    /// An existing folder that is its alone; holds the streams and the log.
    pub folder: PathBuf,
    /// Where to listen; none lets the server take a free port, without a race.
    pub port: Option<u16>,
}

/// A NATS server that is our child.
#[derive(Debug)]
pub struct Nats {
    settings: NatsSettings,
    account: Account,
    port: u16,
    process: Option<Process>,
}

impl Nats {
    /// Starts the server; returns when it greets its clients.
    pub fn launch(settings: NatsSettings) -> Result<Self, LaunchError> {
        let account = Account::safest_reaching(&settings.program, &settings.folder);
        let mut nats = Self { port: settings.port.unwrap_or(0), settings, account, process: None };
        nats.start()?;
        Ok(nats)
    }

    /// Starts the server again at the same port.
    pub fn start(&mut self) -> Result<(), LaunchError> {
        self.account
            .own_folder(&self.store())
            .map_err(io_error(format!("make {}", self.store().display())))?;
        let mut process = Process::start(Launch {
            name: "nats-server".to_owned(),
            command: self.command(),
            log: self.settings.folder.join("nats.log"),
            signal_at_end: Signal::SIGTERM,
        })?;
        if self.port == 0 {
            let file = self.store().join(format!("nats-server_{}.ports", process.id().pid));
            let mut port = None;
            process.wait_until(START_PATIENCE, || {
                port = read_port(&file);
                port.is_some()
            })?;
            self.port = port.expect("the wait ended because there is a port");
        }
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.port));
        process.wait_until(START_PATIENCE, || greets(address))?;
        self.process = Some(process);
        Ok(())
    }

    /// Where to connect.
    #[must_use]
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
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

    /// Stops and forgets every stream, as a lost disk would.
    pub fn stop_and_empty(&mut self) -> Result<(), LaunchError> {
        self.stop();
        let store = self.store();
        fs::remove_dir_all(&store).map_err(io_error(format!("remove {}", store.display())))
    }

    fn store(&self) -> PathBuf {
        self.settings.folder.join("store")
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.settings.program);
        let port = match self.port {
            0 => "-1".to_owned(),
            port => port.to_string(),
        };
        command
            .args(["--addr", "127.0.0.1", "--port", &port, "--jetstream"])
            .arg("--store_dir")
            .arg(self.store())
            .arg("--ports_file_dir")
            .arg(self.store());
        self.account.apply(&mut command);
        command
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The server writes `{"nats":["nats://127.0.0.1:PORT"]}`; half a file holds no port yet.
fn read_port(file: &Path) -> Option<u16> {
    let text = fs::read_to_string(file).ok()?;
    let digits = text.split("nats://127.0.0.1:").nth(1)?.split('"').next()?;
    digits.parse().ok()
}

/// A server that takes clients says `INFO` first.
fn greets(address: SocketAddr) -> bool {
    let Ok(stream) = TcpStream::connect_timeout(&address, GREETING_PATIENCE) else {
        return false;
    };
    let mut greeting = String::new();
    stream.set_read_timeout(Some(GREETING_PATIENCE)).is_ok()
        && BufReader::new(stream).read_line(&mut greeting).is_ok()
        && greeting.starts_with("INFO ")
}
