//! Sees to it that nothing outlives this process, however it ends.
//!
//! One small shell is started beside the first child. It reads our messages from a pipe; when we end, even by
//! `kill -9`, the kernel closes the pipe, and the shell stops the children it was told of and removes the folders. It
//! stands in a process group of its own and ignores the terminal's signals, so Ctrl-C reaches us first.
//!
//! The kernel's parent-death signal would need `unsafe` and fires when a *thread* ends; a destructor would not run on
//! a kill, and never for statics, which is where tests keep their servers.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use nix::sys::signal::Signal;

use super::process_id::ProcessId;

const SCRIPT: &str = include_str!("guard.sh");

/// From now on the process is sent `signal` when this process has ended, and is killed if that does not help.
pub fn watch(process: ProcessId, signal: Signal) -> io::Result<()> {
    let ProcessId { pid, start_ticks } = process;
    let signal = signal.as_str().trim_start_matches("SIG");
    tell(&format!("watch {signal}:{pid}:{start_ticks}\n"))
}

/// The process has ended and was waited for: nothing is left to stop.
pub fn forget(process: ProcessId) -> io::Result<()> {
    let ProcessId { pid, start_ticks } = process;
    tell(&format!("forget {pid}:{start_ticks}\n"))
}

/// The folder is removed with all that is in it when this process has ended.
pub fn remove_at_end(folder: &Path) -> io::Result<()> {
    let folder = folder
        .to_str()
        .filter(|path| !path.contains('\n'))
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "a path of one line of text"))?;
    tell(&format!("remove {folder}\n"))
}

/// The guard of this process, started by the first message.
fn tell(message: &str) -> io::Result<()> {
    // Kept for the life of the process: dropping the pipe would be the signal to clean up.
    static GUARD: Mutex<Option<Child>> = Mutex::new(None);
    let mut guard = GUARD.lock().unwrap_or_else(PoisonError::into_inner);
    if guard.is_none() {
        *guard = Some(start()?);
    }
    let input = guard.as_mut().and_then(|child| child.stdin.as_mut());
    input
        .ok_or_else(|| io::Error::new(io::ErrorKind::BrokenPipe, "the guard has no input"))?
        .write_all(message.as_bytes())
}

fn start() -> io::Result<Child> {
    Command::new("/bin/sh")
        .args(["-c", SCRIPT, "stakemate-guard"])
        .current_dir("/")
        .process_group(0)
        .stdin(Stdio::piped())
        // Whoever reads our output must not have to wait for the guard.
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}
