//! SIGKILL at random moments.

use std::path::PathBuf;
use std::time::Duration;

use nix::sys::signal::Signal;
use rand::Rng as _;
use rand::rngs::StdRng;
use tokio_util::sync::CancellationToken;

use crate::dev::state;

/// The shortest and longest time between two kills. What was killed is up again well within it on a quiet machine.
const PAUSE_MS: std::ops::Range<u64> = 1_500..4_000;

/// Kills one child of the stack after the other until `over`, and says how many.
pub async fn run(data: PathBuf, mut random: StdRng, over: CancellationToken) -> u64 {
    let mut kills = 0;
    loop {
        let pause = Duration::from_millis(random.random_range(PAUSE_MS));
        tokio::select! {
            () = over.cancelled() => return kills,
            () = tokio::time::sleep(pause) => {}
        }
        let Ok(running) = state::find_running(&data) else { continue };
        let alive: Vec<_> = running.processes.iter().filter(|process| process.is_alive()).collect();
        if alive.is_empty() {
            continue;
        }
        let victim = alive[random.random_range(0..alive.len())];
        victim.id().signal(Signal::SIGKILL);
        eprintln!("killed {}", victim.name);
        kills += 1;
    }
}
