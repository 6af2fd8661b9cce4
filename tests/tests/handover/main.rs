//! Three instances of the game service under many games: all are rolled one after the other, one is killed, one is stopped for longer than
//! its lease. Nobody notices more than a pause: every acknowledged move is in the log once, no game ends for it, no stream has a gap or a
//! repeat.
//!
//! `STAKEMATE_HANDOVER_GAMES=500` plays as many games at once as the service promises it for, and holds the pauses to what is promised.
//! Without it they are printed only: how long a pause is depends on what else the machine does.

mod audit;
mod figures;
mod instances;
mod sitting;

use std::sync::Arc;
use std::time::Duration;

use anyhow::ensure;
use cli::arguments::ServiceName;
use end_to_end::stack::Stack;
use futures::future::try_join_all;

use figures::{Figures, Phase};
use instances::Instances;
use sitting::{Evening, Sitting};

/// How many games are played at once when nothing is measured.
const GAMES: usize = 40;
/// How long games run undisturbed before, between and after the disturbances.
const QUIET: Duration = Duration::from_secs(4);
/// The length of a lease, as the service has it when nothing is said.
const LEASE: Duration = Duration::from_secs(5);
/// A pause that a planned hand-over may cost, …
const PAUSE_PLANNED_MAX: Duration = Duration::from_secs(2);
/// … and one that a crash may cost.
const PAUSE_CRASH_MAX: Duration = Duration::from_secs(LEASE.as_secs() + 2);
/// How many games are set up at once.
const SET_UP_AT_ONCE: usize = 16;

/// The number of games that is to be measured with, if anything is.
fn games_measured() -> Option<usize> {
    std::env::var("STAKEMATE_HANDOVER_GAMES").ok().and_then(|text| text.parse().ok())
}

/// How long a player thinks, in milliseconds: long enough for this machine to play all games with programs that are not optimised.
fn think_ms() -> u64 {
    let wanted = std::env::var("STAKEMATE_HANDOVER_THINK_MS").ok().and_then(|text| text.parse().ok());
    wanted.unwrap_or(1_500)
}

// GAME-2, GAME-6, GAME-15, GAME-16
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rolling_killing_and_stopping_instances_loses_doubles_and_ends_nothing() -> anyhow::Result<()> {
    let stack = Stack::with_game_instances(3)?;
    let figures = Arc::new(Figures::default());
    let evening = Evening::new(&stack, figures.clone(), think_ms())?;
    let mut sittings: Vec<Sitting> = Vec::new();
    let numbers: Vec<usize> = (0..games_measured().unwrap_or(GAMES)).collect();
    for some in numbers.chunks(SET_UP_AT_ONCE) {
        sittings.extend(try_join_all(some.iter().map(|number| Sitting::begin(&evening, *number))).await?);
    }
    let instances = Instances::of(&stack)?;
    tokio::time::sleep(QUIET).await;

    figures.enter(Phase::Roll);
    for name in instances::NAMES {
        instances.roll(name).await?;
        tokio::time::sleep(QUIET).await;
    }
    figures.enter(Phase::Kill);
    instances.kill(instances::NAMES[1]).await?;
    tokio::time::sleep(LEASE + QUIET).await;
    figures.enter(Phase::Stop);
    instances.stop_for(instances::NAMES[2], LEASE * 2).await?;
    tokio::time::sleep(QUIET).await;
    figures.enter(Phase::After);
    tokio::time::sleep(QUIET).await;

    evening.finish();
    eprintln!("the evening is over");
    let mut played = Vec::new();
    for sitting in sittings {
        played.push(sitting.finish().await?);
    }
    let pool = stack.database(ServiceName::Game).await?;
    let audit = audit::of(&pool, &played).await?;
    println!("{}", figures.line(&audit, played.len()));
    audit.hold()?;
    if games_measured().is_some() {
        let (planned, crash) =
            (figures.pause_max(&[Phase::Roll]), figures.pause_max(&[Phase::Kill, Phase::Stop]));
        ensure!(planned <= PAUSE_PLANNED_MAX, "a planned hand-over made somebody wait for {planned:?}");
        ensure!(crash <= PAUSE_CRASH_MAX, "a crash made somebody wait for {crash:?}");
    }
    ensure!(stack.stop() == Some(0), "the stack stops in order");
    Ok(())
}
