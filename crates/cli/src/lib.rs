//! `stakemate`, the one command line for people: runs the whole platform on one machine and looks into it.
//!
//! # Map
//! * [`arguments`]: what may be typed.
//! * [`dev`]: runs private servers and the six services as children, and finds such a stack again.
//! * `demo`: four staked games from queue to payout, played as two people in a browser would.
//! * `bench`: games through the gateway, with the machine's own limits.
//! * `chaos`: matches on processes that are killed. `playing`: the patient players of both.
//! * `events`, `dead_letters`, `games`, `ledger`: look into the running stack; one file a noun of the command line.
//! * `fairplay`: makes calibrations, and reports again from the log.
//! * `output`: standard output.
//! * [`failure`]: why a look into a stack failed, and its exit code.
//!
//! # Exit codes
//!
//! | code | means |
//! |---|---|
//! | 0 | done |
//! | 1 | something failed that should have worked; the error says what |
//! | 2 | wrong arguments |
//! | 3 | the stack is not in the state that the command needs: none runs, one runs already, or the port is taken |
//! | 4 | a check found a difference, and named the first one |
//! | 130 | interrupted before it was done |
//!
//! # Invariants
//! * CLI-1 One launcher a data folder; two folders and ports run side by side.
//! * CLI-2 A child that ends is started again at the same address.
//! * CLI-3 No child outlives the launcher; what a killed launcher and its guard leave is stopped by the next start.
//! * CLI-4 Standard output carries results only; what happens on the way goes to standard error.
//!
//! # Deliberately absent
//! A way to run in production: there each service is a container of its own.

pub mod arguments;
mod bench;
mod chaos;
mod dead_letters;
mod demo;
pub mod dev;
mod events;
pub mod failure;
mod fairplay;
mod games;
mod ledger;
mod output;
mod playing;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

pub use arguments::Arguments;
use arguments::{
    BenchCommand, Command, DeadLettersCommand, EventsCommand, GameCommand, InspectCommand, LedgerCommand,
    TailEnd,
};
use failure::Failure;

/// How a command ended; see the table above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// 0.
    Done,
    /// 1.
    Failed,
    /// 3.
    WrongState,
    /// 4.
    Difference,
    /// 130, as shells say it.
    Interrupted,
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(match status {
            ExitStatus::Done => 0,
            ExitStatus::Failed => 1,
            ExitStatus::WrongState => 3,
            ExitStatus::Difference => 4,
            ExitStatus::Interrupted => 130,
        })
    }
}

/// Carries out the command, and says on standard error why if it cannot.
pub async fn run(arguments: Arguments) -> ExitCode {
    let Arguments { data, command } = arguments;
    let outcome = match command {
        Command::Dev { port, programs, game_instances } => {
            let port = dev::EdgePort::Given(port);
            dev::run(dev::Options { data, port, programs, variables: Vec::new(), game_instances })
                .await
                .map_err(|error| (error.exit_status(), error.to_string()))
        }
        Command::CleanData => dev::layout::Layout::new(&data)
            .and_then(|layout| layout.clean())
            .map(|()| ExitStatus::Done)
            .map_err(|error| (error.exit_status(), error.to_string())),
        Command::Demo => demo::run(&data)
            .await
            .map(|()| ExitStatus::Done)
            .map_err(|error| (ExitStatus::Failed, format!("{error:#}"))),
        Command::Bench(BenchCommand::Games { concurrent, think, plies }) => {
            let think = Duration::from_millis(think);
            bench::games::run(
                &data,
                bench::games::Extent { concurrent: concurrent.into(), think, plies: plies.into() },
            )
            .await
            .map(|()| ExitStatus::Done)
            .map_err(|error| (ExitStatus::Failed, format!("{error:#}")))
        }
        Command::Bench(BenchCommand::Matches) => bench::matches::run()
            .await
            .map(|()| ExitStatus::Done)
            .map_err(|error| (ExitStatus::Failed, format!("{error:#}"))),
        Command::Fairplay(command) => fairplay::run(&data, command)
            .await
            .map(|()| ExitStatus::Done)
            .map_err(|error| (error.exit_status(), error.to_string())),
        Command::Chaos { seeds, matches, kills, victims } => {
            chaos::run(&data, &chaos::Extent { seeds, matches, kills, victims })
                .await
                .map(|()| ExitStatus::Done)
                .map_err(|error| (ExitStatus::Failed, format!("{error:#}")))
        }
        Command::Inspect(command) => inspect(&data, command)
            .await
            .map(|()| ExitStatus::Done)
            .map_err(|error| (error.exit_status(), error.to_string())),
    };
    match outcome {
        Ok(status) => status.into(),
        Err((status, message)) => {
            eprintln!("stakemate: {message}");
            status.into()
        }
    }
}

/// The commands that need a running stack.
async fn inspect(data: &Path, command: InspectCommand) -> Result<(), Failure> {
    let state = dev::state::find_running(data)?;
    match command {
        InspectCommand::Events(EventsCommand::Tail { service, count, follow }) => {
            let end = if follow { TailEnd::Never } else { TailEnd::Last };
            events::tail(&state, service, count, end).await
        }
        InspectCommand::Events(EventsCommand::Republish { service, since }) => {
            events::republish(&state, service, since).await
        }
        InspectCommand::DeadLetters(DeadLettersCommand::List { service }) => {
            dead_letters::list(&state, service).await
        }
        InspectCommand::DeadLetters(DeadLettersCommand::Retry(letter)) => {
            dead_letters::retry(&state, &letter).await
        }
        InspectCommand::DeadLetters(DeadLettersCommand::Skip { letter, version }) => {
            dead_letters::skip(&state, &letter, version).await
        }
        InspectCommand::Ledger(LedgerCommand::Verify) => ledger::verify(&state).await,
        InspectCommand::Game(GameCommand::Replay { game }) => games::replay(&state, game).await,
        InspectCommand::Game(GameCommand::Export { game: Some(game), .. }) => {
            games::export(&state, game).await
        }
        InspectCommand::Game(GameCommand::Export { game: None, .. }) => games::export_all(&state).await,
        InspectCommand::Game(GameCommand::Import { file }) => games::import(&state, &file).await,
    }
}
