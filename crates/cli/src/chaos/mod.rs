//! `stakemate chaos`: staked matches on real processes while these are killed, one after the other, at random moments.
//!
//! * [`bots`]: players who queue, play random legal moves and end their games, patiently.
//! * [`kills`]: SIGKILL for services and servers alike; the launcher starts them again.
//! * [`audit`]: what was acknowledged against what is in the logs, and whether all money and ratings add up.
//!
//! A run's faults and moves depend on its seed; how the processes interleave does not, so that a seed that failed is a hint
//! and not a recording. (`make simulate` is the recording.)

mod audit;
mod bots;
mod kills;

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::dev::layout::Layout;
use crate::dev::{EdgePort, Options, Stack};
use crate::playing::player::Player;
use bots::Board;

/// The folder, below the data folder, of the stack that is tormented. It is emptied before every seed.
const OWN_DATA: &str = "chaos";

/// Players of a run: enough that most opponents are others than the last one, who is held back for ten seconds.
const PLAYERS: usize = 12;

/// How much happens for each seed.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    /// Seeds, from 0.
    pub seeds: u64,
    /// Matches for each seed.
    pub matches: usize,
}

/// The last line.
#[derive(Debug, Default, Serialize)]
struct Summary {
    seeds: u64,
    matches: u64,
    commands: u64,
    kills: u64,
    lost_moves: u64,
    doubled_effects: u64,
    unsettled_stakes: u64,
    ledger_sum: i64,
    replay_mismatches: u64,
    ratings_differing: u64,
}

/// Runs all seeds and prints the summary; an error when anything was lost, doubled or left open.
pub async fn run(data: &Path, extent: Extent) -> anyhow::Result<()> {
    let mut summary = Summary::default();
    for seed in 0..extent.seeds {
        run_seed(data, seed, extent.matches, &mut summary).await.with_context(|| format!("seed {seed}"))?;
        eprintln!("seed {seed}: {}", serde_json::to_string(&summary)?);
    }
    println!("{}", serde_json::to_string(&summary)?);
    let faults = [
        summary.lost_moves,
        summary.doubled_effects,
        summary.unsettled_stakes,
        summary.replay_mismatches,
        summary.ratings_differing,
    ];
    ensure!(
        faults.iter().all(|fault| *fault == 0) && summary.ledger_sum == 0,
        "something was lost or doubled"
    );
    Ok(())
}

async fn run_seed(data: &Path, seed: u64, matches: usize, summary: &mut Summary) -> anyhow::Result<()> {
    let data = data.join(OWN_DATA);
    Layout::new(&data)?.clean()?;
    let stack =
        Stack::start(Options { data: data.clone(), port: EdgePort::Free, programs: None, game_instances: 1 })
            .await?;
    let gateway = stack.state().edge_url.clone();
    let mut players = Vec::new();
    for number in 0..PLAYERS {
        players.push(Player::sign_up(&gateway, &format!("bot{number}")).await?);
    }
    let over = CancellationToken::new();
    let board = Arc::new(Board::new(seed, matches, over.clone()));
    let killing = tokio::spawn(kills::run(data.clone(), StdRng::seed_from_u64(seed), over.clone()));
    let played = bots::play_all(&players, &board).await;
    over.cancel();
    summary.kills += killing.await?;
    played?;
    let record = board.record();
    summary.seeds += 1;
    summary.matches += record.games.len() as u64;
    summary.commands += record.commands;
    let audited = audit::run(&data, &players, &record, summary).await;
    stack.stop().await;
    audited
}
