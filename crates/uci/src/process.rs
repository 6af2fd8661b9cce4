//! One engine process: started, asked, bounded, and killed.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use shakmaty::Position;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use crate::collect::Collector;
use crate::config::EngineConfig;
use crate::error::Fault;
use crate::protocol::{Identity, Output, parse};
use crate::search::{Analysis, Prepared, legal_move, written};

/// The longest line an engine may write; the longest honest one, 250 moves, has about 1,500 bytes.
const LINE_BYTES_MAX: usize = 16 * 1024;
/// The most an engine may write in one search. A mate searched to the last depth with eight lines takes about 3 MB.
const OUTPUT_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// The most options an engine may announce.
const OPTIONS_MAX: usize = 1_000;

/// Whether a search belongs to the game of the search before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Continuity {
    /// It is the first of a game: the engine must forget what it knows.
    NewGame,
    /// It goes on with the same game.
    SameGame,
}

/// A running engine that is idle and in step. It dies with this value.
#[derive(Debug)]
pub(crate) struct Engine {
    child: Child,
    stdin: ChildStdin,
    output: BoundedLines,
    identity: Arc<Identity>,
    options: Vec<String>,
    multi_pv: u16,
}

impl Engine {
    /// Starts the program and waits until it is ready.
    pub(crate) async fn start(config: &EngineConfig) -> Result<Self, Fault> {
        let mut engine = Self::spawn(config)?;
        let limit = config.startup_timeout;
        timeout(limit, engine.introduce(config)).await.map_err(|_| Fault::NotReady { limit })??;
        Ok(engine)
    }

    pub(crate) fn identity(&self) -> &Arc<Identity> {
        &self.identity
    }

    /// The CPU time of all the process's threads so far, to a hundredth of a second; `None` where the system does not
    /// tell.
    pub(crate) fn cpu_time(&self) -> Option<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()?)).ok()?;
        cpu_time_in(&stat)
    }

    /// Runs one search. After an error, or when the future is dropped, the engine is out of step and must go.
    pub(crate) async fn search(
        &mut self,
        prepared: &Prepared,
        continuity: Continuity,
        config: &EngineConfig,
    ) -> Result<Analysis, Fault> {
        self.output.refill();
        let limit = config.startup_timeout;
        timeout(limit, self.set_up(prepared, continuity)).await.map_err(|_| Fault::NotReady { limit })??;
        let limit = config.search_limit(prepared.nodes);
        timeout(limit, self.go(prepared)).await.map_err(|_| Fault::Hung { limit })?
    }

    fn spawn(config: &EngineConfig) -> Result<Self, Fault> {
        let mut child = Command::new(&config.program)
            .args(&config.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // A group of its own, so that what a wrapper script started dies with it.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(Fault::Start)?;
        let stdin = child.stdin.take().expect("stdin was asked to be a pipe");
        let stdout = child.stdout.take().expect("stdout was asked to be a pipe");
        Ok(Self {
            child,
            stdin,
            output: BoundedLines::new(stdout),
            identity: Arc::default(),
            options: Vec::new(),
            multi_pv: 0,
        })
    }

    async fn introduce(&mut self, config: &EngineConfig) -> Result<(), Fault> {
        self.send("uci").await?;
        let mut identity = Identity::default();
        loop {
            match parse(self.output.next().await?) {
                Output::Name(name) => name.clone_into(&mut identity.name),
                Output::Author(author) => author.clone_into(&mut identity.author),
                Output::Option(name) if self.options.len() < OPTIONS_MAX => {
                    self.options.push(name.to_lowercase());
                }
                Output::UciOk => break,
                _ => {}
            }
        }
        self.identity = Arc::new(identity);
        self.set_option("Threads", config.threads).await?;
        self.set_option("Hash", config.hash_mb).await?;
        self.wait_until_ready().await
    }

    async fn set_up(&mut self, prepared: &Prepared, continuity: Continuity) -> Result<(), Fault> {
        if continuity == Continuity::NewGame {
            self.send("ucinewgame").await?;
        }
        if self.multi_pv != prepared.multi_pv {
            self.set_option("MultiPV", prepared.multi_pv.into()).await?;
            self.multi_pv = prepared.multi_pv;
        }
        self.send(&prepared.position_command).await?;
        self.wait_until_ready().await
    }

    async fn go(&mut self, prepared: &Prepared) -> Result<Analysis, Fault> {
        self.send(&format!("go nodes {}", prepared.nodes)).await?;
        let mut collector = Collector::new(prepared);
        let best_move = loop {
            match parse(self.output.next().await?) {
                Output::Info(info) => collector.add(&info),
                Output::BestMove(uci) => break legal_move(&prepared.position, uci),
                _ => {}
            }
        };
        let best_move = best_move.ok_or(Fault::Unusable("illegal best move"))?;
        Ok(Analysis {
            turn: prepared.position.turn(),
            nodes: collector.nodes(),
            lines: collector.finish(&prepared.position)?,
            best_move: written(best_move).to_string(),
            engine: Arc::clone(&self.identity),
        })
    }

    /// Sets an option the engine announced; one it does not know is left alone.
    async fn set_option(&mut self, name: &str, value: u32) -> Result<(), Fault> {
        if !self.options.contains(&name.to_lowercase()) {
            return Ok(());
        }
        self.send(&format!("setoption name {name} value {value}")).await
    }

    /// Whatever was written before `readyok` belongs to the past and is dropped.
    async fn wait_until_ready(&mut self) -> Result<(), Fault> {
        self.send("isready").await?;
        while parse(self.output.next().await?) != Output::ReadyOk {}
        Ok(())
    }

    async fn send(&mut self, command: &str) -> Result<(), Fault> {
        let line = format!("{command}\n");
        self.stdin.write_all(line.as_bytes()).await.map_err(Fault::Pipe)?;
        self.stdin.flush().await.map_err(Fault::Pipe)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // The id is there until the process was waited for, which nobody does before, so that it cannot have been
        // given to another process.
        if let Some(id) = self.child.id().and_then(|id| i32::try_from(id).ok()) {
            // It fails only when the group is gone, which is what is wanted.
            let _ = killpg(Pid::from_raw(id), Signal::SIGKILL);
        }
    }
}

