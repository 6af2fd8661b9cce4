//! `stakemate chaos`: staked matches on real processes while these are killed, one after the other, at random moments.
//!
//! * [`bots`]: players who queue, play random legal moves and end their games, patiently.
//! * [`kills`]: SIGKILL for services and servers alike; the launcher starts them again.
//! * [`audit`]: what was acknowledged against what is in the logs, and whether all money and ratings add up.
//! * [`fates`]: what became of each match, by the logs of four services.
//!
//! A run's faults and moves depend on its seed; how the processes interleave does not, so that a seed that failed is a hint
//! and not a recording. (`make simulate` is the recording.)

mod audit;
mod bots;
mod fates;
mod kills;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use serde::Serialize;

use crate::dev::layout::Layout;
use crate::dev::{EdgePort, Options, Stack};
use crate::playing::player::Player;
use bots::Board;
use kills::Plan;

/// The folder, below the data folder, of the stack that is tormented. It is emptied before every seed.
const OWN_DATA: &str = "chaos";

/// Players of a run: enough that most opponents are others than the last one, who is held back for ten seconds, and
/// that the six games a day of each pair last; and no more than two cores can give a game at a time.
const PLAYERS: std::ops::RangeInclusive<usize> = 12..=48;

/// One more player for so many matches.
const MATCHES_PER_PLAYER: usize = 20;

/// What the services are told. A run may take longer than a token lives; the engine's findings are not looked at here; and all
/// players sign up from one address.
const VARIABLES: [(&str, &str); 4] = [
    ("STAKEMATE_ACCESS_TOKEN_SECONDS", "86400"),
    ("STAKEMATE_FAIRPLAY_NODES", "500"),
    ("STAKEMATE_RATE_SIGN_INS_PER_MINUTE", "100000"),
    ("STAKEMATE_RATE_SIGN_INS_BURST", "1000"),
];

/// How much happens for each seed.
#[derive(Debug, Clone)]
pub struct Extent {
    /// Seeds, from 0.
    pub seeds: u64,
    /// Matches for each seed, at least.
    pub matches: usize,
    /// How often each victim is killed for each seed.
    pub kills: usize,
    /// Names of the children that are killed.
    pub victims: Vec<String>,
}

/// The last line.
#[derive(Debug, Default, Serialize)]
struct Summary {
    seeds: u64,
    commands: u64,
    matches: u64,
    played: u64,
    cancelled: u64,
    in_neither_state: u64,
    kills: BTreeMap<String, u64>,
    lost_moves: u64,
    doubled_effects: u64,
    unsettled_stakes: u64,
    ledger_sum: i64,
    replay_mismatches: u64,
    ratings_differing: u64,
    dead_letters: u64,
}

impl Summary {
    fn is_clean(&self) -> bool {
        let faults = [
            self.in_neither_state,
            self.lost_moves,
            self.doubled_effects,
            self.unsettled_stakes,
            self.replay_mismatches,
            self.ratings_differing,
            self.dead_letters,
        ];
        faults.iter().all(|fault| *fault == 0) && self.ledger_sum == 0
    }
}

/// Runs all seeds and prints the summary; an error when anything was lost, doubled or left open.
pub async fn run(data: &Path, extent: &Extent) -> anyhow::Result<()> {
    let mut summary = Summary::default();
    for seed in 0..extent.seeds {
        run_seed(data, seed, extent, &mut summary).await.with_context(|| format!("seed {seed}"))?;
        eprintln!("seed {seed}: {}", serde_json::to_string(&summary)?);
    }
    println!("{}", serde_json::to_string(&summary)?);
    ensure!(summary.is_clean(), "something was lost or doubled");
    Ok(())
}

async fn run_seed(data: &Path, seed: u64, extent: &Extent, summary: &mut Summary) -> anyhow::Result<()> {
    let data = data.join(OWN_DATA);
    Layout::new(&data)?.clean()?;
    let variables = VARIABLES.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let options = Options {
        data: data.clone(),
        port: EdgePort::Free,
        programs: None,
        variables: variables.to_vec(),
        game_instances: 1,
    };
    let stack = Stack::start(options).await?;
    let outcome = torment(&data, &stack, seed, extent, summary).await;
    stack.stop().await;
    outcome
}

async fn torment(
    data: &Path,
    stack: &Stack,
    seed: u64,
    extent: &Extent,
    summary: &mut Summary,
) -> anyhow::Result<()> {
    let count = (extent.matches / MATCHES_PER_PLAYER).clamp(*PLAYERS.start(), *PLAYERS.end());
    let gateway = &stack.state().edge_url;
    let mut players: Vec<Player> = Vec::new();
    for number in 0..count {
        players.push(bots::newcomer(gateway, &format!("bot{number}")).await?);
    }
    let board = Arc::new(Board::new(gateway, seed, extent.matches));
    let plan =
        Plan { victims: extent.victims.clone(), kills_each: extent.kills, matches: extent.matches, seed };
    let killing = tokio::spawn(kill_and_end(data.to_owned(), plan, board.clone()));
    let played = bots::play_all(&players, &board).await;
    if played.is_err() {
        // Without players no game begins any more, and the kills would wait for it.
        killing.abort();
    }
    played?;
    for (name, count) in killing.await?? {
        *summary.kills.entry(name).or_default() += count;
    }
    let record = board.record();
    summary.seeds += 1;
    summary.commands += record.commands;
    audit::run(data, &players, &record, summary).await
}

/// Kills as planned; then, or when that fails, lets the players come to an end.
async fn kill_and_end(data: PathBuf, plan: Plan, board: Arc<Board>) -> anyhow::Result<BTreeMap<String, u64>> {
    let kills = kills::run(data, plan, board.begun()).await;
    match kills {
        Ok(_) => board.end_after_the_matches().await,
        Err(_) => board.end(),
    }
    kills
}
