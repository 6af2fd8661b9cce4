//! SIGKILL at random moments.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use nix::sys::signal::Signal;
use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;
use rand::{Rng as _, SeedableRng as _};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::dev::state;

/// After a kill's turn has come: the shortest and the longest time until it.
const PAUSE_MS: std::ops::Range<u64> = 100..1_500;

/// A victim that is still being restarted is looked at again so often, and for at most so long.
const LOOK_EVERY: Duration = Duration::from_millis(50);
const LOOK_MAX: Duration = Duration::from_secs(60);

/// Whom to kill, and how often.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Names of children of the stack.
    pub victims: Vec<String>,
    /// How often each is killed.
    pub kills_each: usize,
    /// The kills are spread over the beginnings of so many games.
    pub matches: usize,
    /// Decides the order and the moments.
    pub seed: u64,
}

/// Kills as planned and says how often whom. A kill waits until its share of the games has begun, so that all of them fall
/// into the time in which people play, and none into a stack that does not get up any more.
pub async fn run(
    data: PathBuf,
    plan: Plan,
    mut begun: watch::Receiver<usize>,
) -> anyhow::Result<BTreeMap<String, u64>> {
    let mut random = StdRng::seed_from_u64(plan.seed);
    let mut turns: Vec<&str> =
        plan.victims.iter().flat_map(|name| vec![name.as_str(); plan.kills_each]).collect();
    turns.shuffle(&mut random);
    let mut kills = BTreeMap::new();
    for (turn, name) in turns.iter().enumerate() {
        let share = turn * plan.matches / turns.len();
        begun.wait_for(|begun| *begun >= share).await.context("the players are gone")?;
        tokio::time::sleep(Duration::from_millis(random.random_range(PAUSE_MS))).await;
        kill(&data, name).await?;
        eprintln!("killed {name} ({} of {}, {} games have begun)", turn + 1, turns.len(), *begun.borrow());
        *kills.entry((*name).to_owned()).or_default() += 1;
    }
    Ok(kills)
}

async fn kill(data: &Path, name: &str) -> anyhow::Result<()> {
    let deadline = Instant::now() + LOOK_MAX;
    while Instant::now() < deadline {
        let running = state::find_running(data)?;
        let mut alive = running.processes.iter().filter(|process| process.is_alive());
        if let Some(victim) = alive.find(|process| process.name == name) {
            victim.id().signal(Signal::SIGKILL);
            return Ok(());
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    anyhow::bail!("{name} was not up again within {} s", LOOK_MAX.as_secs())
}
