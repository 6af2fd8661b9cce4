//! What processes have used, as the kernel counts it.

use std::fs;
use std::time::Duration;

/// Places in `/proc/<pid>/stat` behind the closing bracket of the program's name.
const PARENT_FIELD: usize = 1;
const USER_FIELD: usize = 11;

/// The time that a process and all its descendants have used so far, those that ended included.
pub fn used_by(pid: u32) -> Duration {
    let ticks: u64 = family(pid).into_iter().filter_map(stat).map(|stat| stat.ticks(pid)).sum();
    Duration::from_secs_f64(ticks as f64 / ticks_per_second())
}

/// The time that our own thread has used: what else runs on a busy machine does not count. Exact to a few milliseconds.
pub fn used_by_thread() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(text.split(' ').next().and_then(|ns| ns.parse().ok()).unwrap_or(0))
}

/// The memory that a process has in use.
pub fn resident_bytes(pid: u32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/statm")).unwrap_or_default();
    let pages: u64 = text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
    let page_bytes = nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE).ok().flatten().unwrap_or(4_096);
    pages * page_bytes.unsigned_abs()
}

struct Stat {
    pid: u32,
    fields: Vec<u64>,
}

impl Stat {
    /// Own ticks; the root's count those of its ended children too, which nobody else counts any more.
    fn ticks(&self, root: u32) -> u64 {
        let count = if self.pid == root { 4 } else { 2 };
        self.fields[USER_FIELD..USER_FIELD + count].iter().sum()
    }
}

fn stat(pid: u32) -> Option<Stat> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, after_name) = text.rsplit_once(") ")?;
    let fields: Vec<u64> = after_name.split(' ').map(|field| field.trim().parse().unwrap_or(0)).collect();
    (fields.len() > USER_FIELD + 4).then_some(Stat { pid, fields })
}

/// A process and its living descendants.
fn family(root: u32) -> Vec<u32> {
    let pids = fs::read_dir("/proc").into_iter().flatten().flatten();
    let all: Vec<(u32, u32)> = pids
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(|pid| Some((pid, u32::try_from(stat(pid)?.fields[PARENT_FIELD]).ok()?)))
        .collect();
    let mut family = vec![root];
    let mut looked_at = 0;
    while let Some(parent) = family.get(looked_at).copied() {
        family.extend(all.iter().filter(|(_, its_parent)| *its_parent == parent).map(|(pid, _)| *pid));
        looked_at += 1;
    }
    family
}

fn ticks_per_second() -> f64 {
    let ticks = nix::unistd::sysconf(nix::unistd::SysconfVar::CLK_TCK).ok().flatten().unwrap_or(100);
    ticks as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_we_use_is_counted_and_so_is_our_memory() {
        let own = std::process::id();
        let thread_before = used_by_thread();
        let before = used_by(own);
        let mut sum = 0_u64;
        while used_by(own) - before < Duration::from_millis(20) {
            sum = std::hint::black_box((0..1_000_000_u64).fold(sum, |sum, next| sum ^ next));
        }
        assert!(used_by_thread() > thread_before);
        assert!(resident_bytes(own) > 1 << 20);
    }
}
