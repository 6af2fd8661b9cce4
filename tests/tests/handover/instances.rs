//! What is done to the instances of the game service.

use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use cli::dev::health;
use cli::dev::state::{self, RecordedProcess};
use end_to_end::stack::Stack;
use nix::sys::signal::Signal;

/// The instances as the launcher calls them.
pub const NAMES: [&str; 3] = ["game", "game-2", "game-3"];
/// How long an instance may take to be there again.
const BACK_MAX: Duration = Duration::from_secs(60);
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The instances of one stack.
pub struct Instances {
    data: std::path::PathBuf,
}

impl Instances {
    /// Those of this stack.
    pub fn of(stack: &Stack) -> anyhow::Result<Instances> {
        let instances = Instances { data: stack.data().to_owned() };
        for name in NAMES {
            ensure!(instances.process(name)?.is_alive(), "{name} does not run");
        }
        Ok(instances)
    }

    fn process(&self, name: &str) -> anyhow::Result<RecordedProcess> {
        // The launcher may be writing its state anew at this moment.
        for _ in 0..100 {
            if let Ok(running) = state::find_running(&self.data) {
                let found = running.processes.into_iter().find(|process| process.name == name);
                return found.with_context(|| format!("{name} is not recorded"));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        anyhow::bail!("no stack runs")
    }

    /// Asks an instance to stop, and waits until its successor is there and owns its part.
    pub async fn roll(&self, name: &str) -> anyhow::Result<()> {
        self.signal_and_wait(name, Signal::SIGTERM).await
    }

    /// Kills an instance, and waits likewise.
    pub async fn kill(&self, name: &str) -> anyhow::Result<()> {
        self.signal_and_wait(name, Signal::SIGKILL).await
    }

    /// Stops an instance for so long, and lets it go on as if nothing had been.
    pub async fn stop_for(&self, name: &str, pause: Duration) -> anyhow::Result<()> {
        let process = self.process(name)?;
        process.id().signal(Signal::SIGSTOP);
        tokio::time::sleep(pause).await;
        process.id().signal(Signal::SIGCONT);
        ensure!(process.is_alive(), "{name} does not run any more");
        Ok(())
    }

    async fn signal_and_wait(&self, name: &str, signal: Signal) -> anyhow::Result<()> {
        let begun = Instant::now();
        let before = self.process(name)?;
        before.id().signal(signal);
        loop {
            ensure!(begun.elapsed() < BACK_MAX, "{name} did not come back");
            tokio::time::sleep(LOOK_EVERY).await;
            if self.process(name)? != before && self.is_ready(name).await? {
                eprintln!("{name} is back after {} ms", begun.elapsed().as_millis());
                return Ok(());
            }
        }
    }

    async fn is_ready(&self, name: &str) -> anyhow::Result<bool> {
        let running = state::find_running(&self.data)?;
        let url = &running.services.get(name).with_context(|| format!("{name} is not recorded"))?.grpc_url;
        let address = url.trim_start_matches("http://").parse()?;
        Ok(health::ask(address).await.is_ok())
    }
}
