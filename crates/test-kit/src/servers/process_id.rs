//! A process named so that it cannot be mistaken for a later one with the same number.

use std::fs;
use std::io;
use std::path::Path;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Place of the start time in `/proc/<pid>/stat`, counted after the closing bracket of the program's name.
const START_TICKS_FIELD: usize = 19;

/// A process number together with its start in clock ticks since boot: numbers are used again, pairs are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProcessId {
    /// The number.
    pub pid: u32,
    /// When it began.
    pub start_ticks: u64,
}

impl ProcessId {
    /// The process that runs now under that number; none if there is no such process, or only its corpse.
    #[must_use]
    pub fn of(pid: u32) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let start_ticks = start_ticks_of_living(&stat)?;
        Some(Self { pid, start_ticks })
    }

    /// This very process.
    pub fn own() -> io::Result<Self> {
        Self::of(std::process::id())
            .ok_or_else(|| io::Error::new(io::ErrorKind::Unsupported, "/proc is not mounted"))
    }

    /// Does the very process still run?
    #[must_use]
    pub fn is_alive(self) -> bool {
        Self::of(self.pid) == Some(self)
    }

    /// Sends the signal if the very process still runs.
    pub fn signal(self, signal: Signal) {
        if let (true, Ok(pid)) = (self.is_alive(), i32::try_from(self.pid)) {
            // It may end at this moment, which is what the signal is for.
            let _ = kill(Pid::from_raw(pid), signal);
        }
    }

    /// The arguments it was started with; none when it has ended.
    #[must_use]
    pub fn arguments(self) -> Vec<String> {
        let bytes = fs::read(format!("/proc/{}/cmdline", self.pid)).unwrap_or_default();
        bytes
            .split(|byte| *byte == 0)
            .filter(|part| !part.is_empty())
            .map(|part| String::from_utf8_lossy(part).into_owned())
            .collect()
    }
}

impl std::str::FromStr for ProcessId {
    type Err = std::num::ParseIntError;

    /// The inverse of [`ProcessId`]'s display form `<pid>-<start>`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (pid, start_ticks) = text.split_once('-').unwrap_or((text, ""));
        Ok(Self { pid: pid.parse()?, start_ticks: start_ticks.parse()? })
    }
}

impl std::fmt::Display for ProcessId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}", self.pid, self.start_ticks)
    }
}

/// All living processes but this one that name a file under `folder` in their arguments.
#[must_use]
pub fn with_argument_under(folder: &Path) -> Vec<ProcessId> {
    let Some(folder) = folder.to_str() else { return Vec::new() };
    others().filter(|process| process.arguments().iter().any(|a| names(a, folder))).collect()
}

/// All living processes but this one that work in exactly this folder, as far as we may see where they do.
#[must_use]
pub fn working_in(folder: &Path) -> Vec<ProcessId> {
    let works_there = |process: &ProcessId| {
        fs::read_link(format!("/proc/{}/cwd", process.pid)).is_ok_and(|place| place == folder)
    };
    others().filter(works_there).collect()
}

fn others() -> impl Iterator<Item = ProcessId> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid| *pid != std::process::id())
        .filter_map(ProcessId::of)
}

/// Does the argument name the folder or something in it, alone or after an equals sign?
fn names(argument: &str, folder: &str) -> bool {
    argument.match_indices(folder).any(|(at, _)| {
        let before = argument[..at].chars().next_back();
        let after = argument[at + folder.len()..].chars().next();
        matches!(before, None | Some('=')) && matches!(after, None | Some('/'))
    })
}

fn start_ticks_of_living(stat: &str) -> Option<u64> {
    // The program's name stands in brackets and may hold spaces and brackets itself.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    match *fields.first()? {
        "Z" | "X" => None,
        _ => fields.get(START_TICKS_FIELD)?.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_spaces_does_not_confuse_the_start_time() {
        let stat = "17 (a) b (c)) S 1 17 17 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 424242 10 11 12";
        assert_eq!(start_ticks_of_living(stat), Some(424_242));
    }

    #[test]
    fn a_corpse_is_not_alive() {
        let stat = "17 (x) Z 1 17 17 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 424242 10 11 12";
        assert_eq!(start_ticks_of_living(stat), None);
    }

    #[test]
    fn another_start_time_is_another_process() {
        let own = ProcessId::own().expect("proc is mounted");
        assert!(own.is_alive());
        let former = ProcessId { start_ticks: own.start_ticks + 1, ..own };
        assert!(!former.is_alive());
    }

    #[test]
    fn only_whole_folder_names_count_as_arguments_under_a_folder() {
        assert!(names("/data/a", "/data/a"));
        assert!(names("unix_socket_directories=/data/a/socket", "/data/a"));
        assert!(!names("/data/another", "/data/a"));
        assert!(!names("/other/data/a", "/data/a"));
    }
}
