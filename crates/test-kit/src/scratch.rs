//! Folders that vanish with the process.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use nix::sys::signal::Signal;

use crate::servers::guard;
use crate::servers::process_id::{self, ProcessId};

const NAME_PREFIX: &str = "stakemate-test-";
const MEMORY_BASE: &str = "/dev/shm";

/// What a scratch folder lies on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Medium {
    /// Memory where the machine offers it: quick, and gone at a power cut.
    Memory,
    /// The disk of the temporary folder, where a sync means something.
    Disk,
}

/// Makes a new empty folder `<base>/stakemate-test-<pid>-<start>/<name>-<n>`. The part that carries the process is
/// removed by the guard when the process ends (KIT-2).
pub fn folder(medium: Medium, name: &str) -> io::Result<PathBuf> {
    static COUNT: AtomicU32 = AtomicU32::new(1);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = run_folder(medium)?.join(format!("{name}-{number}"));
    fs::DirBuilder::new().mode(0o711).create(&folder)?;
    Ok(folder)
}

/// The folder of this process on that medium; made, guarded and the dead ones beside it swept at first use.
fn run_folder(medium: Medium) -> io::Result<&'static Path> {
    static MEMORY: OnceLock<PathBuf> = OnceLock::new();
    static DISK: OnceLock<PathBuf> = OnceLock::new();
    let (cell, base) = match medium {
        Medium::Memory => (&MEMORY, memory_base()),
        Medium::Disk => (&DISK, std::env::temp_dir()),
    };
    if let Some(folder) = cell.get() {
        return Ok(folder);
    }
    sweep(&base);
    let own = ProcessId::own()?;
    let folder = base.join(format!("{NAME_PREFIX}{own}"));
    guard::remove_at_end(&folder)?;
    match fs::DirBuilder::new().mode(0o711).create(&folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => fs::set_permissions(&folder, fs::Permissions::from_mode(0o711))?,
    }
    Ok(cell.get_or_init(|| folder))
}

fn memory_base() -> PathBuf {
    let memory = Path::new(MEMORY_BASE);
    let is_writable = nix::unistd::access(memory, nix::unistd::AccessFlags::W_OK).is_ok();
    if memory.is_dir() && is_writable { memory.to_owned() } else { std::env::temp_dir() }
}

/// Removes what dead runs left in `base`, and kills servers that still use it. Failures are left alone: the folder
/// may be another user's, or a parallel run may be sweeping it as well.
fn sweep(base: &Path) {
    let Ok(entries) = fs::read_dir(base) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(owner) = name.to_str().and_then(owner_of) else {
            continue;
        };
        if owner.is_alive() {
            continue;
        }
        for process in process_id::with_argument_under(&entry.path()) {
            process.signal(Signal::SIGKILL);
        }
        let _ = fs::remove_dir_all(entry.path());
    }
}

fn owner_of(folder_name: &str) -> Option<ProcessId> {
    folder_name.strip_prefix(NAME_PREFIX)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    // KIT-2
    #[test]
    fn folders_of_dead_runs_are_swept_and_those_of_living_ones_stay() {
        let base = tempfile::tempdir().expect("a temporary folder");
        let own = ProcessId::own().expect("proc is mounted");
        let former = ProcessId { start_ticks: own.start_ticks + 1, ..own };
        let living = base.path().join(format!("{NAME_PREFIX}{own}"));
        let dead = base.path().join(format!("{NAME_PREFIX}{former}"));
        let foreign = base.path().join("something-else");
        for folder in [&living, &dead, &foreign] {
            fs::create_dir_all(folder.join("inside")).expect("a folder");
        }
        sweep(base.path());
        assert!(living.exists());
        assert!(!dead.exists());
        assert!(foreign.exists());
    }
}
