//! The whole of a service's `main.rs`.

use std::error::Error;
use std::future::Future;
use std::process::ExitCode;
use std::time::Duration;

use sqlx::migrate::Migrator;
use tokio_util::sync::CancellationToken;

use crate::config::{self, Problem, ServiceConfig, Variables};
use crate::server::STOP_MAX;
use crate::{database, shutdown, telemetry};

/// What a service's `run` gives back when it could not start or go on; `?` makes it of any error.
pub type RunError = Box<dyn Error + Send + Sync>;

/// The work was done, or the service was asked to stop and did.
const DONE: u8 = 0;
/// The service could not start, or not go on.
const FAILED: u8 = 1;
/// The command line is not understood.
const USAGE: u8 = 2;
/// The configuration is refused.
const CONFIGURATION: u8 = 3;

/// What is left after the server's own stop for the rest of the process.
const RUNTIME_STOP_MAX: Duration = Duration::from_millis(500);

/// A service as a process.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Its name: gateway, matchmaking, game, rating, wallet or fairplay.
    pub service: &'static str,
    /// Its own migrations.
    pub migrator: &'static Migrator,
}

/// Runs a service until it is asked to stop, or its migrations when the first argument is `migrate`.
///
/// Exit codes: 0 done, 1 failed, 2 the command line is not understood, 3 the configuration is refused.
pub fn main<C, F, R>(program: Program, run: F) -> ExitCode
where
    C: ServiceConfig,
    F: FnOnce(C, CancellationToken) -> R,
    R: Future<Output = Result<(), RunError>>,
{
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return complain(FAILED, &format!("no runtime: {error}")),
    };
    let code = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => runtime.block_on(serve(program, run)),
        ["migrate"] => runtime.block_on(migrate(program)),
        _ => complain(USAGE, &format!("usage: stakemate-{} [migrate]", program.service)),
    };
    runtime.shutdown_timeout(RUNTIME_STOP_MAX);
    code
}

async fn serve<C, F, R>(program: Program, run: F) -> ExitCode
where
    C: ServiceConfig,
    F: FnOnce(C, CancellationToken) -> R,
    R: Future<Output = Result<(), RunError>>,
{
    let config: C = match config::load(program.service) {
        Ok(config) => config,
        Err(error) => return complain(CONFIGURATION, &error.to_string()),
    };
    let _telemetry = match telemetry::start(program.service, config.common()) {
        Ok(guard) => guard,
        Err(error) => return complain(CONFIGURATION, &format!("no telemetry: {error}")),
    };
    let token = match shutdown::signals() {
        Ok(token) => token,
        Err(error) => return complain(FAILED, &format!("no signals: {error}")),
    };
    tracing::info!(service = program.service, "starting");
    match stop_in_time(run(config, token.clone()), token).await {
        Ok(()) => {
            tracing::info!(service = program.service, "stopped");
            ExitCode::from(DONE)
        }
        Err(error) => {
            tracing::error!(service = program.service, error = describe(&*error), "failed");
            ExitCode::from(FAILED)
        }
    }
}

/// Waits for the service without end while it runs, and for [`STOP_MAX`] once it was asked to stop (H01).
async fn stop_in_time(
    run: impl Future<Output = Result<(), RunError>>,
    token: CancellationToken,
) -> Result<(), RunError> {
    let late = async {
        token.cancelled().await;
        tokio::time::sleep(STOP_MAX).await;
    };
    tokio::select! {
        result = run => result,
        () = late => Err("the stop took too long; what was left of it was dropped".into()),
    }
}

async fn migrate(program: Program) -> ExitCode {
    let variables = Variables::from_environment(program.service);
    let Some(url) = variables.get("database_url") else {
        let missing = Problem::new("database_url", "is missing");
        let problems = variables.problems().iter().cloned().chain([missing]).collect();
        return complain(CONFIGURATION, &config::Error { problems }.to_string());
    };
    match database::migrate(&url.into(), program.service, program.migrator).await {
        Ok(()) => ExitCode::from(DONE),
        Err(error) => complain(FAILED, &describe(&error)),
    }
}

/// An error with its causes, on one line.
fn describe(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let next = cause.to_string();
        if !text.contains(&next) {
            text = format!("{text}: {next}");
        }
        source = cause.source();
    }
    text
}

fn complain(code: u8, message: &str) -> ExitCode {
    eprintln!("{message}");
    ExitCode::from(code)
}