/// User and system time in the text of `/proc/<pid>/stat`: the fourteenth and fifteenth field, in hundredths of a
/// second on every Linux. The second field is a name in brackets and may hold blanks and brackets itself.
pub(crate) fn cpu_time_in(stat: &str) -> Option<Duration> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut times = fields.split_ascii_whitespace().skip(11);
    let user: u64 = times.next()?.parse().ok()?;
    let system: u64 = times.next()?.parse().ok()?;
    Some(Duration::from_millis(user.saturating_add(system).saturating_mul(10)))
}

/// Lines of output with a limit on each and on all together.
#[derive(Debug)]
struct BoundedLines {
    stdout: BufReader<ChildStdout>,
    line: Vec<u8>,
    text: String,
    bytes_left: u64,
}

impl BoundedLines {
    fn new(stdout: ChildStdout) -> Self {
        Self {
            stdout: BufReader::new(stdout),
            line: Vec::new(),
            text: String::new(),
            bytes_left: OUTPUT_BYTES_MAX,
        }
    }

    fn refill(&mut self) {
        self.bytes_left = OUTPUT_BYTES_MAX;
    }

    /// The next line; bytes that are not UTF-8 are replaced, which no command of the protocol needs.
    async fn next(&mut self) -> Result<&str, Fault> {
        self.line.clear();
        loop {
            let chunk = self.stdout.fill_buf().await.map_err(Fault::Pipe)?;
            if chunk.is_empty() {
                return Err(Fault::Exited);
            }
            let end = chunk.iter().position(|&byte| byte == b'\n');
            let taken = end.map_or(chunk.len(), |end| end + 1);
            self.line.extend_from_slice(&chunk[..taken]);
            self.stdout.consume(taken);
            self.bytes_left =
                self.bytes_left.checked_sub(taken as u64).ok_or(Fault::Flooded { max: OUTPUT_BYTES_MAX })?;
            if self.line.len() > LINE_BYTES_MAX {
                return Err(Fault::LineTooLong { max: LINE_BYTES_MAX });
            }
            if end.is_some() {
                self.text.clear();
                self.text.push_str(&String::from_utf8_lossy(&self.line));
                return Ok(&self.text);
            }
        }
    }
}
