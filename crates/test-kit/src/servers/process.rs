//! A child process that is watched by the guard, writes to a log file and can be stopped in bounded time.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use super::process_id::ProcessId;
use super::{LaunchError, guard, io_error};

const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// How much of a log an error message quotes.
const LAST_WORDS_BYTES_MAX: u64 = 2_000;

/// A running child.
#[derive(Debug)]
pub struct Process {
    name: String,
    child: Child,
    id: ProcessId,
    log: PathBuf,
}

/// What to start, and how.
#[derive(Debug)]
pub struct Launch {
    /// Shows in messages.
    pub name: String,
    /// Program, arguments, environment and account.
    pub command: Command,
    /// Gets the child's output appended.
    pub log: PathBuf,
    /// What the guard sends when we have died.
    pub signal_at_end: Signal,
}

impl Process {
    /// Starts the child in a process group of its own, so that Ctrl-C reaches only us and we stop it in order.
    pub fn start(launch: Launch) -> Result<Self, LaunchError> {
        let Launch { name, mut command, log, signal_at_end } = launch;
        let output = open_log(&log)?;
        let errors = output.try_clone().map_err(io_error(format!("share {}", log.display())))?;
        let child = command
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .spawn()
            .map_err(io_error(format!("start {name}")))?;
        // A child that has ended already is a corpse until we wait for it: it has no identity, and needs no guard.
        let id = ProcessId::of(child.id()).unwrap_or(ProcessId { pid: child.id(), start_ticks: 0 });
        let process = Self { name, child, id, log };
        guard::watch(id, signal_at_end).map_err(io_error("tell the guard"))?;
        Ok(process)
    }

    /// Shows in messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number and start time.
    #[must_use]
    pub fn id(&self) -> ProcessId {
        self.id
    }

    /// Waits until `is_ready` says so; fails when the child ends or `patience` runs out.
    pub fn wait_until(
        &mut self,
        patience: Duration,
        mut is_ready: impl FnMut() -> bool,
    ) -> Result<(), LaunchError> {
        let started = Instant::now();
        while !is_ready() {
            if let Some(status) = self.exit_status() {
                return Err(LaunchError::Ended {
                    name: self.name.clone(),
                    status,
                    last_words: self.last_words(),
                });
            }
            if started.elapsed() > patience {
                return Err(LaunchError::NotReady {
                    name: self.name.clone(),
                    patience,
                    last_words: self.last_words(),
                });
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        Ok(())
    }

    /// The exit status, once the child has ended.
    pub fn exit_status(&mut self) -> Option<ExitStatus> {
        match self.child.try_wait() {
            Ok(None) => None,
            Ok(Some(status)) => {
                // Without its guard there is nobody left to be told.
                let _ = guard::forget(self.id);
                Some(status)
            }
            // Somebody else waited for our child, so it has ended; how, nobody can tell any more.
            Err(_) => Some(ExitStatus::from_raw(0)),
        }
    }

    /// Sends the signal and waits; kills when `patience` runs out.
    pub fn stop(&mut self, signal: Signal, patience: Duration) -> ExitStatus {
        self.id.signal(signal);
        self.wait_or_kill(patience)
    }

    /// Waits for an end that was asked for already; kills when `patience` runs out.
    pub fn wait_or_kill(&mut self, patience: Duration) -> ExitStatus {
        let started = Instant::now();
        loop {
            if let Some(status) = self.exit_status() {
                return status;
            }
            if started.elapsed() > patience {
                return self.kill();
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Kills the child at once.
    pub fn kill(&mut self) -> ExitStatus {
        // Both fail only for a child that has ended.
        let _ = self.child.kill();
        let status = self.child.wait().unwrap_or(ExitStatus::from_raw(0));
        let _ = guard::forget(self.id);
        status
    }

    /// The end of the log.
    #[must_use]
    pub fn last_words(&self) -> String {
        last_words(&self.log)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.exit_status().is_none() {
            self.kill();
        }
    }
}

fn open_log(path: &Path) -> Result<File, LaunchError> {
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .map_err(io_error(format!("open {}", path.display())))
}

fn last_words(log: &Path) -> String {
    let read = || -> std::io::Result<String> {
        let mut file = File::open(log)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(LAST_WORDS_BYTES_MAX)))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
    };
    read().unwrap_or_else(|error| format!("({} cannot be read: {error})", log.display()))
}
