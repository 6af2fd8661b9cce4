//! `stakemate dev`: the whole platform as child processes of one launcher.
//!
//! * [`layout`]: where everything lies below the data folder.
//! * [`state`]: `dev.json`, by which other commands find the running stack, and the next start finds orphans.
//! * [`ports`], [`services`]: what the children are told.
//! * [`child`], [`supervisor`]: starting, restarting and stopping them.
//! * [`health`], [`players`]: when the stack counts as ready.
//! * [`stack`]: the one place that puts it together.

pub mod backoff;
pub mod child;
pub mod health;
pub mod layout;
pub mod players;
pub mod ports;
pub mod services;
pub mod stack;
pub mod state;
pub mod supervisor;

use std::io::Write;
use std::path::PathBuf;

use test_kit::servers::LaunchError;
use tokio::signal::unix::{Signal, SignalKind, signal};

pub use ports::EdgePort;
pub use stack::{Options, Stack};

use crate::ExitStatus;

/// Why the stack does not run.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Another launcher holds the data folder.
    #[error("a stack already runs on {}; stop it, or choose another folder with --data", data.display())]
    AlreadyRunning {
        /// The folder.
        data: PathBuf,
    },
    /// Somebody else listens at the edge's port.
    #[error("port {port} is taken; choose another with --port or STAKEMATE_PORT")]
    PortTaken {
        /// The port.
        port: u16,
    },
    /// A service was not built.
    #[error("{} is not there; run `cargo build --workspace --bins`", program.display())]
    MissingProgram {
        /// Where it was looked for.
        program: PathBuf,
    },
    /// A server or service did not start.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// A service runs and does not become healthy.
    #[error("{service} is not healthy after {patience_s} s ({reason}); its last words:\n{last_words}")]
    Unhealthy {
        /// Its name.
        service: String,
        /// How long it was waited for.
        patience_s: u64,
        /// What its health check said last.
        reason: String,
        /// The end of its log.
        last_words: String,
    },
    /// A database could not be made.
    #[error("cannot make the databases: {0}")]
    Database(#[from] sqlx::Error),
    /// The seeded players could not sign up.
    #[error("cannot sign up {name}: {status}")]
    Players {
        /// The player.
        name: &'static str,
        /// The gateway's answer.
        status: Box<tonic::Status>,
    },
    /// A file could not be written or read.
    #[error("cannot {action}: {source}")]
    Io {
        /// What was tried, beginning with a verb.
        action: String,
        /// The cause.
        source: std::io::Error,
    },
}

impl StartError {
    /// The exit code for it.
    #[must_use]
    pub fn exit_status(&self) -> ExitStatus {
        match self {
            Self::AlreadyRunning { .. } | Self::PortTaken { .. } => ExitStatus::WrongState,
            _ => ExitStatus::Failed,
        }
    }
}

pub(crate) fn io_error(action: impl Into<String>) -> impl FnOnce(std::io::Error) -> StartError {
    let action = action.into();
    move |source| StartError::Io { action, source }
}

/// Starts the stack, says so on standard output, and runs it until Ctrl-C or SIGTERM.
pub async fn run(options: Options) -> Result<ExitStatus, StartError> {
    let mut stop = StopSignals::install()?;
    let stack = tokio::select! {
        started = Stack::start(options) => started?,
        // Ending now is safe at every point of the start: the guard stops what has been started.
        () = stop.received() => return Ok(ExitStatus::Interrupted),
    };
    announce(&stack);
    stop.received().await;
    tokio::select! {
        () = stack.stop() => Ok(ExitStatus::Done),
        () = stop.received() => Ok(ExitStatus::Interrupted),
    }
}

fn announce(stack: &Stack) {
    let mut out = std::io::stdout().lock();
    // A reader that has gone away, as in `make up | head -1`, is no reason to stop.
    let _ = writeln!(out, "ready {}", stack.state().edge_url);
    let _ = writeln!(out, "{}", players::sign_in_line());
    let _ = out.flush();
}

/// Ctrl-C and SIGTERM, and a closed terminal.
struct StopSignals {
    signals: [Signal; 3],
}

impl StopSignals {
    fn install() -> Result<Self, StartError> {
        let listen = |kind| signal(kind).map_err(io_error("listen for signals"));
        Ok(Self {
            signals: [
                listen(SignalKind::interrupt())?,
                listen(SignalKind::terminate())?,
                listen(SignalKind::hangup())?,
            ],
        })
    }

    async fn received(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.signals;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}
